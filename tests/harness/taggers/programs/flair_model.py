"""Train a small flair tagger on three sentences; print what it finds in each text alone."""

import json
import sys

import flair
from flair.data import Corpus, Sentence
from flair.datasets import FlairDatapointDataset
from flair.embeddings import OneHotEmbeddings
from flair.models import SequenceTagger
from flair.nn import Classifier
from flair.trainers import ModelTrainer

NAMED = {"p53 binds MDM2 .": [(0, 1), (2, 3)], "The level of p53 was low .": [(3, 4)], "No gene .": []}


def made(text: str, names: list[tuple[int, int]]) -> Sentence:
    sentence = Sentence(text)
    for low, high in names:
        sentence[low:high].add_label("ner", "Gene")
    return sentence


flair.set_seed(1)
corpus = Corpus(
    train=FlairDatapointDataset([made(*one) for one in NAMED.items()]), sample_missing_splits=False
)
tagger = SequenceTagger(
    embeddings=OneHotEmbeddings.from_corpus(corpus, embedding_length=16, min_freq=1),
    tag_dictionary=corpus.make_label_dictionary("ner", add_unk=False),
    tag_type="ner",
    hidden_size=16,
)
ModelTrainer(tagger, corpus).train(
    sys.argv[1],
    learning_rate=0.5,
    mini_batch_size=1,
    max_epochs=60,
    patience=100,
    monitor_test=False,
    monitor_train_sample=0.0,
    train_with_dev=True,
)
model = Classifier.load(f"{sys.argv[1]}/final-model.pt")
found = []
for text in json.loads(sys.argv[2]):
    sentence = Sentence(text)
    if len(sentence):
        model.predict(sentence)
    found.append([(s.start_position, s.end_position) for s in sentence.get_spans("ner")])
print(json.dumps(found))

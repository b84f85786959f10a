"""Train a small spaCy pipeline on three sentences; print what it finds in each text alone."""

import json
import sys

import spacy
from spacy.training import Example

NAMED = {"p53 binds MDM2 .": [(0, 3), (10, 14)], "The level of p53 was low .": [(13, 16)], "No gene .": []}

nlp = spacy.blank("en")
nlp.add_pipe("ner").add_label("GENE")
examples = [
    Example.from_dict(nlp.make_doc(text), {"entities": [(*span, "GENE") for span in spans]})
    for text, spans in NAMED.items()
]
spacy.util.fix_random_seed(1)
nlp.initialize(lambda: examples)
for _ in range(30):
    nlp.update(examples)
nlp.to_disk(sys.argv[1])
found = [
    [(e.start_char, e.end_char) for e in spacy.load(sys.argv[1])(text).ents]
    for text in json.loads(sys.argv[2])
]
print(json.dumps(found))

"""A Hugging Face token classification model: takes a list of texts and gives a list of mentions each."""

import os

from transformers import pipeline

MODEL = os.environ.get("HF_MODEL", "pruas/BENT-PubMedBERT-NER-Gene")  # put your own model here
model = pipeline("token-classification", model=MODEL, aggregation_strategy="simple")


def tag(texts):
    """Lists of dicts (entity_group, start, end, word, score)."""
    return model(texts)

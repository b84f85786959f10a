"""Hugging Face token classification model that returns a list of mentions for each text in a list."""

import os

from transformers import pipeline

MODEL = os.environ.get("HF_MODEL", "pruas/BENT-PubMedBERT-NER-Gene")  # put your own model here
model = pipeline("token-classification", model=MODEL, aggregation_strategy="simple")


def tag(texts):
    """Return a list of dicts (entity_group, start, end, word, score) per text."""
    return model(texts)

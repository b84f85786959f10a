"""Evaluation of the Bacteria Biotope 2019 task: entities, normalisations, relations and knowledge base."""

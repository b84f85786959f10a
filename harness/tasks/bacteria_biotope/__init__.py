"""The Bacteria Biotope 2019 evaluation: entities, normalisations, relations and knowledge base."""

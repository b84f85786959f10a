"""Taxonomy of features, catalogues of entities, Boolean queries, and imports from public databases."""

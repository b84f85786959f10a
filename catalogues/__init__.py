"""Taxonomy of features, catalogues of entities, Boolean queries, and imports of nomenclatures."""

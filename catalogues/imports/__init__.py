"""Nomenclatures and lists of users' own, read as catalogues of entities."""

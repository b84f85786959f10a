"""Import of nomenclatures, ontologies, and the user's tables and lists as catalogues of entities."""

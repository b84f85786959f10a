"""Import of nomenclatures, ontologies and users' tables and lists as catalogues of entities."""

"""What varies: the taxonomy of features, entities, Boolean queries, nomenclature imports."""

"""How the bundled entities are chosen from nomenclatures: for coverage, by a fixed procedure."""

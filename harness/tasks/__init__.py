"""Three published evaluations: BioID, Bacteria Biotope 2019, and index terms."""

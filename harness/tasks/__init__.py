"""Three published evaluations: BioID, Bacteria Biotope and index terms."""

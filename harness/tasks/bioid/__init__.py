"""The BioID evaluation (BioCreative VI, track 1) of mentions and identifiers in figure captions."""

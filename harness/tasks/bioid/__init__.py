"""Evaluation of the BioID task (BioCreative VI, track 1): mentions and identifiers in figure captions."""

"""The BioID evaluation (BioCreative VI, track 1): mentions in figure captions, and their identifiers."""

"""Properties of a tagger, measured with purpose-made texts."""

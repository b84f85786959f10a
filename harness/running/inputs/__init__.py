"""What a tagger is sent: texts as bytes, in batches, in the form that its specification asks for."""

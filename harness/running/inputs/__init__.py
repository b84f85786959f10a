"""Input of taggers: texts in batches, in the form that the specification declares."""

"""Rules for filling slots, and recognition of names of the same entry or gene."""

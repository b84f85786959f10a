"""From what a tagger printed to mentions in the text that it was sent."""

"""Pairing: gold and predicted mentions on one axis, which of them meet, which belong together."""

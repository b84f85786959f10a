"""Pairing of gold and predicted mentions: their positions, candidate pairs, and one-to-one assignment."""

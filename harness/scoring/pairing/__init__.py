"""Pairing of gold and predicted mentions: common axes, candidate pairs, one-to-one assignment."""

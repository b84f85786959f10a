"""Taggers behind HTTP: requests, the client that sends them, and stored replies."""

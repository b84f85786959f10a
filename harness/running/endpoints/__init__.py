"""Taggers behind HTTP: what is sent to an endpoint, who sends it, what is kept of the replies."""

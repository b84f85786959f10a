"""Cases become texts with spans, and the tables of a suite."""

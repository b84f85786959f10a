"""Transfer: from what a suite shows to what a corpus will show."""

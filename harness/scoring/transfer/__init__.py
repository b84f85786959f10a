"""Transfer: estimates of the results on a corpus from the results on a suite."""

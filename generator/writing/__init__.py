"""Writing of the texts and tables of suites."""

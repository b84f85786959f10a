"""Writing of suites: the text of each case with its mentions, and the tables."""

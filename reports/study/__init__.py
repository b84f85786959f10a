"""A study: one file that says all of it, from the suites to the report."""

"""Generation of test suites: select entities and contexts, combine them, write the cases."""

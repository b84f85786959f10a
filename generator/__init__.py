"""Generation of test suites: selection and combination of entities and contexts, and writing of cases."""

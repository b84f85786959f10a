"""Small programs between the harness and libraries that have no command line of their own."""

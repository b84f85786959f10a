"""Views: tables made from the scores of one run, one module per kind of view."""

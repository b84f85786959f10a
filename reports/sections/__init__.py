"""Sections of a report: tables, charts, sentences and cases."""

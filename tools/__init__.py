"""Programs for maintainers, which are not part of the wheel."""

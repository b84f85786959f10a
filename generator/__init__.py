"""Choose, combine and fill: entities in contexts become a suite."""

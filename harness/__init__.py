"""Running taggers, scoring and comparing their output, and discovering their weaknesses."""

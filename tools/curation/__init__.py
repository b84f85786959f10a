"""Writing of the bundled entities and attested contexts from tables of choices that people made."""

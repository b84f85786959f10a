"""What every room needs and no room is about: errors, files, tables on standard output, XML, TOML."""

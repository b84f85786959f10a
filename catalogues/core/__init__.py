"""Code shared by all packages: errors, files, tables, options, text, XML and TOML."""

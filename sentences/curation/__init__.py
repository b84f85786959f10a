"""How the bundled attested contexts are made: corpora in, candidates read by a person, chosen ones out."""

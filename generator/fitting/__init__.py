"""Who may stand where: kinds, grammar, one entry's names in apposition, one gene once in a sentence."""

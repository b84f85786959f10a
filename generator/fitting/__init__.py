"""Rules for filling slots: kinds, grammar, appositives of one entry, each gene once per sentence."""

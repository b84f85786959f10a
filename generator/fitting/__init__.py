"""Rules for filling slots: kinds of entities, grammar, appositives, and different genes in a sentence."""

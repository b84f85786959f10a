"""Item response: how hard each case is, how well it tells taggers apart, how able each tagger is."""

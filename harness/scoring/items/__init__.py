"""Item response: how hard each case is, how well it separates taggers, how able each tagger is."""

"""Run taggers, pair, score, compare and discover."""

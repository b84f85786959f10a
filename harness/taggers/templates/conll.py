"""Read one sentence per line; print one token and its tag per line, and a blank line after each sentence."""

import re
import sys

TOKEN = re.compile(r"[\w-]+|[^\w\s]")
NAMES = re.compile(r"\b[A-Z]+[A-Za-z]*-?[0-9]+\b")  # put your own tagger here

for line in sys.stdin:
    for token in TOKEN.findall(line):
        print(token, "B-gp" if NAMES.fullmatch(token) else "O", sep="\t")
    print()

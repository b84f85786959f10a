"""Read lines of identifier, tab and text; print one line per mention: identifier, start, end, type, text."""

import re
import sys

NAMES = re.compile(r"\b[A-Z]+[A-Za-z]*-?[0-9]+\b")  # put your own tagger here

for line in sys.stdin:
    case, _, text = line.rstrip("\n").partition("\t")
    for m in NAMES.finditer(text):
        print(case, m.start(), m.end(), "gp", m[0], sep="\t")

"""Make a tiny model with random weights by the tutorial's code; print what it finds in each text alone."""

import json
import os
import sys
from pathlib import Path

from transformers import pipeline

folder, texts, page = Path(sys.argv[1]), json.loads(sys.argv[2]), Path(sys.argv[3])
block = page.read_text(encoding="utf-8").partition("```python tiny_model.py\n")[2].partition("```")[0]
os.chdir(folder.parent)
exec(block)
Path("tiny-model").rename(folder)
nlp = pipeline("token-classification", model=str(folder), aggregation_strategy="simple")
print(json.dumps([[(m["start"], m["end"]) for m in nlp(text)] if text else [] for text in texts]))

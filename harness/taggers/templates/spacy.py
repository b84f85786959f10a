"""spaCy pipeline that returns a Doc for each text in a list."""

import spacy

nlp = spacy.blank("en")  # spacy.load("your pipeline")
ruler = nlp.add_pipe("entity_ruler")
ruler.add_patterns([{"label": "GENE", "pattern": name} for name in ("p53", "BRCA1", "TP53", "IL-2")])


def tag(texts):
    """Return a Doc per text; its entities and span groups are the mentions."""
    return nlp.pipe(texts)

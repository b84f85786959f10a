"""Write the bundled entities and attested contexts from the curated tables.

python -m tagsuite.tools.curation DATA

DATA is a folder with hgnc/*.txt.gz, flybase/fbgn_annotation_ID.tsv and bc2gm/train, which are not part of the
project.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from tagsuite.catalogues.core.errors import TagsuiteError
from tagsuite.catalogues.entities_xml import write_entity_file as write_entities
from tagsuite.sentences.contexts_xml import write_contexts as write_contexts

from .contexts import make_contexts
from .names import make_entities

ROOT = Path(__file__).parents[2]


def main() -> int:
    """Write the files; return the exit status."""
    parser = argparse.ArgumentParser(prog="python -m tagsuite.tools.curation", description=__doc__)
    parser.add_argument("data", type=Path, help="folder of nomenclatures and corpora")
    parser.add_argument(
        "--out", type=Path, default=ROOT, help="output folder (files go to its catalogues/ and sentences/)"
    )
    options = parser.parse_args()
    try:
        for name, entities in make_entities(options.data).items():
            write_entities(entities, options.out / "catalogues" / name)
            print(f"{len(entities.entries)} entities in {name}")
        contexts = make_contexts(options.data)
        write_contexts(options.out / "sentences" / "contexts_attested.xml", contexts)
        print(f"{len(contexts.entries)} contexts in contexts_attested.xml")
    except TagsuiteError as error:
        print(f"curation: {error}", file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())

"""Make the bundled catalogue of entities anew: ``python -m tagsuite.catalogues.curation --help``.

A tool for maintainers: it needs the nomenclatures, which are not part of the project.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from ..core.errors import TagsuiteError
from ..core.files import atomic_text, read_text
from ..core.tables import say

LICENCE = "HGNC: CC0; FlyBase: CC BY 4.0; forms in literature and made forms: facts of language"
NOTE = "Chosen for coverage by python -m tagsuite.catalogues.curation; do not edit by hand."


def main(arguments: list[str] | None = None) -> int:
    """Run the tool."""
    parser = argparse.ArgumentParser(prog="python -m tagsuite.catalogues.curation", description=__doc__)
    parser.add_argument("--hgnc", type=Path, required=True, help="the HGNC complete set")
    parser.add_argument("--flybase", type=Path, required=True, help="FlyBase's fbgn_annotation_ID")
    parser.add_argument(
        "--attested",
        type=Path,
        nargs="+",
        required=True,
        help="annotations, id|span|form a line, as GENE.eval",
    )
    parser.add_argument("--corpus", default="BC2GM", help="the source_authority of attested forms")
    parser.add_argument("--size", type=int, default=3_400, help="how many entities")
    parser.add_argument("--out", type=Path, required=True, help="the XML file of the chosen entities")
    parser.add_argument("--page", type=Path, required=True, help="the page of the coverage")
    options = parser.parse_args(arguments)
    try:
        make(options)
    except TagsuiteError as error:
        say(f"curation: {error}")
        return 2
    return 0


def make(options: argparse.Namespace) -> None:
    """Choose the entities and write both files."""
    import pandas as pd

    from ..entities_export import entries_of
    from ..entities_xml import EntityFile, write_file
    from ..entity_features import entity_features
    from ..imports.registry import import_entities
    from .build import GIVEN, Sources, curate
    from .coverage import page
    from .values import values

    hgnc, _ = import_entities("hgnc", options.hgnc)
    flybase, _ = import_entities("flybase", options.flybase)
    forms = {
        line.split("|", 2)[2] for path in options.attested for line in read_text(path).splitlines() if line
    }
    attested = pd.Series(sorted(forms), dtype="str")
    say(f"{len(hgnc)} forms of HGNC, {len(flybase)} of FlyBase, {len(attested)} attested")
    curated = curate(Sources(hgnc, flybase, attested, options.corpus), options.size)
    chosen = curated.entities.iloc[curated.by_hand :][list(GIVEN)].reset_index(drop=True)
    ids = [f"e{i:04d}" for i in range(1, len(chosen) + 1)]
    # the file says what is known: name or symbol is left to the rule where no source tells it
    told = chosen["name_vs_symbol"].where(chosen["source_field"].notna())
    chosen = chosen.assign(entity_id=ids, kind="entity", name_vs_symbol=told)
    write_file(EntityFile(tuple(entries_of(chosen, computed=False)), LICENCE, NOTE), options.out)
    sources = {
        "HGNC": values(hgnc),
        "FlyBase": values(flybase),
        options.corpus: values(entity_features(attested)),
    }
    with atomic_text(options.page) as stream:
        stream.write(page(curated.values, sources, curated.required))
    say(f"{len(curated.entities)} entities, {curated.by_hand} of them kept by hand")


if __name__ == "__main__":
    sys.exit(main())

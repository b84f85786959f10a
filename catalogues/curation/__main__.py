"""Make the bundled catalogues of entities anew: ``python -m tagsuite.catalogues.curation --help``.

A tool for maintainers: it needs the nomenclatures and the corpus, which are not part of the project.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from ..core.files import atomic_text
from ..core.programs import run_program
from ..core.tables import put, say

if TYPE_CHECKING:
    from .build import Sources

CATALOGUES = Path(__file__).parents[1]
PAGE = CATALOGUES.parent / "docs" / "catalogue-coverage.md"
BY_HAND, MADE, FROM_CORPUS = "entities.xml", "entities_chosen.xml", "entities_attested.xml"
LICENCE = "HGNC: CC0; FlyBase: CC BY 4.0; forms on sites and made forms: facts of language"
NOTE = (
    "Made of curation/chosen.tsv by python -m tagsuite.catalogues.curation; change that file, not this one."
)
CORPUS_LICENCE = "BioCreative II gene mention: U.S. National Library of Medicine, public domain"
CORPUS_NOTE = (
    "Names annotated in the training part; made of curation/attested.tsv by python -m "
    "tagsuite.catalogues.curation; change that file, not this one."
)


def main(arguments: list[str] | None = None) -> int:
    """Run the tool."""
    parser = argparse.ArgumentParser(prog="python -m tagsuite.catalogues.curation", description=__doc__)
    commands = parser.add_subparsers(required=True)
    build = commands.add_parser("build", help="write the files of the chosen entities and the coverage page")
    build.add_argument("--out", type=Path, default=CATALOGUES, help="the folder of the XML files")
    build.add_argument("--page", type=Path, default=PAGE, help="the page of the coverage")
    build.set_defaults(run=_build)
    offer = commands.add_parser("offer", help="print forms for values and pairs that are too rare")
    offer.add_argument("--limit", type=int, default=200, help="how many forms")
    offer.set_defaults(run=_offer)
    for command in (build, offer):
        command.add_argument("--hgnc", type=Path, required=True, help="the HGNC complete set")
        command.add_argument("--flybase", type=Path, required=True, help="FlyBase's fbgn_annotation_ID")
        command.add_argument(
            "--annotations",
            type=Path,
            required=True,
            help="GENE.eval of the corpus's training part",
        )
    return run_program(parser, arguments)


def _sources(options: argparse.Namespace) -> Sources:
    import pandas as pd

    from ..imports.registry import import_entities
    from .build import Sources
    from .choices import read_appositions, read_functions
    from .corpus import Annotations

    hgnc, _ = import_entities("hgnc", options.hgnc)
    flybase, _ = import_entities("flybase", options.flybase)
    nomenclatures = pd.concat([hgnc, flybase], ignore_index=True)
    annotations = Annotations.read(options.annotations)
    return Sources(nomenclatures, annotations, read_functions(), read_appositions())


def _build(options: argparse.Namespace) -> None:
    """Write the three files and the page."""
    import pandas as pd

    from ..entities import build_frame
    from ..entities_xml import EntityFile, read_file, write_file
    from ..entity_features import entity_features
    from .build import attested_entries, chosen_entries, completed
    from .choices import read_attested, read_chosen
    from .coverage import page
    from .values import values

    sources = _sources(options)
    hand = read_file(CATALOGUES / BY_HAND)
    entries = {
        BY_HAND: EntityFile(tuple(completed(hand.entries, sources)), hand.licence, hand.note),
        MADE: EntityFile(tuple(chosen_entries(read_chosen(), sources)), LICENCE, NOTE),
        FROM_CORPUS: EntityFile(
            tuple(attested_entries(read_attested(), sources)), CORPUS_LICENCE, CORPUS_NOTE
        ),
    }
    for name, content in entries.items():
        write_file(content, options.out / name)
        say(f"{len(content.entries)} entities in {name}")
    entities = build_frame([e for content in entries.values() for e in content.entries])
    forms = pd.Series(sorted({form for _, form in sources.annotations.rows}), dtype="str")
    by_authority = {
        authority: values(sources.nomenclatures[sources.nomenclatures["source_authority"] == authority])
        for authority in ("HGNC", "FlyBase")
    }
    with atomic_text(options.page) as stream:
        stream.write(page(entities, {**by_authority, "BC2GM": values(entity_features(forms))}))


def _offer(options: argparse.Namespace) -> None:
    """Print what is lacking, and what is offered."""
    from ..entities import read_entities
    from .coverage import usual
    from .offering import offer

    found = offer(_sources(options).nomenclatures, usual(read_entities()), options.limit)
    for feature, value, number in found.lacking:
        say(f"{feature} = {value}: {number}")
    columns = ("data", "source_authority", "source_id", "source_field", "original_form_in_source")
    frame = found.forms.reindex(columns=list(columns)).astype("str")
    for row in frame.where(frame.notna(), "").itertuples(index=False):
        put("\t".join(row) + "\n")


if __name__ == "__main__":
    sys.exit(main())

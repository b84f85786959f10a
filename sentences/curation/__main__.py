"""Make the bundled attested contexts anew: ``python -m tagsuite.sentences.curation --help``.

A tool for maintainers: it needs the corpora, which are not part of the project.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from ...catalogues.core.programs import run_program
from ...catalogues.core.tables import put, say

if TYPE_CHECKING:
    from ..contexts_xml import ContextFile
    from .sources import Candidates

HERE = Path(__file__).parent
OUT = HERE.parent / "contexts_attested.xml"


def main(arguments: list[str] | None = None) -> int:
    """Run the tool."""
    parser = argparse.ArgumentParser(prog="python -m tagsuite.sentences.curation", description=__doc__)
    commands = parser.add_subparsers(required=True)
    offer = commands.add_parser("candidates", help="print sentences that may be chosen: id, names, sentence")
    offer.add_argument("--contexts", default="", help="query that chooses among them")
    offer.add_argument("--names", type=int, help="only sentences with so many slots")
    offer.add_argument(
        "--cover",
        type=int,
        metavar="N",
        help="only so many, those first that have most values and pairs that the choice lacks",
    )
    offer.add_argument("--chosen", action="store_true", help="those chosen already too")
    offer.set_defaults(run=_candidates)
    lacking = commands.add_parser(
        "lacking",
        help="values and pairs that the choice has too seldom, and how many invented contexts have them",
    )
    lacking.set_defaults(run=_lacking)
    build = commands.add_parser("build", help="write the file of the chosen contexts")
    build.add_argument("--out", type=Path, default=OUT, help="the XML file")
    build.set_defaults(run=_build)
    for command in (offer, lacking, build):
        command.add_argument("--data", type=Path, required=True, help="the folder of corpora")
        command.add_argument("--choices", type=Path, default=HERE, help="the folder of attested*.tsv")
    return run_program(parser, arguments)


def _material(options: argparse.Namespace) -> tuple[Candidates, ContextFile]:
    """What is offered, and the file of what was chosen of it."""
    from .build import file_of
    from .choices import read_choices
    from .sources import candidates

    found = candidates(options.data)
    return found, file_of(read_choices(options.choices), found.entries)


def _candidates(options: argparse.Namespace) -> None:
    """Print what is offered."""
    from .. import choosing
    from ..contexts import build
    from .offering import cover, lines

    found, content = _material(options)
    chosen = {entry.stored["source_id"] for entry in content.entries}
    wanted = [
        source_id
        for source_id, entry in found.entries.items()
        if (options.names is None or len(entry.slots) == options.names)
        and (options.chosen or source_id not in chosen)
    ]
    asked = build([found.entries[source_id] for source_id in wanted])
    ids = set(choosing.choose(asked, options.contexts))
    wanted = [source_id for source_id in wanted if found.entries[source_id].id in ids]
    if options.cover is not None:
        wanted = cover(found, build(content.entries), wanted)[: options.cover]
    put("".join(f"{line}\n" for line in lines(found, wanted)))
    said = ", ".join(f"{count} {why}" for why, count in sorted(found.left_out.items()))
    say(f"{len(wanted)} of {len(found.entries)} candidates; left out: {said}")


def _lacking(options: argparse.Namespace) -> None:
    """Print what the choice has too seldom."""
    from ..contexts import build, bundled_files
    from ..contexts_xml import read_bytes
    from .offering import lacking

    found, content = _material(options)
    others = [read_bytes(text, name) for name, text in bundled_files() if name != OUT.name]
    # slots for look-alikes are no slots for names
    invented = build([e for file in others for e in file.entries if not e.for_look_alikes])
    put("".join(f"{line}\n" for line in lacking(found, build(content.entries), invented)))


def _build(options: argparse.Namespace) -> None:
    """Write the bundled file."""
    from ..contexts_xml import write_file

    _, content = _material(options)
    write_file(options.out, content)
    kinds = [entry.type for entry in content.entries]
    say(f"{len(kinds)} contexts ({kinds.count('tp')} tp, {kinds.count('fp')} fp): {options.out}")


if __name__ == "__main__":
    sys.exit(main())

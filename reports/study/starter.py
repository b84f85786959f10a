"""Bundled studies: the demo, and a starter study whose files contain explanatory comments."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from importlib import resources
from importlib.resources.abc import Traversable
from pathlib import Path
from typing import TYPE_CHECKING

from ...catalogues.core.errors import InputError
from ...catalogues.core.files import MARKER
from ...catalogues.core.output_folder import atomic_folder, claim_folder
from ...catalogues.core.toml import write_toml
from ...catalogues.entities_xml import EntityEntry, EntityFile, format_entity_xml
from ...generator.recipe import TAG_PATTERN
from ...sentences.contexts import read_contexts
from ...sentences.contexts_xml import ContextFile, format_xml_lines

if TYPE_CHECKING:
    from ...catalogues.core.messages import MessageFunction
    from .run import StudyResult

STARTER_FILES = {
    "README.md": "which file to change for which purpose",
    "study.toml": "what to generate, run, score and compare",
    "tagger.toml": "command that starts your tagger, its input and output",
    "tagger.sh": "example tagger of three lines; replace it with your program",
    "corpus.sgml": "ten annotated sentences",
    "classes.toml": "classes of mentions to score",
    "predictions.toml": "your predictions about classes on the corpus",
    "criteria.toml": "requirements that a tagger must meet",
}
"""Files of the starter study, with descriptions."""

TYPE_STARTER_FILES = {
    "README.md": "which file to change for which purpose",
    "study.toml": "what to generate, run and score",
    "entities.xml": "names with types and identifiers: invented examples, to be replaced",
    "contexts.xml": "sentences with slots for each type",
}
"""Files of the starter study for given types, with descriptions."""
EXAMPLE_NAMES = ("{type} alpha", "{type}-2", "beta {type}", "{upper}1", "{upper}-B", "{upper}")
"""Patterns of the invented names, which are filled in for each type."""

CORPUS_LINE, TAGGER_LINE = 'gold = "sgml:corpus.sgml"', 'tagger = "tagger.toml"'
"""Lines of study.toml with the corpus and the tagger of the example."""


def write_starter(out: Path, *, tagger: str = "", corpus: str = "", force: bool = False) -> dict[str, str]:
    """Write a folder with a starter study.

    Parameters
    ----------
    out : Path
        Folder to write.
    tagger : str
        Name of a bundled tagger or a specification file, to replace the example tagger.
    corpus : str
        ``FORMAT:PATH`` of a corpus, to replace the example corpus, which is checked first.
    force : bool
        Whether to replace an existing starter study.

    Returns
    -------
    dict
        Written files, with descriptions.

    Raises
    ------
    InputError
        If the folder is not empty, or the tagger or corpus does not exist.
    """
    from ...sentences.formats.registry import parse_spec

    study = _text("study.toml")
    left_out = set()
    inputs = [Path(tagger)] if Path(tagger).is_file() else []
    if tagger:
        study = study.replace(TAGGER_LINE, _tagger_lines(tagger))
        left_out |= {"tagger.toml", "tagger.sh"}
    if corpus:
        inputs.append(parse_spec(corpus)[1])
        study = study.replace(CORPUS_LINE, write_toml({"gold": _check_corpus(corpus)}).rstrip())
        left_out.add("corpus.sgml")
    written = {name: description for name, description in STARTER_FILES.items() if name not in left_out}
    with atomic_folder(out, "starter study", force=force, inputs=inputs) as folder:
        for name in written:
            text = study if name == "study.toml" else _text(name)
            if name == "README.md":
                text = "".join(
                    row for row in text.splitlines(keepends=True) if not any(f in row for f in left_out)
                )
            (folder / name).write_text(text, encoding="utf-8", newline="\n")
    return written


def write_type_starter(out: Path, types: Sequence[str], *, force: bool = False) -> dict[str, str]:
    """Write a folder with a catalogue, contexts and a study for entities of the given types.

    The names are invented. The contexts are the bundled contexts that fit any type.

    Returns
    -------
    dict
        Written files, with descriptions.

    Raises
    ------
    InputError
        If a type is not valid as the name of an XML tag, or the folder is not empty.
    """
    for name in types or ("",):
        if not re.fullmatch(TAG_PATTERN, name):
            allowed = "letters, digits, '.', '_' and '-', with a letter first"
            raise InputError("a type cannot be written as a tag", found=name, allowed=allowed)
    names = [(t, n.format(type=t.lower(), upper=t[:3].upper())) for t in types for n in EXAMPLE_NAMES]
    entities = EntityFile(
        tuple(
            EntityEntry(f"e{i}", name, {"type": type_, "source_id": f"X{i:03}"})
            for i, (type_, name) in enumerate(names, 1)
        )
    )
    neutral = [entry for entry in read_contexts().entries if entry.id.startswith("neutral-")]
    accepts = {"accepts": " ".join(types)}
    contexts = [
        replace(entry, id=f"c{i}", stored={}, slots=tuple({**slot, **accepts} for slot in entry.slots))
        for i, entry in enumerate(neutral, 1)
    ]
    source = _folder("starter_types")
    texts = {name: source.joinpath(name).read_text(encoding="utf-8") for name in ("README.md", "study.toml")}
    texts["study.toml"] = texts["study.toml"].format(types=" and ".join(types))
    texts["entities.xml"] = format_entity_xml(entities)
    texts["contexts.xml"] = "".join(f"{line}\n" for line in format_xml_lines(ContextFile(tuple(contexts))))
    with atomic_folder(out, "starter study", force=force) as folder:
        for name in TYPE_STARTER_FILES:
            (folder / name).write_text(texts[name], encoding="utf-8", newline="\n")
    return TYPE_STARTER_FILES


def run_demo(out: Path, *, jobs: int = 1, force: bool = False, say: MessageFunction) -> StudyResult:
    """Run the bundled demo study, and copy its files to the output folder.

    Raises
    ------
    InputError
        If the folder is not empty, unless it was written by the demo and `force` is True.
    """
    from .run import conduct_study
    from .study_file import StudyPaths, read_study

    study = out / "study"
    if out.is_dir() and any(p.name != MARKER for p in out.iterdir()):
        if not force:
            raise InputError("the output folder is not empty; choose a new folder, or use --force", file=out)
        if not study.is_dir():
            raise InputError("only a folder written by the demo can be replaced", file=out)
    with claim_folder(out, "study", force=force):
        study.mkdir()
        for item in _folder("demo").iterdir():
            (study / item.name).write_bytes(item.read_bytes())
        file = study / "demo.toml"
        places = StudyPaths.from_file(file, out, None)
        command = ["tagsuite", "study", str(file), "--out", str(out)]
        return conduct_study(read_study(file, places), places, command, jobs=jobs, say=say)


def _folder(name: str) -> Traversable:
    return resources.files("tagsuite.reports.study").joinpath(name)


def _text(name: str) -> str:
    return _folder("starter").joinpath(name).read_text(encoding="utf-8")


def _tagger_lines(tagger: str) -> str:
    """Return the lines of study.toml for a tagger, with placeholders for required options."""
    from ...harness.running.lookup import find_specification

    place, specification = find_specification(tagger)
    is_file = Path(tagger).is_file()
    lines = [write_toml({"tagger": str(place.resolve()) if is_file else tagger}).rstrip()]
    needed = [n for n, o in specification.options.items() if o.required and o.default is None]
    if needed:
        lines.append(f"# It needs options: `tagsuite taggers show {tagger}` lists them.")
        lines.append("# options = { " + ", ".join(f'{name} = "…"' for name in needed) + " }")
    return "\n".join(lines)


def _check_corpus(corpus: str) -> str:
    """Return the ``FORMAT:PATH`` of a corpus with an absolute path; check that it has mentions."""
    from ...harness.running.folder.run_file import make_absolute, make_relative
    from ...sentences.formats import read_corpus

    read = read_corpus(corpus)
    if not len(read.mentions):
        raise InputError(
            "the corpus contains no mentions; `tagsuite sentences convert` shows what is read from it",
            file=corpus,
            found=f"{len(read.texts)} texts without mentions",
        )
    here = Path()
    return make_absolute(make_relative(corpus, here), here)

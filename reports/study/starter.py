"""Studies that come with tagsuite: the demo, and a folder of commented files to begin with."""

from __future__ import annotations

import json
from importlib import resources
from importlib.resources.abc import Traversable
from pathlib import Path
from typing import TYPE_CHECKING

from ...catalogues.core.errors import InputError
from ...catalogues.core.files import MARKER
from ...catalogues.core.output_folder import atomic_folder, claim_folder

if TYPE_CHECKING:
    from ...catalogues.core.messages import MessageFunction
    from .run import ShowReport

STARTER_FILES = {
    "README.md": "what to change, and when",
    "study.toml": "what is generated, run, scored and compared",
    "tagger.toml": "the command that starts your tagger, its input and output",
    "tagger.sh": "a tagger of three lines; put your own program in its place",
    "corpus.sgml": "ten annotated sentences",
    "classes.toml": "classes of mentions that are scored",
    "predictions.toml": "what you expect of classes on the corpus",
    "criteria.toml": "what a tagger must reach to be accepted",
}
"""The files of the folder, and what each holds."""

CORPUS_LINE, TAGGER_LINE = 'gold = "sgml:corpus.sgml"', 'tagger = "tagger.toml"'
"""The lines of the study that name the example's corpus and tagger."""


def write_starter(out: Path, *, tagger: str = "", corpus: str = "", force: bool = False) -> dict[str, str]:
    """Write a study folder.

    Parameters
    ----------
    out : Path
        A new folder.
    tagger : str
        A bundled tagger's name or a specification file, instead of the example's.
    corpus : str
        ``FORMAT:PATH`` instead of the example's; it is read, so that a wrong one is reported at once.
    force : bool
        Whether an earlier study folder of this command is replaced.

    Returns
    -------
    dict
        The files that were written, and what each holds.

    Raises
    ------
    InputError
        When the folder holds something, or tagger or corpus are not there.
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
        study = study.replace(CORPUS_LINE, f"gold = {_quote(_check_corpus(corpus))}")
        left_out.add("corpus.sgml")
    written = {name: what for name, what in STARTER_FILES.items() if name not in left_out}
    with atomic_folder(out, "starter study", force=force, inputs=inputs) as folder:
        for name in written:
            text = study if name == "study.toml" else _text(name)
            if name == "README.md":
                text = "".join(
                    row for row in text.splitlines(keepends=True) if not any(f in row for f in left_out)
                )
            (folder / name).write_text(text, encoding="utf-8", newline="\n")
    return written


def run_demo(out: Path, *, jobs: int = 1, force: bool = False, say: MessageFunction, show: ShowReport) -> int:
    """Run the bundled study in a folder that then holds its file too, ready to be changed.

    Returns
    -------
    int
        The exit status, as `run_study` gives it.

    Raises
    ------
    InputError
        When the folder is not empty, unless `force` is given and the demo wrote it.
    """
    from .run import run_study_in
    from .study_file import StudyPaths, read_study

    study = out / "study"
    if out.is_dir() and any(p.name != MARKER for p in out.iterdir()):
        if not force:
            raise InputError("the output folder is not empty", file=out, allowed="a new folder, or --force")
        if not study.is_dir():
            raise InputError("the folder was not made by the demo; it is left alone", file=out)
    with claim_folder(out, "study", force=force):
        study.mkdir()
        for item in _folder("demo").iterdir():
            (study / item.name).write_bytes(item.read_bytes())
        file = study / "demo.toml"
        places = StudyPaths.from_file(file, out, None)
        command = ["tagsuite", "study", str(file), "--out", str(out)]
        return run_study_in(read_study(file, places), places, command, jobs=jobs, say=say, show=show)


def _folder(name: str) -> Traversable:
    return resources.files("tagsuite.reports.study").joinpath(name)


def _text(name: str) -> str:
    return _folder("starter").joinpath(name).read_text(encoding="utf-8")


def _tagger_lines(tagger: str) -> str:
    """The study's lines about a tagger; options that it needs are there, to be filled in."""
    from ...harness.running.lookup import find_specification

    place, specification = find_specification(tagger)
    is_file = Path(tagger).is_file()
    lines = [f"tagger = {_quote(str(place.resolve()) if is_file else tagger)}"]
    needed = [n for n, o in specification.options.items() if o.required and o.default is None]
    if needed:
        lines.append(f"# It needs options: `tagsuite taggers show {tagger}` lists them.")
        lines.append("# options = { " + ", ".join(f'{name} = "…"' for name in needed) + " }")
    return "\n".join(lines)


def _check_corpus(corpus: str) -> str:
    """A corpus's place, made absolute, when it can be read and holds mentions."""
    from ...harness.running.folder.run_file import make_absolute, make_relative
    from ...sentences.formats import read_corpus

    found = read_corpus(corpus)
    if not len(found.mentions):
        raise InputError(
            "the corpus holds no mention",
            file=corpus,
            found=f"{len(found.texts)} texts",
            allowed="annotated text; `tagsuite sentences convert` shows what is read from it",
        )
    here = Path()
    return make_absolute(make_relative(corpus, here), here)


def _quote(text: str) -> str:
    # TOML's basic strings are JSON's, but for the delete character
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")

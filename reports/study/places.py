"""Where a study's files are: placeholders in its paths."""

from __future__ import annotations

import os
import re
from dataclasses import dataclass
from importlib import resources
from pathlib import Path

from ...catalogues.core.errors import InputError

PLACEHOLDER = re.compile(r"\{([a-z]+)\}")
PREFIX = re.compile(r"[A-Za-z][A-Za-z0-9_]+(?:\[[^\]]*\])?:")


def bundled_sentences() -> Path:
    """The folder of the bundled sentences (``{sentences}``)."""
    return Path(str(resources.files("tagsuite.sentences")))


@dataclass(frozen=True)
class Places:
    """The folders that a study's paths may name.

    Attributes
    ----------
    here : Path
        The study file's folder (``{here}``); bare relative paths begin there too.
    out : Path
        The study's results (``{out}``).
    data : Path or None
        Corpora that are not the project's (``{data}``): `--data`, or the variable TAGSUITE_DATA.
    """

    here: Path
    out: Path
    data: Path | None

    @classmethod
    def of(cls, file: Path, out: Path, data: Path | None) -> Places:
        """The places of a study file; `data` falls back on the environment."""
        named = data or (Path(v) if (v := os.environ.get("TAGSUITE_DATA")) else None)
        if named is not None and not named.is_dir():
            raise InputError(
                "the data folder is not there", file=named, allowed="--data DIR or TAGSUITE_DATA"
            )
        return cls(file.resolve().parent, out.resolve(), None if named is None else named.resolve())

    def fill(self, text: str) -> str:
        """Put folders in the place of ``{here}``, ``{out}`` and ``{data}``."""

        def folder(match: re.Match[str]) -> str:
            name = match[1]
            if name == "data" and self.data is None:
                raise InputError(
                    "the study names {data}, and no data folder is given",
                    allowed="--data DIR or TAGSUITE_DATA",
                )
            known = {"here": self.here, "out": self.out, "data": self.data, "sentences": bundled_sentences()}
            if name not in known:
                raise InputError(
                    "unknown placeholder", found=match[0], allowed=", ".join(f"{{{k}}}" for k in known)
                )
            return str(known[name])

        return PLACEHOLDER.sub(folder, text)

    def path(self, text: str) -> Path:
        """A file of the study: bare relative paths are seen from its folder."""
        return self.here / self.fill(text)

    def spec(self, text: str) -> str:
        """``FORMAT:PATH`` (or a suite folder) with its path made absolute."""
        filled = self.fill(text)
        match = PREFIX.match(filled)
        if match is None:
            return str(self.here / filled)
        return match[0] + str(self.here / filled[match.end() :])

    def tagger(self, text: str) -> str:
        """A bundled tagger's name as it is, a specification file as a path."""
        filled = self.fill(text)
        return str(self.here / filled) if filled.endswith(".toml") else filled

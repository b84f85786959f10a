"""The demo: a study on bundled material."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from importlib import resources
from pathlib import Path

import pandas as pd

from ...catalogues.core.errors import InputError
from .finishing import conclude


def demo(
    out: Path,
    *,
    jobs: int = 1,
    force: bool = False,
    say: Callable[[str], None],
    show: Callable[[str, pd.DataFrame], None],
) -> int:
    """Carry the bundled study out in a folder that then holds its file too, ready to be changed.

    Gives the exit status, as `conclude`.

    Raises
    ------
    InputError
        When the folder holds something already, unless `force` is given.
    """
    if out.exists() and any(out.iterdir()):
        if not force:
            raise InputError("the output folder is not empty", file=out, allowed="a new folder, or --force")
        if not (out / "study" / "demo.toml").is_file():
            raise InputError("the folder was not made by the demo; it is left alone", file=out)
        shutil.rmtree(out)
    study = out / "study"
    study.mkdir(parents=True)
    for item in resources.files("tagsuite.reports.study").joinpath("material").iterdir():
        if item.name.endswith(".toml"):
            (study / item.name).write_bytes(item.read_bytes())
    return conclude(study / "demo.toml", out, jobs=jobs, say=say, show=show)

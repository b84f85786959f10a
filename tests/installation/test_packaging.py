"""The package list and its data: everything that git tracks in the rooms is in the wheel's plan."""

from __future__ import annotations

import subprocess
import tomllib
from fnmatch import fnmatch
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent.parent
ROOMS = ("catalogues", "sentences", "generator", "harness", "reports")
SETTINGS = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["setuptools"]


def tracked() -> list[str]:
    command = ["git", "ls-files", "-z", *ROOMS]
    found = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    if found.returncode != 0:
        pytest.skip("not a git checkout")
    return [name for name in found.stdout.split("\0") if name and (ROOT / name).is_file()]


def test_every_package_is_listed() -> None:
    folders = {str(Path(name).parent) for name in tracked() if name.endswith("/__init__.py")}
    packages = {"tagsuite"} | {"tagsuite." + folder.replace("/", ".") for folder in folders}
    assert packages == set(SETTINGS["packages"])


def test_every_data_file_is_listed() -> None:
    packages = [p.removeprefix("tagsuite").removeprefix(".").replace(".", "/") for p in SETTINGS["packages"]]
    patterns = SETTINGS["package-data"]
    missing = []
    for name in tracked():
        home = max((p for p in packages if p and name.startswith(p + "/")), key=len)
        rest = name.removeprefix(home + "/")
        if name.endswith(".py") and "/" not in rest:
            continue
        mine = [*patterns.get("*", []), *patterns.get("tagsuite." + home.replace("/", "."), [])]
        if not any(fnmatch(rest, p) and rest.count("/") == p.count("/") for p in mine):
            missing.append(name)
    assert missing == []

"""Build the wheel, check its content, and run its command line outside the checkout."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import venv
import zipfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
CODE = {"catalogues", "sentences", "generator", "harness", "reports"}


def tracked() -> list[str]:
    """Return the files tracked by git."""
    command = ["git", "ls-files", "-z"]
    listed = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout
    return [name for name in listed.split("\0") if name and (ROOT / name).is_file()]


def build(folder: Path) -> Path:
    """Build a wheel from a copy of the files tracked by git."""
    copy = folder / "some-other-name"
    for name in tracked():
        (copy / name).parent.mkdir(parents=True, exist_ok=True)
        (copy / name).write_bytes((ROOT / name).read_bytes())
    subprocess.run(
        [sys.executable, "-m", "build", "--wheel", "--outdir", str(folder / "dist"), str(copy)],
        check=True,
        stdout=subprocess.DEVNULL,
    )
    (wheel,) = (folder / "dist").glob("*.whl")
    return wheel


def look_into(wheel: Path) -> None:
    """Check that the wheel has one top-level package with all modules and data, and nothing else."""
    names = set(zipfile.ZipFile(wheel).namelist())
    tops = {n.partition("/")[0] for n in names}
    if len(tops) != 2 or "tagsuite" not in tops:
        raise SystemExit(f"the wheel has more than one top-level name: {sorted(tops)}")
    inside = {n.removeprefix("tagsuite/") for n in names if n.startswith("tagsuite/")}
    expected = {name for name in tracked() if name.partition("/")[0] in CODE}
    expected |= {"__init__.py", "__main__.py", "py.typed"}
    if missing := sorted(expected - inside):
        raise SystemExit(f"not in the wheel: {missing}")
    if stray := sorted(inside - expected):
        raise SystemExit(f"in the wheel, but not in git or not the package's: {stray}")
    print(f"{wheel.name}: {len(inside)} files, nothing missing, nothing stray")


def try_out(wheel: Path, folder: Path) -> None:
    """Install the wheel in a new environment and run the command line from another folder."""
    # the libraries of this environment are seen through a path file: only tagsuite comes from the wheel
    target = folder / "environment"
    venv.create(target, with_pip=True)
    python = target / "bin" / "python"
    subprocess.run(
        [python, "-m", "pip", "install", "--quiet", "--no-deps", "--disable-pip-version-check", wheel],
        check=True,
    )
    libraries = next(p for p in map(Path, sys.path) if (p / "pandas").is_dir())
    (site,) = target.glob("lib/python3.*/site-packages")
    (site / "libraries.pth").write_text(f"{libraries}\n")
    environment = {k: v for k, v in os.environ.items() if not k.startswith("PYTHON")}
    elsewhere = folder / "elsewhere"
    elsewhere.mkdir()
    where = subprocess.run(
        [python, "-c", "import tagsuite; print(tagsuite.__file__)"],
        cwd=elsewhere,
        env=environment,
        capture_output=True,
        text=True,
        check=True,
    ).stdout.strip()
    if not where.startswith(str(site)):
        raise SystemExit(f"tagsuite was not imported from the wheel but from {where}")
    for arguments in (["--help"], ["catalogue", "count", "--by", "case"], ["demo", "--out", "demo"]):
        done = subprocess.run(
            [target / "bin" / "tagsuite", *arguments],
            cwd=elsewhere,
            env=environment,
            capture_output=True,
            text=True,
            check=False,
        )
        if done.returncode != 0:
            raise SystemExit(f"tagsuite {' '.join(arguments)} from the wheel: {done.stdout}{done.stderr}")
        print(f"tagsuite {' '.join(arguments)}: done")


def main() -> None:
    """Build, check and run the wheel."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        wheel = build(folder)
        look_into(wheel)
        try_out(wheel, folder)


if __name__ == "__main__":
    main()

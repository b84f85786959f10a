"""Take the README's picture: the first screen of the demo's report, in a headless Chromium."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

PICTURE = Path(__file__).parent / "images" / "report.png"
BROWSERS = ("chromium", "chromium-browser", "google-chrome")
SIZE = (1200, 1010)


def main() -> None:
    """Run the demo, open its report, keep what is seen."""
    browser = next(filter(None, map(shutil.which, BROWSERS)), None)
    if browser is None:
        print(f"no picture is taken: none of {', '.join(BROWSERS)} is here")
        return
    program = Path(sys.executable).with_name("tagsuite")
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        subprocess.run(
            [program, "demo", "--out", folder / "demo", "--quiet"], check=True, stdout=subprocess.DEVNULL
        )
        PICTURE.parent.mkdir(exist_ok=True)
        subprocess.run(
            [
                browser,
                "--headless=new",
                *(["--no-sandbox"] if os.geteuid() == 0 else []),
                "--disable-gpu",
                "--hide-scrollbars",
                "--force-color-profile=srgb",
                f"--user-data-dir={folder / 'profile'}",
                f"--window-size={SIZE[0]},{SIZE[1]}",
                "--virtual-time-budget=8000",
                f"--screenshot={PICTURE}",
                (folder / "demo" / "report.html").as_uri(),
            ],
            check=True,
            stderr=subprocess.DEVNULL,
        )
    print(PICTURE)


if __name__ == "__main__":
    main()

"""Trained model, stored as a ZIP archive that contains the CRF and a description of its training."""

from __future__ import annotations

import json
import zipfile
from pathlib import Path
from typing import Any

FORMAT = 1
CRF, ABOUT = "model.crfsuite", "about.json"


class ModelError(Exception):
    """Error raised for a file that is not a model file of the pos tagger."""


def save(path: Path, crf: bytes, about: dict[str, Any]) -> None:
    """Write a model file; equal models give identical bytes."""
    with zipfile.ZipFile(path, "w", compression=zipfile.ZIP_DEFLATED, compresslevel=6) as archive:
        for name, content in (
            (ABOUT, json.dumps({"format": FORMAT, **about}, indent=1, sort_keys=True).encode()),
            (CRF, crf),
        ):
            entry = zipfile.ZipInfo(name, (1980, 1, 1, 0, 0, 0))
            entry.compress_type = zipfile.ZIP_DEFLATED
            archive.writestr(entry, content)


def load(path: Path) -> tuple[bytes, dict[str, Any]]:
    """Read a model file; return the CRF and the description of its training.

    Raises
    ------
    ModelError
        If the file does not exist or was not written by `save`.
    """
    try:
        with zipfile.ZipFile(path) as archive:
            about = json.loads(archive.read(ABOUT))
            crf = archive.read(CRF)
    except OSError as error:
        raise ModelError(f"cannot read the model {path}: {error.strerror}") from None
    except (zipfile.BadZipFile, KeyError, ValueError):
        raise ModelError(f"{path} is not a model file of the pos tagger") from None
    if about.get("format") != FORMAT:
        raise ModelError(f"{path} has model format {about.get('format')}; this program reads format {FORMAT}")
    return crf, about

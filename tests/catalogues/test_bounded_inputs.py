"""Tests of the limits on inputs: size (compressed or not), pipes and devices, and depth of TOML."""

from __future__ import annotations

import gzip
import os
import subprocess
import threading
import zipfile
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from tagsuite.catalogues.core.errors import InputError
from tagsuite.catalogues.core.files import INPUT_MB_VARIABLE, digest_file, get_input_limit, read_text
from tagsuite.catalogues.core.parquet import read_table
from tagsuite.catalogues.core.toml import parse_toml
from tagsuite.catalogues.entities import read_entities
from tagsuite.catalogues.imports.lines import read_lines
from tagsuite.harness.tasks.bacteria_biotope.reading import read_files
from tagsuite.sentences.formats import read_corpus


def test_a_text_beyond_the_limit_is_refused_and_the_limit_can_be_raised(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "f"
    file.write_bytes(b"a" * (1 << 20) + b"\n")
    monkeypatch.setenv(INPUT_MB_VARIABLE, "1")
    with pytest.raises(InputError, match=r"larger than 1 MB.*--input-mb N"):
        read_text(file)
    monkeypatch.setenv(INPUT_MB_VARIABLE, "2")
    assert len(read_text(file)) == (1 << 20) + 1
    monkeypatch.setenv(INPUT_MB_VARIABLE, "much")
    with pytest.raises(InputError, match="must be a whole number of megabytes"):
        read_text(file)


@pytest.mark.parametrize(
    ("content", "line"),
    [(b"a\nb\xff\n", 2), (b"a\n\nb\0\n", 3), (b"\xef\xbb\xbfa\nb\0\n", 2), (b"a" * 63 + b"\n\xf0\x9d", 2)],
    ids=["no UTF-8", "NUL", "NUL after a byte order mark", "a character cut off"],
)
def test_what_is_no_text_is_refused_with_its_line(content: bytes, line: int, tmp_path: Path) -> None:
    file = tmp_path / "f"
    file.write_bytes(content)
    with pytest.raises(InputError) as caught:
        read_text(file)
    assert (caught.value.file, caught.value.line) == (str(file), line)
    file.write_bytes(b"\xef\xbb\xbf" + "β𝛼\r\n".encode() * 99)
    assert read_text(file) == "β𝛼\r\n" * 99


def test_a_sparse_file_is_not_read_into_memory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(INPUT_MB_VARIABLE, raising=False)
    assert get_input_limit() == 512 << 20
    monkeypatch.setenv(INPUT_MB_VARIABLE, "8")
    with (tmp_path / "f").open("wb") as stream:
        stream.truncate(20 << 30)
    with pytest.raises(InputError, match="larger than 8 MB"):
        read_corpus(f"jsonl:{tmp_path / 'f'}")


def test_a_gzip_bomb_ends_at_the_limit(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(INPUT_MB_VARIABLE, "4")
    lines = (b"ab" * 30 + b"\n") * (1 << 17)
    for content in (b"\0" * (17 << 20), lines):
        (tmp_path / "f.gz").write_bytes(gzip.compress(content))
        with pytest.raises(InputError, match="unpacks to more than 4 MB"):
            list(read_lines(tmp_path / "f.gz"))
    monkeypatch.setenv(INPUT_MB_VARIABLE, "64")
    assert len(list(read_lines(tmp_path / "f.gz"))) == 1 << 17


def test_a_zip_bomb_is_refused_before_it_is_unpacked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(INPUT_MB_VARIABLE, "1")
    with zipfile.ZipFile(tmp_path / "f.zip", "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("d.txt", b"a" * (2 << 20))
    with pytest.raises(InputError, match="unpacks to more than 1 MB"):
        read_files(tmp_path / "f.zip")


def test_a_parquet_file_beyond_the_limit_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    numbers = np.random.default_rng(0).integers(0, 2**62, 200_000)
    pq.write_table(pa.table({"a": numbers}), tmp_path / "f")
    monkeypatch.setenv(INPUT_MB_VARIABLE, "1")
    with pytest.raises(InputError, match="larger than 1 MB"):
        read_table(tmp_path / "f")
    monkeypatch.setenv(INPUT_MB_VARIABLE, "2")
    assert read_table(tmp_path / "f").num_rows == 200_000


TEXT = b'{"text_id": "a", "text": "p53"}\n'


def test_a_named_pipe_is_read_once_and_its_digest_known(tmp_path: Path) -> None:
    """Test an input such as ``--gold jsonl:<(zcat gold.gz)``, for which the shell creates a pipe."""
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    (tmp_path / "f").write_bytes(TEXT)
    feeder = threading.Thread(target=pipe.write_bytes, args=(TEXT,), daemon=True)
    feeder.start()
    assert read_corpus(f"jsonl:{pipe}").texts["text"].tolist() == ["p53"]
    assert digest_file(pipe) == digest_file(tmp_path / "f")
    feeder.join()


def test_a_pipe_beyond_the_limit_ends(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(INPUT_MB_VARIABLE, "1")
    with subprocess.Popen(["cat", "/dev/zero"], stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        with pytest.raises(InputError, match="is larger than 1 MB"):
            read_text(f"/dev/fd/{process.stdout.fileno()}")
        process.kill()


@pytest.mark.parametrize("pack", [bytes, gzip.compress])
def test_an_import_reads_a_pipe(pack: Callable[[bytes], bytes]) -> None:
    reading, writing = os.pipe()
    os.write(writing, pack(b"p53\nIL-2\n"))
    os.close(writing)
    assert [line for _, line in read_lines(f"/dev/fd/{reading}")] == ["p53", "IL-2"]
    os.close(reading)


@pytest.mark.parametrize("device", ["/dev/zero", "/dev/null", "/dev/urandom"])
def test_devices_are_refused(device: str) -> None:
    for read in (
        lambda: read_corpus(f"jsonl:{device}"),
        lambda: read_entities(device),
        lambda: list(read_lines(device)),
        lambda: read_corpus(f"bioc:{device}"),
    ):
        with pytest.raises(InputError, match="this is a device or socket, not a file"):
            read()


TOO_DEEP = [
    "a = " + "[" * 100_000,
    "a = " + "{a = " * 100_000,
    "a." * 100_000 + "a = 1",
    '"a b" . ' * 100_000 + "a = 1",
    "[" + "a." * 100_000 + "a]\n",
    "a = " + "9" * 5000,
]


@pytest.mark.parametrize("text", TOO_DEEP, ids=[text[:5] for text in TOO_DEEP])
def test_toml_that_cannot_be_read(text: str) -> None:
    with pytest.raises(InputError, match=r"f\.toml: not valid TOML"):
        parse_toml(text, "f.toml")


@pytest.mark.parametrize(
    "text", ["a = [" + ",".join(["0.25"] * 200) + "]", "# " + "." * 200 + "\na = 1", f'a = "{"." * 500}"']
)
def test_toml_with_many_dots(text: str) -> None:
    assert "a" in parse_toml(text, "f.toml")

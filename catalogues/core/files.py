"""Files: written whole or not at all, read, digested; and files that are part of the package."""

from __future__ import annotations

import contextlib
import errno
import hashlib
import io
import os
import re
import secrets
import shutil
import stat
import sys
import tempfile
from collections.abc import Iterable, Iterator
from importlib import resources
from pathlib import Path
from typing import IO, Any

from .errors import InputError

DEFAULT_INPUT_MB = 512
"""How much one input may hold, in megabytes; `INPUT_MB_VARIABLE` changes it."""
INPUT_MB_VARIABLE = "TAGSUITE_INPUT_MB"
"""Holds the limit in megabytes: an environment variable, since worker processes must know it too."""
MAX_UNPACK_RATIO = 20
"""What a packed file unpacks to may be so many times its size where that is more than the limit."""
DISK_FULL_ERRORS = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)
"""What the system reports for a full disk."""
MARKER = ".tagsuite.toml"
"""The file that marks a folder as one that a command wrote (see `output_folder`); no part of its content."""
_STREAM = re.compile(r"(?:/dev/fd|/proc/self/fd)/(\d+)|/dev/std(out|err)")
# what came through each pipe, by device, inode and time of the last write: readers look at a file repeatedly
_PIPES: dict[tuple[int, int, int], bytes] = {}


@contextlib.contextmanager
def atomic_path(path: str | os.PathLike[str], *, durable: bool = False) -> Iterator[Path]:
    """Give a temporary path in the target's folder; rename it onto the target when the block ends well.

    When the block raises, the temporary file is removed and an earlier target stays as it was. Where the
    target is a link, the file that it points to is replaced. A device or pipe is not replaced but written to,
    and an open stream (``/dev/stdout``, ``/dev/fd/3``) is continued, wherever it has been redirected.
    A `durable` file is on the disk, and its name too, when this returns: it survives a power cut.

    Raises
    ------
    InputError
        When a folder stands at the target, or a file where one of its folders should be; a full disk.
    """
    target = Path(path)
    if target.is_dir():
        raise InputError("the output is a folder, not a file", file=target, allowed="a file")
    with report_full_disk(target):
        descriptor = _open_stream_number(target)
        if descriptor is not None or (target.exists() and not target.is_file()):
            with _copy_when_done(target, descriptor) as temporary:
                yield temporary
        else:
            with _rename_when_done(Path(os.path.realpath(target)), durable=durable) as temporary:
                yield temporary


def _open_stream_number(target: Path) -> int | None:
    """Return the number of the open stream that a path stands for; None for any other path."""
    match = _STREAM.fullmatch(os.path.abspath(target))  # noqa: PTH100 - links stay as they are
    if match is None:
        return None
    return int(match[1]) if match[1] else 1 if match[2] == "out" else 2


@contextlib.contextmanager
def _copy_when_done(target: Path, descriptor: int | None) -> Iterator[Path]:
    with tempfile.TemporaryDirectory(prefix="tagsuite-") as folder:
        temporary = Path(folder) / "output"
        yield temporary
        try:
            for stream in (sys.stdout, sys.stderr):
                if stream is not None:
                    stream.flush()
            with (
                temporary.open("rb") as source,
                open(target if descriptor is None else os.dup(descriptor), "wb") as output,  # noqa: PTH123
            ):
                shutil.copyfileobj(source, output)
        except OSError as error:
            if error.errno != errno.EBADF:
                raise
            raise InputError("the stream is not open for writing", file=target) from None


@contextlib.contextmanager
def report_full_disk(target: Path) -> Iterator[None]:
    """Raise InputError with the output's name for a full disk; the system names a temporary file or none."""
    try:
        yield
    except OSError as error:
        if error.errno not in DISK_FULL_ERRORS:
            raise
        raise InputError(
            f"cannot be written ({os.strerror(error.errno)})",
            file=target,
            allowed="room on that disk, then the same command again",
        ) from None


@contextlib.contextmanager
def _rename_when_done(target: Path, *, durable: bool) -> Iterator[Path]:
    make_folder(target.parent)
    temporary = target.with_name(f".{target.name}.{secrets.token_hex(4)}.part")
    try:
        yield temporary
        if durable:
            sync_to_disk(temporary)
        temporary.replace(target)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise
    if durable:
        sync_to_disk(target.parent)


def sync_to_disk(path: str | os.PathLike[str]) -> None:
    """Wait until a file's bytes, or a folder's names, are on the disk."""
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    except OSError as error:
        # some file systems cannot sync a folder; any other error is a failed write
        if error.errno not in (errno.EINVAL, errno.ENOTSUP):
            raise
    finally:
        os.close(handle)


def make_folder(folder: Path) -> None:
    """Make a folder and those above it, unless they exist; raise InputError for a file in their place."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except (FileExistsError, NotADirectoryError):
        raise InputError("the output's folder is a file", file=folder, allowed="a folder") from None
    except PermissionError:
        raise InputError("the output's folder may not be made", file=folder) from None


@contextlib.contextmanager
def atomic_text(path: str | os.PathLike[str], *, durable: bool = False) -> Iterator[IO[str]]:
    r"""Open a UTF-8 text file (lines end with ``\n`` alone) that replaces `path` when the block ends well."""
    with (
        atomic_path(path, durable=durable) as temporary,
        temporary.open("w", encoding="utf-8", newline="\n") as stream,
    ):
        yield stream


def write_bytes(path: str | os.PathLike[str], content: bytes) -> None:
    """Write a file that replaces `path` once it is whole."""
    with atomic_path(path) as temporary:
        temporary.write_bytes(content)


def digest_bytes(*parts: bytes) -> str:
    """SHA-256 over the parts, each preceded by its length, as 64 hexadecimal digits."""
    total = hashlib.sha256()
    for part in parts:
        total.update(len(part).to_bytes(8, "big"))
        total.update(part)
    return total.hexdigest()


def digest_file(path: str | os.PathLike[str]) -> str:
    """SHA-256 of a file's bytes, as 64 hexadecimal digits."""
    with open_input(path) as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()  # type: ignore[arg-type]


def digest_files(named: Iterable[tuple[str, Path]]) -> str:
    """SHA-256 of several files and what each is called, as 64 hexadecimal digits."""
    return digest_bytes(*(f"{name}\0{digest_file(path)}".encode() for name, path in named))


def digest_path(path: str | os.PathLike[str]) -> str:
    """SHA-256 of a file, or of a folder's files by sorted relative name.

    Files that Python compiled are left out: they come with the first run or the installation, hold times, and
    add nothing to the program. So is the marker of a folder that a command wrote.
    """
    root = Path(path)
    if not root.is_dir():
        return digest_file(root)
    found = (p for p in root.rglob("*") if p.is_file())
    names = sorted(p for p in found if not {"__pycache__", MARKER} & set(p.relative_to(root).parts))
    return digest_files((p.relative_to(root).as_posix(), p) for p in names)


def get_input_limit() -> int:
    """The limit in bytes.

    Raises
    ------
    InputError
        When the environment variable holds no number of megabytes.
    """
    given = os.environ.get(INPUT_MB_VARIABLE, "")
    if not given:
        return DEFAULT_INPUT_MB << 20
    if not (given.isascii() and given.isdecimal() and 0 < len(given) <= 9 and int(given)):
        raise InputError(f"{INPUT_MB_VARIABLE} is no number of megabytes", found=given, allowed="1, 2, 3, …")
    return int(given) << 20


def get_unpacked_limit(size: int) -> int:
    """The limit in bytes on what a packed file of `size` bytes may unpack to."""
    return max(get_input_limit(), MAX_UNPACK_RATIO * size)


def too_large_error(path: str | os.PathLike[str], limit: int, *, packed: bool = False) -> InputError:
    """The error of an input beyond its limit, which says how to raise it."""
    return InputError(
        f"the file {'unpacks to' if packed else 'holds'} more than {limit >> 20} MB",
        file=path,
        allowed=f"a smaller one; to raise the limit: tagsuite --input-mb N …, or {INPUT_MB_VARIABLE}=N",
    )


def read_bytes(path: str | os.PathLike[str], allowed: str | None = None) -> bytes:
    """Read a whole file, or a pipe to its end, up to the limit on input.

    Raises
    ------
    InputError
        When the file is missing, a folder, a device, may not be read, or holds more than the limit.
    """
    limit = get_input_limit()
    with open_input(path, allowed) as stream:
        content = stream.read(limit + 1)
    if len(content) > limit:
        raise too_large_error(path, limit)
    return content


def read_text(path: str | os.PathLike[str]) -> str:
    """Read a UTF-8 text file (a byte order mark is dropped), or say which byte is not UTF-8.

    Raises
    ------
    InputError
        As `read_bytes`, and when the file is not UTF-8.
    """
    return decode_utf8(read_bytes(path), path)


def open_input(path: str | os.PathLike[str], allowed: str | None = None) -> IO[bytes]:
    """Open a file to read its bytes. A pipe is read to its end first, and may be opened again.

    Raises
    ------
    InputError
        When the file is missing, a folder, a device or socket, or may not be read; the message has `allowed`.
    """
    source = Path(path)
    try:
        mode = source.stat().st_mode
        if stat.S_ISFIFO(mode):
            return io.BytesIO(_read_pipe(source))
        if not (stat.S_ISREG(mode) or stat.S_ISDIR(mode)):
            problem = "a device or socket stands where a file is needed"
            raise InputError(problem, file=path, allowed=allowed or "a file or a pipe")
        return source.open("rb")
    except (FileNotFoundError, NotADirectoryError):
        raise InputError("no such file", file=path, allowed=allowed) from None
    except IsADirectoryError:
        raise InputError("a folder stands where a file is needed", file=path, allowed=allowed) from None
    except PermissionError:
        raise InputError("the file may not be read", file=path) from None
    except ValueError:
        raise InputError("a path cannot hold a NUL character", found=str(path)) from None


def _read_pipe(path: Path) -> bytes:
    if _pipe_key(path) not in _PIPES:
        limit = get_input_limit()
        with path.open("rb") as stream:
            content = stream.read(limit + 1)
        if len(content) > limit:
            raise too_large_error(path, limit)
        # the time of the last write is now known
        _PIPES[_pipe_key(path)] = content
    return _PIPES[_pipe_key(path)]


def _pipe_key(path: Path) -> tuple[int, int, int]:
    status = path.stat()
    return status.st_dev, status.st_ino, status.st_mtime_ns


def decode_utf8(content: bytes, file: str | os.PathLike[str] | None = None, first_line: int = 1) -> str:
    """Decode UTF-8 (a byte order mark is dropped), or raise InputError with the first wrong byte's line.

    A NUL is valid UTF-8 but stands in no text: a sign of UTF-16, or of a file that is no text.
    """
    try:
        text = content.decode("utf-8-sig")
        if "\0" in text:
            raise InputError(
                "the text holds a NUL character",
                file=file,
                line=content.count(b"\n", 0, content.index(0)) + first_line,
                found="byte 0x00",
                allowed="UTF-8 text",
            )
        return text
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + first_line
        utf16 = content[:2] in (b"\xff\xfe", b"\xfe\xff")
        raise InputError(
            "the text is not UTF-8" + (" (it looks like UTF-16)" if utf16 else ""),
            file=file,
            line=line,
            found=f"byte 0x{content[error.start]:02x}",
            allowed="UTF-8 text",
        ) from None


def read_bundled_bytes(package: str, *path: str) -> bytes:
    """The content of a file below a package's folder."""
    return resources.files(package).joinpath(*path).read_bytes()


def read_bundled_text(package: str, *path: str) -> str:
    """The text of a file below a package's folder."""
    return decode_utf8(read_bundled_bytes(package, *path), path[-1])


def read_bundled_toml(package: str, *path: str) -> dict[str, Any]:
    """The content of a TOML file below a package's folder."""
    # imported where it is needed: most commands read none of these
    import tomllib

    return tomllib.loads(read_bundled_text(package, *path))


def read_bundled_rows(package: str, *path: str) -> list[list[str]]:
    """The tab-separated rows of a file below a package's folder, without empty lines and those of remarks.

    Remarks are lines that begin with ``#``.
    """
    lines = read_bundled_text(package, *path).splitlines()
    return [line.split("\t") for line in lines if line and not line.startswith("#")]


def read_bundled_files(package: str, stem: str, suffix: str = ".xml") -> list[tuple[str, bytes]]:
    """Names and contents of the files of a package's folder that begin and end so, by name."""
    folder = resources.files(package)
    names = sorted(i.name for i in folder.iterdir() if i.name.startswith(stem) and i.name.endswith(suffix))
    return [(name, folder.joinpath(name).read_bytes()) for name in names]

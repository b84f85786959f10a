"""Functions that read files, write them atomically, compute checksums, and read bundled files."""

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
"""Default maximum size of one input file, in megabytes; see `INPUT_MB_VARIABLE`."""
INPUT_MB_VARIABLE = "TAGSUITE_INPUT_MB"
"""Name of the environment variable that sets the maximum size of one input file, in megabytes."""
MAX_UNPACK_RATIO = 20
"""Maximum ratio of unpacked to compressed size, for files whose unpacked size exceeds the input limit."""
DISK_FULL_ERRORS = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)
"""Error numbers (errno) for a full disk, an exceeded quota and an exceeded file size limit."""
MARKER = ".tagsuite.toml"
"""Name of the marker file in output folders (see `output_folder`); it is excluded from checksums."""
_STREAM = re.compile(r"(?:/dev/fd|/proc/self/fd)/(\d+)|/dev/std(out|err)")
# content read from each pipe, by device, inode and time of the last write: readers open a file repeatedly
_PIPES: dict[tuple[int, int, int], bytes] = {}


@contextlib.contextmanager
def atomic_path(path: str | os.PathLike[str], *, durable: bool = False) -> Iterator[Path]:
    """Yield a temporary path in the target's folder; rename it to the target if the block succeeds.

    If the block raises an exception, the temporary file is removed and an existing target is left unchanged.
    If the target is a link, the file that it points to is replaced. Devices and pipes are not replaced: the
    output is written to them. Output to an open stream (``/dev/stdout``, ``/dev/fd/3``) is appended to it.

    Parameters
    ----------
    path : path
        Path of the file to write.
    durable : bool
        Flush the file and its directory entry to disk before returning, so that they survive a power failure.

    Raises
    ------
    InputError
        If the target is a folder, one of its parent folders is a file, or the disk is full.
    """
    target = Path(path)
    if target.is_dir():
        raise InputError("the output is a folder, not a file", file=target)
    with report_full_disk(target):
        descriptor = _open_stream_number(target)
        if descriptor is not None or (target.exists() and not target.is_file()):
            with _copy_when_done(target, descriptor) as temporary:
                yield temporary
        else:
            with _rename_when_done(Path(os.path.realpath(target)), durable=durable) as temporary:
                yield temporary


def _open_stream_number(target: Path) -> int | None:
    """Return the file descriptor of a path such as ``/dev/fd/3``, or None for any other path."""
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
    """Raise InputError that names `target` if the block fails because the disk is full."""
    try:
        yield
    except OSError as error:
        if error.errno not in DISK_FULL_ERRORS:
            raise
        raise InputError(
            f"the output cannot be written ({os.strerror(error.errno)}); "
            "free some space on this disk and run the command again",
            file=target,
        ) from None


@contextlib.contextmanager
def _rename_when_done(target: Path, *, durable: bool) -> Iterator[Path]:
    make_folder(target.parent)
    temporary = make_temporary_path(target)
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


def make_temporary_path(target: Path) -> Path:
    """Return a new hidden path in the target's folder, for a file or folder that is not yet complete."""
    return target.with_name(f".{target.name}.{secrets.token_hex(4)}.part")


def sync_to_disk(path: str | os.PathLike[str]) -> None:
    """Flush a file's content, or a folder's entries, to disk."""
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
    """Create a folder and its parents; raise InputError if the path is a file or permission is denied."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except (FileExistsError, NotADirectoryError):
        raise InputError(
            "the output folder cannot be created, because its path or a parent path is a file", file=folder
        ) from None
    except PermissionError:
        raise InputError("no permission to create the output folder", file=folder) from None


@contextlib.contextmanager
def atomic_text(path: str | os.PathLike[str], *, durable: bool = False) -> Iterator[IO[str]]:
    r"""Open a temporary UTF-8 text file (line ends ``\n``), which replaces `path` if the block succeeds."""
    with (
        atomic_path(path, durable=durable) as temporary,
        temporary.open("w", encoding="utf-8", newline="\n") as stream,
    ):
        yield stream


def write_bytes(path: str | os.PathLike[str], content: bytes) -> None:
    """Write bytes to the file `path` atomically."""
    with atomic_path(path) as temporary:
        temporary.write_bytes(content)


def digest_bytes(*parts: bytes) -> str:
    """Return one SHA-256 checksum of several byte strings and their lengths, as 64 hexadecimal digits."""
    total = hashlib.sha256()
    for part in parts:
        total.update(len(part).to_bytes(8, "big"))
        total.update(part)
    return total.hexdigest()


def digest_file(path: str | os.PathLike[str]) -> str:
    """Return the SHA-256 checksum of a file, as 64 hexadecimal digits."""
    with open_input(path) as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()  # type: ignore[arg-type]


def digest_files(named: Iterable[tuple[str, Path]]) -> str:
    """Return one SHA-256 checksum of several files and their names, as 64 hexadecimal digits."""
    return digest_bytes(*(f"{name}\0{digest_file(path)}".encode() for name, path in named))


def digest_path(path: str | os.PathLike[str]) -> str:
    """Return the SHA-256 checksum of a file, or of all files in a folder and their relative paths.

    ``__pycache__`` folders and the marker files of output folders are ignored.
    """
    root = Path(path)
    if not root.is_dir():
        return digest_file(root)
    paths = (p for p in root.rglob("*") if p.is_file())
    names = sorted(p for p in paths if not {"__pycache__", MARKER} & set(p.relative_to(root).parts))
    return digest_files((p.relative_to(root).as_posix(), p) for p in names)


def get_input_limit() -> int:
    """Return the maximum size of one input file, in bytes.

    Raises
    ------
    InputError
        If the environment variable `INPUT_MB_VARIABLE` is not a positive whole number.
    """
    text = os.environ.get(INPUT_MB_VARIABLE, "")
    if not text:
        return DEFAULT_INPUT_MB << 20
    if not (text.isascii() and text.isdecimal() and 0 < len(text) <= 9 and int(text)):
        raise InputError(
            f"{INPUT_MB_VARIABLE} must be a whole number of megabytes", found=text, allowed="1, 2, 3, …"
        )
    return int(text) << 20


def get_unpacked_limit(size: int) -> int:
    """Return the maximum unpacked size, in bytes, of a compressed file of `size` bytes."""
    return max(get_input_limit(), MAX_UNPACK_RATIO * size)


def too_large_error(path: str | os.PathLike[str], limit: int, *, packed: bool = False) -> InputError:
    """Return the error for an input file larger than `limit` bytes."""
    return InputError(
        f"the file {'unpacks to more' if packed else 'is larger'} than {limit >> 20} MB; "
        f"to raise the limit, use tagsuite --input-mb N … or set {INPUT_MB_VARIABLE}=N",
        file=path,
    )


def read_bytes(path: str | os.PathLike[str], allowed: str | None = None) -> bytes:
    """Return the content of a file or pipe.

    Raises
    ------
    InputError
        If the file is missing, is a folder or device, cannot be read, or exceeds the maximum input size.
    """
    with open_input(path, allowed) as stream:
        return _read_limited(stream, path)


def _read_limited(stream: IO[bytes], path: str | os.PathLike[str]) -> bytes:
    limit = get_input_limit()
    content = stream.read(limit + 1)
    if len(content) > limit:
        raise too_large_error(path, limit)
    return content


def read_text(path: str | os.PathLike[str]) -> str:
    """Return the text of a UTF-8 file, without a byte order mark.

    Raises
    ------
    InputError
        If the file is not UTF-8, or `read_bytes` cannot read it.
    """
    return decode_utf8(read_bytes(path), path)


def open_input(path: str | os.PathLike[str], allowed: str | None = None) -> IO[bytes]:
    """Open a file for reading bytes.

    A pipe is first read to its end, so that it can be opened several times.

    Parameters
    ----------
    path : path
        Path of a file or pipe.
    allowed : str, optional
        The expected kind of file, shown in error messages.

    Raises
    ------
    InputError
        If the file is missing, is a folder, device or socket, or cannot be read.
    """
    source = Path(path)
    try:
        mode = source.stat().st_mode
        if stat.S_ISFIFO(mode):
            return io.BytesIO(_read_pipe(source))
        if not (stat.S_ISREG(mode) or stat.S_ISDIR(mode)):
            problem = "this is a device or socket, not a file"
            raise InputError(problem, file=path, allowed=allowed or "a file or a pipe")
        return source.open("rb")
    except (FileNotFoundError, NotADirectoryError):
        raise InputError("no such file", file=path, allowed=allowed) from None
    except IsADirectoryError:
        raise InputError("this is a folder, not a file", file=path, allowed=allowed) from None
    except PermissionError:
        raise InputError("no permission to read the file", file=path) from None
    except ValueError:
        raise InputError("a path cannot contain a NUL character", found=str(path)) from None


def _read_pipe(path: Path) -> bytes:
    if _pipe_key(path) not in _PIPES:
        with path.open("rb") as stream:
            content = _read_limited(stream, path)
        # compute the key again: reading to the end has fixed the time of the last write
        _PIPES[_pipe_key(path)] = content
    return _PIPES[_pipe_key(path)]


def _pipe_key(path: Path) -> tuple[int, int, int]:
    status = path.stat()
    return status.st_dev, status.st_ino, status.st_mtime_ns


def decode_utf8(content: bytes, file: str | os.PathLike[str] | None = None, first_line: int = 1) -> str:
    """Decode UTF-8 text and remove a byte order mark; the error for an invalid byte shows its line.

    A NUL character is also an error, because it indicates UTF-16 or a binary file.
    """
    try:
        text = content.decode("utf-8-sig")
        if "\0" in text:
            raise InputError(
                "the text contains a NUL character",
                file=file,
                line=content.count(b"\n", 0, content.index(0)) + first_line,
                found="byte 0x00",
                allowed="UTF-8 text",
            )
        return text
    except UnicodeDecodeError as error:
        utf16 = content[:2] in (b"\xff\xfe", b"\xfe\xff")
        raise InputError(
            "the text is not UTF-8" + (" (it looks like UTF-16)" if utf16 else ""),
            file=file,
            line=content.count(b"\n", 0, error.start) + first_line,
            found=f"byte 0x{content[error.start]:02x}",
            allowed="UTF-8 text",
        ) from None


def read_bundled_bytes(package: str, *path: str) -> bytes:
    """Return the bytes of a data file bundled with a package."""
    return resources.files(package).joinpath(*path).read_bytes()


def read_bundled_text(package: str, *path: str) -> str:
    """Return the text of a data file bundled with a package."""
    return decode_utf8(read_bundled_bytes(package, *path), path[-1])


def read_bundled_toml(package: str, *path: str) -> dict[str, Any]:
    """Return the parsed content of a TOML file bundled with a package."""
    # imported here because most commands read no TOML
    import tomllib

    return tomllib.loads(read_bundled_text(package, *path))


def read_bundled_rows(package: str, *path: str) -> list[list[str]]:
    """Return the tab-separated rows of a bundled file; empty lines and ``#`` comments are skipped."""
    lines = read_bundled_text(package, *path).splitlines()
    return [line.split("\t") for line in lines if line and not line.startswith("#")]


def read_bundled_files(package: str, stem: str, suffix: str = ".xml") -> list[tuple[str, bytes]]:
    """Return name and content of each bundled file whose name begins with `stem` and ends with `suffix`."""
    files = (f for f in resources.files(package).iterdir() if f.name.startswith(stem))
    return sorted((f.name, f.read_bytes()) for f in files if f.name.endswith(suffix))

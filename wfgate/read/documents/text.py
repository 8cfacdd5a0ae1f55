"""Files to text: only regular files in UTF-8 with a limited size."""

from pathlib import Path
from stat import S_ISDIR, S_ISREG

from wfgate.errors import FormatError
from wfgate.read.documents.limits import MAX_BYTES
from wfgate.read.documents.positions import Positions


def load_text(path: Path) -> str:
    """Return the text of a file.

    Raises:
        FormatError: If the file does not exist, is a folder or device, is too large, is binary, or is not UTF-8.
    """
    return decode(load_bytes(path), str(path))


def load_bytes(path: Path) -> bytes:
    """Return the content of a file.

    Raises:
        FormatError: If the file does not exist, is a folder or device, or is too large.
    """
    name = str(path)
    try:
        status = path.stat()
        if not S_ISREG(status.st_mode):  # reading a pipe or a device may never end
            kind = "a folder" if S_ISDIR(status.st_mode) else "not a regular file"
            raise FormatError(f"cannot be read: it is {kind}", path=name, fix="give the path of a workflow file")
        check_size(status.st_size, name)
        return path.read_bytes()
    except (OSError, ValueError) as problem:
        reason = problem.strerror if isinstance(problem, OSError) and problem.strerror else str(problem)
        raise FormatError(f"cannot be read: {reason.lower()}", path=name, fix="check the path") from problem


def decode(content: bytes, name: str) -> str:
    r"""Return the text of a file's bytes, which are UTF-8 with or without a byte order mark.

    Raises:
        FormatError: If the content is too large, binary, or not UTF-8.

    Example:
        >>> decode(b"\xef\xbb\xbfname: x", "example")
        'name: x'
    """
    check_size(len(content), name)
    if content.startswith((b"\xff\xfe", b"\xfe\xff")):
        raise FormatError("the file is UTF-16", path=name, line=1, column=1, fix="save the file as UTF-8")
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError as problem:
        valid = content[: problem.start].decode("utf-8-sig", "replace")
        message = f"the byte 0x{problem.object[problem.start]:02x} is not UTF-8"
        raise _error(valid, len(valid), message, name, "save the file as UTF-8") from None
    check_text(text, name)
    return text


def check_text(text: str, name: str) -> None:
    """Check that readers can process a text.

    Raises:
        FormatError: If the text contains a NUL character or a lone surrogate, or is too large.
    """
    try:
        size = len(text) if text.isascii() else len(text.encode("utf-8"))
    except UnicodeEncodeError as problem:
        raise _error(
            text,
            problem.start,
            "the text has an unpaired surrogate, which is not valid Unicode",
            name,
            "replace it by the complete character",
        ) from None
    check_size(size, name)
    nul = text.find("\0")
    if nul >= 0:
        raise _error(text, nul, "the file is binary: it contains a NUL byte", name, "give the path of a text file")


def check_size(size: int, name: str) -> None:
    """Check that a file or text is not too large.

    Raises:
        FormatError: If `size` (in bytes) is larger than `MAX_BYTES`.
    """
    if size > MAX_BYTES:
        raise FormatError(
            f"the file has {size:,} bytes; the limit is {MAX_BYTES:,} bytes",
            path=name,
            fix="split the file, for example into one file per workflow",
        )


def _error(text: str, offset: int, message: str, name: str, fix: str) -> FormatError:
    span = Positions(text).span(offset)
    return FormatError(message, path=name, line=span.line, column=span.column, fix=fix)

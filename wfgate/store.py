"""A cache file in SQLite: small values under the hash of their inputs.

The cache affects speed only, never results. Errors of the file (locked, full, damaged, deleted, not writable) are
therefore ignored, and the values are computed again. Each value is stored with a hash of key and value to detect
damage.
"""

import hashlib
import os
import sqlite3
import tempfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from pathlib import Path

CAPACITY = 500_000_000
"""Size limit of the file in bytes; beyond it the oldest tenth of the values is deleted. A meaning score takes about
150 bytes, the token vectors of a step up to 150 kB."""
_HASH = 8
_PAGES = ("page_count", "freelist_count", "page_size")
_AT_ONCE = 500
_WAIT = 5.0
"""Seconds to wait for another writing process; after that the file is not used."""


class Store:
    """A cache file that any number of processes can share.

    Args:
        path: The file; its folder is created when the first value is written.
        capacity: Approximate size limit in bytes.
    """

    def __init__(self, path: Path, capacity: int = CAPACITY) -> None:
        self.path = path
        self.capacity = capacity
        self._wait = _WAIT

    def read(self, keys: Sequence[bytes]) -> dict[bytes, bytes]:
        """Return the stored values of these keys; missing keys are left out."""
        found: dict[bytes, bytes] = {}
        with self._tolerant():
            if keys and self.path.is_file():
                self._read(keys, found)
        return found

    def _read(self, keys: Sequence[bytes], found: dict[bytes, bytes]) -> None:
        with closing(self._connect()) as connection:
            for first in range(0, len(keys), _AT_ONCE):
                some = keys[first : first + _AT_ONCE]
                marks = ",".join("?" * len(some))
                query = f"SELECT key, value FROM known WHERE key IN ({marks})"  # noqa: S608 - question marks only
                for key, kept in connection.execute(query, some):
                    value = bytes(kept)[_HASH:]
                    if _hash(bytes(key), value) == bytes(kept)[:_HASH]:
                        found[bytes(key)] = value

    def write(self, values: Mapping[bytes, bytes]) -> None:
        """Store values; a damaged file is deleted and created again."""
        if not values:
            return
        rows = [(key, _hash(key, value) + value) for key, value in values.items()]
        with self._tolerant():
            self.path.parent.mkdir(parents=True, exist_ok=True)
            try:
                self._write(rows)
            except sqlite3.OperationalError:
                raise  # locked or full: the content may be intact
            except sqlite3.DatabaseError:
                for suffix in ("", "-wal", "-shm"):
                    Path(f"{self.path}{suffix}").unlink(missing_ok=True)
                self._write(rows)

    def _write(self, rows: Iterable[tuple[bytes, bytes]]) -> None:
        with closing(self._connect()) as connection, connection:
            connection.execute("CREATE TABLE IF NOT EXISTS known (key BLOB UNIQUE, value BLOB)")
            connection.executemany("INSERT OR IGNORE INTO known VALUES (?, ?)", rows)
            pages, free, size = (connection.execute(f"PRAGMA {name}").fetchone()[0] for name in _PAGES)
            if (pages - free) * size > self.capacity:  # row ids are in order of insertion
                first, last = connection.execute("SELECT min(rowid), max(rowid) FROM known").fetchone()
                connection.execute("DELETE FROM known WHERE rowid <= ?", (first + (last - first) // 10,))

    def _connect(self) -> sqlite3.Connection:
        connection = sqlite3.connect(self.path, timeout=self._wait)
        connection.execute("PRAGMA journal_mode=WAL")
        connection.execute("PRAGMA synchronous=NORMAL")
        return connection

    @contextmanager
    def _tolerant(self) -> Iterator[None]:
        try:
            yield
        except sqlite3.OperationalError as error:
            if "locked" in str(error):  # do not wait a second time
                self._wait = 0.0
        except (
            OSError,
            sqlite3.Error,
            ValueError,
            TypeError,
        ):  # the latter two for a damaged file with other types
            return


def _hash(key: bytes, value: bytes) -> bytes:
    return hashlib.blake2b(key + value, digest_size=_HASH).digest()


def key_of(*parts: str) -> bytes:
    """Return a cache key, 16 bytes: a hash of the texts that a value is computed from."""
    digest = hashlib.sha256()
    for part in parts:
        data = part.encode("utf-8", "surrogatepass")
        digest.update(len(data).to_bytes(8))
        digest.update(data)
    return digest.digest()[:16]


def write_atomically(path: Path, content: str | bytes) -> None:
    """Write a file atomically, through a temporary file in the same folder; text is encoded as UTF-8."""
    path.parent.mkdir(parents=True, exist_ok=True)
    descriptor, temporary = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(content.encode() if isinstance(content, str) else content)
            file.flush()
            os.fsync(file.fileno())
        Path(temporary).chmod(0o644)
        Path(temporary).replace(path)
    except BaseException:
        Path(temporary).unlink(missing_ok=True)
        raise


def user_store(environ: Mapping[str, str]) -> Store | None:
    """Return the cache of this user; None if `WFGATE_CACHE` is `off`.

    The folder of the cache is `WFGATE_CACHE`. The default is the folder `wfgate` in `XDG_CACHE_HOME` or `~/.cache`.
    """
    configured = environ.get("WFGATE_CACHE", "").strip()
    if configured.lower() == "off":
        return None
    try:
        default = Path(environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "wfgate"
    except RuntimeError:  # there is no home directory
        return Store(Path(configured) / "computed.sqlite") if configured else None
    return Store((Path(configured) if configured else default) / "computed.sqlite")

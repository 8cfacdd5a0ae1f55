"""What was computed once: small values by the hash of what they were computed from, in one SQLite file.

The file is never wrong, only cold. Whatever happens to it (locked, full, damaged, deleted, on a disk that cannot be
written) costs time and changes nothing, so no error of it reaches anybody.
"""

import hashlib
import sqlite3
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from pathlib import Path

CAPACITY = 200_000
"""Values kept; the oldest tenth goes when there are more. A judgement takes about 150 bytes, a vector 1 to 4 kB."""
_AT_ONCE = 500
_WAIT = 5.0
"""Seconds to wait for another process that writes; then this one goes on without the file."""


class Store:
    """Values by key, shared by any number of processes.

    Args:
        path: The file; its folder is made when the first value is kept.
        capacity: Values kept.
    """

    def __init__(self, path: Path, capacity: int = CAPACITY) -> None:
        self.path = path
        self.capacity = capacity

    def read(self, keys: Sequence[bytes]) -> dict[bytes, bytes]:
        """Return what is known of these keys."""
        found: dict[bytes, bytes] = {}
        if not keys or not self.path.is_file():
            return found
        with _tolerant(), closing(self._connect()) as connection:
            for first in range(0, len(keys), _AT_ONCE):
                some = keys[first : first + _AT_ONCE]
                marks = ",".join("?" * len(some))
                query = f"SELECT key, value FROM known WHERE key IN ({marks})"  # noqa: S608 - question marks only
                found.update((bytes(key), bytes(value)) for key, value in connection.execute(query, some))
        return found

    def write(self, values: Mapping[bytes, bytes]) -> None:
        """Keep values; a file that is no database of ours any more is made anew."""
        if not values:
            return
        with _tolerant():
            self.path.parent.mkdir(parents=True, exist_ok=True)
            try:
                self._write(values.items())
            except sqlite3.OperationalError:
                raise  # locked, or full: what is there may be good
            except sqlite3.DatabaseError:
                for suffix in ("", "-wal", "-shm"):
                    Path(f"{self.path}{suffix}").unlink(missing_ok=True)
                self._write(values.items())

    def _write(self, rows: Iterable[tuple[bytes, bytes]]) -> None:
        with closing(self._connect()) as connection, connection:
            connection.execute("CREATE TABLE IF NOT EXISTS known (key BLOB UNIQUE, value BLOB)")
            connection.executemany("INSERT OR IGNORE INTO known VALUES (?, ?)", rows)
            first, last = connection.execute("SELECT min(rowid), max(rowid) FROM known").fetchone()
            if last - first >= self.capacity:  # rows come and go in the order of their numbers
                behind = last - self.capacity + self.capacity // 10
                connection.execute("DELETE FROM known WHERE rowid <= ?", (behind,))

    def _connect(self) -> sqlite3.Connection:
        connection = sqlite3.connect(self.path, timeout=_WAIT)
        connection.execute("PRAGMA journal_mode=WAL")
        connection.execute("PRAGMA synchronous=NORMAL")
        return connection


@contextmanager
def _tolerant() -> Iterator[None]:
    try:
        yield
    except (OSError, sqlite3.Error, ValueError, TypeError):  # the latter two where a damaged file holds other types
        return


def key_of(*parts: str) -> bytes:
    """Return the content address of something computed from these texts, 16 bytes."""
    digest = hashlib.sha256()
    for part in parts:
        data = part.encode("utf-8", "surrogatepass")
        digest.update(len(data).to_bytes(8))
        digest.update(data)
    return digest.digest()[:16]

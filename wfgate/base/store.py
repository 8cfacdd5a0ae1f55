"""A cache file in SQLite: small values under the hash of their inputs.

The cache affects speed only, never results. Errors of the file (locked, full, damaged, deleted, not writable) are
therefore ignored, and the values are computed again. Each value is stored with a code over key and value: with a
secret an HMAC, so that only values are used that were written with the same secret; without one a checksum, which
detects damage only. A file with another table, a view or a trigger is not used, and an access that takes too long is
stopped: whoever can write the file can make the cache useless, but not the run endless.
"""

import hashlib
import hmac
import os
import sqlite3
import tempfile
import threading
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from pathlib import Path
from typing import IO

from wfgate.errors import ConfigError

CAPACITY = 500_000_000
"""Size limit of the file in bytes; beyond it the oldest tenth of the values is deleted. A meaning score takes about
150 bytes, the token vectors of a step up to 150 kB."""
SECRET = "WFGATE_CACHE_KEY"  # noqa: S105 - the name of the variable
"""Environment variable with the secret that authenticates the values of the cache."""
SECRET_LENGTH = 32
"""Smallest number of characters of the secret."""
_CODE = 16
_TABLE = "CREATE TABLE known (key BLOB UNIQUE, value BLOB)"
_SCHEMA = [("table", "known", _TABLE), ("index", "sqlite_autoindex_known_1", None)]
_PAGES = ("page_count", "freelist_count", "page_size")
_AT_ONCE = 500
_WAIT = 5.0
"""Seconds to wait for another writing process; after that the file is not used."""
_LIMIT = 10.0
"""Seconds after which an access is stopped; the file is not used again by this object."""


class Store:
    """A cache file that any number of processes can share.

    Args:
        path: The file; its folder is created when the first value is written.
        capacity: Approximate size limit in bytes.
        secret: Secret that authenticates the values; without one, anybody who can write the file can write valid
            values.
    """

    def __init__(self, path: Path, capacity: int = CAPACITY, secret: bytes = b"") -> None:
        self.path = path
        self.capacity = capacity
        self._secret = secret
        self._wait = _WAIT
        self._stopped = False

    def read(self, keys: Sequence[bytes]) -> dict[bytes, bytes]:
        """Return the stored values of these keys; missing keys are left out."""
        values: dict[bytes, bytes] = {}
        with self._tolerant():
            if keys and not self._stopped and self.path.is_file():
                self._read(keys, values)
        return values

    def _read(self, keys: Sequence[bytes], values: dict[bytes, bytes]) -> None:
        with self._connected() as connection:
            for first in range(0, len(keys), _AT_ONCE):
                some = keys[first : first + _AT_ONCE]
                marks = ",".join("?" * len(some))
                query = f"SELECT key, value FROM known WHERE key IN ({marks})"  # noqa: S608 - question marks only
                for key, kept in connection.execute(query, some):
                    value = bytes(kept)[_CODE:]
                    if hmac.compare_digest(self._code(bytes(key), value), bytes(kept)[:_CODE]):
                        values[bytes(key)] = value

    def write(self, values: Mapping[bytes, bytes]) -> None:
        """Store values; a damaged file, or one with another schema, is deleted and created again."""
        if not values or self._stopped:
            return
        rows = [(key, self._code(key, value) + value) for key, value in values.items()]
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
        with self._connected() as connection, connection:
            connection.execute(_TABLE.replace("TABLE", "TABLE IF NOT EXISTS"))
            # A value is written if no valid one was found: what has the same key is damaged, or not authenticated.
            connection.executemany("INSERT OR REPLACE INTO known VALUES (?, ?)", rows)
            pages, free, size = (connection.execute(f"PRAGMA {name}").fetchone()[0] for name in _PAGES)
            if (pages - free) * size > self.capacity:  # row ids are in order of insertion
                first, last = connection.execute("SELECT min(rowid), max(rowid) FROM known").fetchone()
                connection.execute("DELETE FROM known WHERE rowid <= ?", (first + (last - first) // 10,))

    @contextmanager
    def _connected(self) -> Iterator[sqlite3.Connection]:
        done = threading.Event()
        with closing(sqlite3.connect(self.path, timeout=self._wait)) as connection:
            # Not a progress handler: SQLite discards what a signal handler raises in it.
            guard = threading.Thread(target=_stop_late, args=(connection, done), daemon=True)
            guard.start()
            try:
                connection.execute("PRAGMA journal_mode=WAL")
                connection.execute("PRAGMA synchronous=NORMAL")
                schema = connection.execute("SELECT type, name, sql FROM sqlite_master LIMIT 3").fetchall()
                if schema not in ([], _SCHEMA):
                    raise sqlite3.DatabaseError("another schema")
                yield connection
            finally:
                done.set()
                guard.join()

    def _code(self, key: bytes, value: bytes) -> bytes:
        return hmac.digest(self._secret, len(key).to_bytes(8) + key + value, "sha256")[:_CODE]

    @contextmanager
    def _tolerant(self) -> Iterator[None]:
        try:
            yield
        except sqlite3.OperationalError as error:
            if "locked" in str(error):  # do not wait a second time
                self._wait = 0.0
            self._stopped = self._stopped or "interrupted" in str(error)
        except (
            OSError,
            sqlite3.Error,
            ValueError,
            TypeError,
        ):  # the latter two for a damaged file with other types
            return


def _stop_late(connection: sqlite3.Connection, done: threading.Event) -> None:
    wait = _LIMIT
    while not done.wait(wait):
        connection.interrupt()  # again and again: an interrupt between two statements has no effect
        wait = 0.1


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
    with written_atomically(path) as file:
        file.write(content.encode() if isinstance(content, str) else content)


@contextmanager
def written_atomically(path: Path) -> Iterator[IO[bytes]]:
    """Provide a temporary file for a `with` block; after it, the file replaces `path`, unless the block failed."""
    path.parent.mkdir(parents=True, exist_ok=True)
    descriptor, temporary = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    try:
        with os.fdopen(descriptor, "wb") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        Path(temporary).chmod(0o644)
        Path(temporary).replace(path)
    except BaseException:
        Path(temporary).unlink(missing_ok=True)
        raise


def user_store(environ: Mapping[str, str], *, authenticated: bool = False) -> Store | None:
    """Return the cache of this user; None if `WFGATE_CACHE` is `off`, or if there must be a secret and is none.

    The folder of the cache is `WFGATE_CACHE`. The default is the folder `wfgate` in `XDG_CACHE_HOME` or `~/.cache`.
    The secret is `WFGATE_CACHE_KEY`.

    Args:
        environ: The environment variables.
        authenticated: Whether the verdict must not depend on who else can write the cache: it is then used only
            with a secret.

    Raises:
        ConfigError: If the secret is too short.
    """
    secret = environ.get(SECRET, "").strip()
    if 0 < len(secret) < SECRET_LENGTH:
        raise ConfigError(f"{SECRET} has fewer than {SECRET_LENGTH} characters", fix="make one: openssl rand -hex 32")
    configured = environ.get("WFGATE_CACHE", "").strip()
    if configured.lower() == "off" or (authenticated and not secret):
        return None
    try:
        folder = Path(configured or Path(environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "wfgate")
    except RuntimeError:  # there is no home directory
        return None
    return Store(folder / "computed.sqlite", secret=secret.encode())

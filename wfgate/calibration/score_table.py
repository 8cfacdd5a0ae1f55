"""The score table: one row per variant in a SQLite file. Stored rows survive an interruption."""

import json
import sqlite3
from collections.abc import Iterable, Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Self

from wfgate.errors import CalibrationError

SCHEMA_VERSION = "2"
UNTESTED = (1.0, 1.0)
"""Rules of damaged variants, which have no false-block rate."""


@dataclass(frozen=True)
class ScoreRow:
    """The scores of one variant.

    Attributes:
        key: Hash of golden, settings, seed and signature.
        golden: Id of the golden.
        operator: Id of the perturbation.
        severity: Nominal severity: share of steps that the operator should affect.
        reworded: Whether every step was reworded first.
        repeat: Number of the variant among variants with equal settings.
        steps: Number of steps of the golden.
        affected: Number of steps that the operator affected.
        rejected: Why the operator made no variant; None if it made one.
        metrics: Metric values by id; None if undefined.
        evidence: Evidence values by id.
        rules: P-values of the rules that block without the nonconformity score, of a harmless variant (see
            `rule_p_values`): with no critical step, and if all steps are critical.
    """

    key: str
    golden: str
    operator: str
    severity: float
    reworded: bool
    repeat: int
    steps: int
    affected: int = 0
    rejected: str | None = None
    metrics: dict[str, float | None] = field(default_factory=dict)
    evidence: dict[str, float] = field(default_factory=dict)
    rules: tuple[float, float] = UNTESTED


class ScoreTable:
    """Rows by key, in SQLite with a write-ahead log. Committed rows survive if the process is killed.

    Args:
        path: The file; created if it does not exist. `:memory:` for a table without a file.

    Raises:
        CalibrationError: If the file is not a score table of this version. The methods raise it too, if the file is
            damaged or cannot be written.
    """

    def __init__(self, path: Path | str) -> None:
        self.path = path
        with self._watched():
            self._connection = sqlite3.connect(path)
            self._connection.execute("PRAGMA journal_mode=WAL")
            self._connection.execute("PRAGMA synchronous=NORMAL")
            with self._connection:
                self._connection.execute("CREATE TABLE IF NOT EXISTS meta (name TEXT PRIMARY KEY, value TEXT)")
                self._connection.execute(
                    "CREATE TABLE IF NOT EXISTS scores (key TEXT PRIMARY KEY, golden TEXT, operator TEXT, "
                    "severity REAL, reworded INTEGER, repeat INTEGER, steps INTEGER, affected INTEGER, "
                    "rejected TEXT, metrics TEXT, evidence TEXT, rules TEXT) WITHOUT ROWID"
                )
                self._connection.execute("INSERT OR IGNORE INTO meta VALUES ('schema', ?)", (SCHEMA_VERSION,))
            version = self._connection.execute("SELECT value FROM meta WHERE name = 'schema'").fetchone()
        if version != (SCHEMA_VERSION,):
            raise CalibrationError(
                f"{path}: the score table has another version",
                fix="delete the file; wfgate creates the score table again",
            )

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._connection.close()

    def add(self, rows: Iterable[ScoreRow]) -> None:
        """Store rows in one transaction."""
        values = [
            (
                row.key,
                row.golden,
                row.operator,
                row.severity,
                row.reworded,
                row.repeat,
                row.steps,
                row.affected,
                row.rejected,
                json.dumps(row.metrics, sort_keys=True),
                json.dumps(row.evidence, sort_keys=True),
                json.dumps(row.rules),
            )
            for row in rows
        ]
        with self._watched(), self._connection:
            self._connection.executemany("INSERT OR REPLACE INTO scores VALUES (?,?,?,?,?,?,?,?,?,?,?,?)", values)

    def known(self, keys: Iterable[str]) -> set[str]:
        """Return which of the keys are stored."""
        with self._watched(), closing(self._connection.cursor()) as cursor:
            return {key for key in keys if cursor.execute("SELECT 1 FROM scores WHERE key = ?", (key,)).fetchone()}

    def rows(self, keys: Iterable[str]) -> Iterator[ScoreRow]:
        """Yield the stored rows in the order of the keys, so that a fit does not depend on the order of scoring."""
        for key in keys:
            with self._watched(), closing(self._connection.cursor()) as cursor:
                stored = cursor.execute("SELECT * FROM scores WHERE key = ?", (key,)).fetchone()
            if stored:
                yield _row(stored)

    @contextmanager
    def _watched(self) -> Iterator[None]:
        """Turn errors of SQLite into errors that contain the path of the file."""
        try:
            yield
        except sqlite3.OperationalError as error:
            fix = "check that the file can be written, that the disk is not full, and that no other run uses the file"
            raise CalibrationError(f"{self.path}: the score table cannot be used: {error}", fix=fix) from error
        except sqlite3.DatabaseError as error:
            raise CalibrationError(
                f"{self.path}: not a usable score table: {error}",
                fix="delete the file; wfgate creates the score table again",
            ) from error


def _row(stored: tuple[Any, ...]) -> ScoreRow:
    key, golden, operator, severity, reworded, repeat, steps, affected, rejected, metrics, evidence, rules = stored
    return ScoreRow(
        key=key,
        golden=golden,
        operator=operator,
        severity=severity,
        reworded=bool(reworded),
        repeat=repeat,
        steps=steps,
        affected=affected,
        rejected=rejected,
        metrics=json.loads(metrics),
        evidence=json.loads(evidence),
        rules=tuple(json.loads(rules)),
    )

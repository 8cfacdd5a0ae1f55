"""What the server reads: files below its root, and the configuration there. Nothing is written, run or sent."""

import os
from collections.abc import Sequence
from pathlib import Path, PureWindowsPath

from wfgate.compare import DEFAULT_METRICS, JUDGE
from wfgate.decide import Blob
from wfgate.errors import ConfigError, FormatError
from wfgate.language import DEFAULT_EMBEDDER, DEFAULT_MEANING_MODEL
from wfgate.read import Beside, load_bytes, repository_of, rules_beside, workflow_name
from wfgate.run import Config, found_config, load_config, references_named, same_file

MOST_BYTES = 1024 * 1024
"""Largest text that a call may contain; a file may be larger (`wfgate.read.MAX_BYTES`)."""
MOST_GOLDENS = 20
"""Most references of one call."""
NO_JUDGE = (
    "[judge] of wfgate.toml is not asked, because this server uses no network; where the gate asks it, the verdict "
    "can be stricter"
)


class Checkout:
    """The files below the current folder of the process, which is the root of the server.

    A name is a path relative to the root. One that leads out of it is refused: an absolute path, `..`, a link.
    """

    def __init__(self) -> None:
        self.root = Path.cwd().resolve()
        # What a workflow calls is read from its checkout, which must not reach beyond the root.
        self._calls = repository_of(self.root) in {None, self.root}

    def config(self) -> tuple[Config, list[str]]:
        """Return the settings of the checkout without what needs the network, and notes about what is left out.

        Raises:
            ConfigError: If the file is invalid, stands above the root or names files outside of it, or needs other
                models than the shipped ones.
        """
        file = found_config(Path())
        if file is not None and not self._is_inside(file):
            raise ConfigError(
                f"{file} is not below the folder of this server, which reads nothing outside of it",
                fix=f"start the server in {file.parent} (wfgate mcp --root), or put a wfgate.toml into its folder",
            )
        loaded = load_config(None, Path())
        for key, path in (
            ("reference", loaded.reference),
            ("profile", loaded.profile_file),
            ("waivers", loaded.waivers),
        ):
            if path is not None and not self._is_inside(path):
                raise ConfigError(
                    f"{key} = {path}: not below the folder of this server, which reads nothing outside of it",
                    fix="start the server in a folder that contains it (wfgate mcp --root)",
                )
        for key, name, shipped in (
            ("embedder", loaded.embedder, DEFAULT_EMBEDDER),
            ("meaning_model", loaded.meaning_model, DEFAULT_MEANING_MODEL),
        ):
            if name != shipped:
                raise ConfigError(
                    f'{key} = "{name}": this server uses the shipped {shipped} only, because others may need the '
                    "network",
                    fix="run wfgate on the command line instead",
                )
        metrics = tuple(name for name in loaded.metrics if name != JUDGE) or tuple(DEFAULT_METRICS)
        policy = loaded.policy.model_copy(update={"judge_may_clear": False})
        known = loaded.model_copy(update={"judge": None, "metrics": metrics, "policy": policy})
        return known, [NO_JUDGE] if loaded.judge else []

    def path(self, name: str) -> Path:
        """Return the path of a name; there need be no file.

        Raises:
            ConfigError: If it leads out of the root.
        """
        path = Path(name)
        if path.is_absolute() or PureWindowsPath(name).anchor:
            inside = path.is_relative_to(self.root) and path != self.root
            here = path.relative_to(self.root).as_posix() if inside else "generated/deploy.yaml"
            raise ConfigError(
                f"{name!r} is an absolute path",
                fix=f"give the path relative to the folder of this server, such as {here}",
            )
        if ".." in path.parts:
            raise _outside(name)
        return self._inside(path)

    def source(self, name: str, text: str | None) -> Blob:
        """Return a file with its content, or with the text that it is to have.

        Raises:
            ConfigError: If the name leads out of the root.
            FormatError: If the file cannot be read, or the text is too large.
        """
        path = self.path(name)
        if text is None:
            return self._blob(path)
        content = text.encode("utf-8", "surrogatepass")  # the reader names the place of a lone surrogate
        if len(content) > MOST_BYTES:
            raise FormatError(
                f"the text has {len(content):,} bytes; the limit is {MOST_BYTES:,} bytes",
                path=name,
                fix="write it to this file, and give the path alone",
            )
        return self._blob(path, content)

    def goldens(self, given: Sequence[str], candidate: Path, config: Config, *, written: bool) -> list[Blob]:
        """Return the references of a candidate.

        Args:
            given: Their files, or the name of a workflow whose references the configuration names; empty for the name
                of the candidate.
            candidate: The path of the candidate.
            config: The settings.
            written: Whether the candidate is the file at this path.

        Raises:
            ConfigError: If there are none or too many, one leads out of the root, or the candidate is one of them.
            FormatError: If a file cannot be read.
        """
        if len(given) > MOST_GOLDENS:
            raise ConfigError(f"{len(given)} goldens; the limit is {MOST_GOLDENS}", fix="give fewer")
        paths = [self.path(name) for name in given]
        folder = config.reference is not None and config.reference.is_dir()
        if not paths:
            paths = self._references(workflow_name(candidate.stem), config)
        elif len(paths) == 1 and folder and not paths[0].is_file():  # no path, but a name
            paths = self._references(paths[0].as_posix(), config)
        if written and (same := same_file(candidate, paths)):
            raise same
        return [self._blob(path) for path in paths]

    def rules(self, golden: Path) -> tuple[Blob, ...]:
        """Return the own rules beside a golden.

        Raises:
            ConfigError: If their file leads out of the root.
            FormatError: If it cannot be read.
        """
        path = rules_beside(golden)
        return (self._blob(self._inside(path)),) if os.path.lexists(path) else ()

    def _references(self, name: str, config: Config) -> list[Path]:
        if config.reference is None:
            raise ConfigError(
                f"there is no golden for {name!r}: wfgate.toml sets no `reference`",
                fix="give `golden`, the path of the approved workflow",
            )
        return [self._inside(path) for path in references_named(name, config.reference, config.formats)]

    def _blob(self, path: Path, content: bytes | None = None) -> Blob:
        beside = Beside(path) if self._calls else None
        return Blob(path, load_bytes(path) if content is None else content, beside)

    def _inside(self, path: Path) -> Path:
        if not self._is_inside(path):
            raise _outside(path)
        return path

    def _is_inside(self, path: Path) -> bool:
        try:
            place = (self.root / path).resolve()
        except (OSError, RuntimeError, ValueError):  # impossible in a file system, or links in a circle
            return False
        return place.is_relative_to(self.root)


def _outside(name: object) -> ConfigError:
    return ConfigError(
        f"'{name}' leads out of the folder of this server", fix="give the path of a file below this folder"
    )

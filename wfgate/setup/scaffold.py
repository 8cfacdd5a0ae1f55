"""Creates the first files of a project: configuration and CI files."""

import re
from importlib.resources import files

from wfgate.errors import ConfigError

CI_SYSTEMS: dict[str, dict[str, str]] = {
    "github": {".github/workflows/wfgate.yml": "github.yml"},
    "gitlab": {".gitlab/wfgate.yml": "gitlab.yml", ".gitlab-ci.yml": "gitlab-include.yml"},
    "none": {},
}
"""Files by CI system, each with its template."""
NO_COMMIT = "0" * 40
"""Stands for a commit that is not known."""
_COMMIT = re.compile("[0-9a-f]{40}")
_PLAIN = re.compile(r"[\w.][\w./-]*")


def scaffold(ci: str, reference: str, candidates: str, version: str, commit: str = NO_COMMIT) -> dict[str, str]:
    """Return the files of a new project, by path.

    Args:
        ci: One of `CI_SYSTEMS`.
        reference: Folder of approved workflows.
        candidates: Folder of generated workflows.
        version: Version of wfgate to install.
        commit: The commit of that release; the default does not exist, so that the job fails until it is replaced.

    Raises:
        ConfigError: If the name of a folder needs quoting in YAML, TOML or a shell, or the commit is not a full hash.

    Example:
        >>> list(scaffold("github", "approved", "generated", "1.0"))
        ['wfgate.toml', '.github/workflows/wfgate.yml']
    """
    for folder in (reference, candidates):
        if not _PLAIN.fullmatch(folder):
            raise ConfigError(f"{folder!r} is not a plain path", fix="use letters, digits, dashes, dots and slashes")
    if not _COMMIT.fullmatch(commit):
        raise ConfigError(f"{commit!r} is not a commit", fix="give its full hash: 40 hexadecimal digits")
    words = {"@REFERENCE@": reference, "@CANDIDATES@": candidates, "@VERSION@": version, "@COMMIT@": commit}
    return {path: _filled(name, words) for path, name in {"wfgate.toml": "wfgate.toml", **CI_SYSTEMS[ci]}.items()}


def _filled(template: str, words: dict[str, str]) -> str:
    text = (files("wfgate") / "data" / "templates" / template).read_text(encoding="utf-8")
    for placeholder, word in words.items():
        text = text.replace(placeholder, word)
    return text

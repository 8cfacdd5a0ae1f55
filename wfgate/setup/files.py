"""Creates the first files of a project: configuration, CI files, and an example with a pass and a block."""

import json
import re
from collections.abc import Mapping
from importlib.metadata import PackageNotFoundError, distribution
from importlib.resources import files
from types import MappingProxyType

from wfgate import __version__
from wfgate.errors import ConfigError
from wfgate.model import Workflow
from wfgate.setup.critical import critical_patterns

CI_SYSTEMS: dict[str, dict[str, str]] = {
    "github": {
        ".github/workflows/wfgate.yml": "github.yml",
        ".github/workflows/wfgate-accept.yml": "github-accept.yml",
    },
    "gitlab": {".gitlab/wfgate.yml": "gitlab.yml", ".gitlab-ci.yml": "gitlab-include.yml"},
    "none": {},
}
"""Files by CI system, each with its template."""
REGRESSED = "regressed"
"""Folder of the candidate of the example that is blocked."""
NO_COMMIT = "0" * 40
"""Stands for a release or a commit that is not known."""
_EXAMPLE = "deploy.yaml"
_REF = re.compile(r"[0-9a-f]{40}|v[0-9]+(\.[0-9]+){0,2}")
"""A full hash, or the tag of a release: `v0.2.0`, or `v0` for its newest."""
_PLAIN = re.compile(r"[\w.][\w./-]*")


def scaffold(
    ci: str,
    reference: str,
    candidates: str,
    ref: str = NO_COMMIT,
    goldens: Mapping[str, Workflow] = MappingProxyType({}),
) -> dict[str, str]:
    """Return the files of a new project, by path.

    Args:
        ci: One of `CI_SYSTEMS`.
        reference: Folder of approved workflows.
        candidates: Folder of generated workflows.
        ref: The release (`v0.2.0`) or the commit of wfgate that CI runs; the default does not exist, so that the job
            fails until it is replaced.
        goldens: The approved workflows by file, if there are some; critical steps are proposed from them.

    Raises:
        ConfigError: If the name of a folder needs quoting in YAML, TOML or a shell, or `ref` is neither a
            release nor a full hash.

    Example:
        >>> list(scaffold("github", "approved", "generated"))
        ['wfgate.toml', '.github/workflows/wfgate.yml', '.github/workflows/wfgate-accept.yml']
    """
    for folder in (reference, candidates):
        if not _PLAIN.fullmatch(folder):
            raise ConfigError(f"{folder!r} is not a plain path", fix="use letters, digits, dashes, dots and slashes")
    if not _REF.fullmatch(ref):
        fix = f"give the tag of a release (v{__version__}), or a commit by its full hash: 40 hexadecimal digits"
        raise ConfigError(f"{ref!r} is neither a release nor a commit of wfgate", fix=fix)
    words = {
        "@REFERENCE@": reference,
        "@CANDIDATES@": candidates,
        "@REF@": ref,
        "@RELEASE@": f"v{__version__}",
        "@WHICH@": "the release" if ref.startswith("v") else "the commit that you tried",
        "@CRITICAL@": critical_patterns(goldens),
    }
    return {path: _filled(name, words) for path, name in {"wfgate.toml": "wfgate.toml", **CI_SYSTEMS[ci]}.items()}


def installed_ref() -> str:
    """Return the commit that this wfgate was installed from, or its release if it came from a package index.

    What was installed from a folder or a file is neither: `NO_COMMIT`.
    """
    try:
        text = distribution("wfgate").read_text("direct_url.json")  # not written for packages of an index
        origin = json.loads(text) if text else None
    except (PackageNotFoundError, ValueError):
        return NO_COMMIT
    ref = f"v{__version__}" if origin is None else origin.get("vcs_info", {}).get("commit_id", "")
    return ref if _REF.fullmatch(ref) else NO_COMMIT


def example_files(reference: str, candidates: str) -> dict[str, str]:
    """Return the files of the example, by path: a golden, a candidate that passes, and one that is blocked.

    Raises:
        ConfigError: If two of the three folders are the same.

    Example:
        >>> list(example_files("approved", "generated"))
        ['approved/deploy.yaml', 'generated/deploy.yaml', 'regressed/deploy.yaml']
    """
    templates = {reference: "approved", candidates: "generated", REGRESSED: "regressed"}
    if len(templates) < 3:
        raise ConfigError(f"{reference}, {candidates} and {REGRESSED} must differ", fix="give other names of folders")
    return {f"{folder}/{_EXAMPLE}": _filled(f"example/{name}.yaml", {}) for folder, name in templates.items()}


def _filled(template: str, words: dict[str, str]) -> str:
    text = (files("wfgate") / "data" / "templates" / template).read_text(encoding="utf-8")
    for placeholder, word in words.items():
        text = text.replace(placeholder, word)
    return text

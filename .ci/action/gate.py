"""Runs `wfgate gate` in a GitHub Actions step: inputs from the environment, outputs, summary and annotations out.

The step itself succeeds whatever the verdict, so that reports can be uploaded; a later one exits with the code.
"""

import html
import json
import os
import posixpath
import re
import secrets
import subprocess
import sys
import urllib.parse
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from wfgate.approvals import pull_number

INTERNAL = 70
KINDS = {
    "json": "result.json",
    "markdown": "report.md",
    "sarif": "result.sarif",
    "text": "report.txt",
    "html": "report.html",
}
ERRORS = 20_000
"""Characters of what went wrong that the summary shows."""
_FILE = re.compile(r"^(::(?:error|warning|notice) [^:\n]*,file=)([^,:\n]*)", re.MULTILINE)


def main() -> None:
    """Run the gate and tell the runner."""
    environ = dict(os.environ)
    folder = Path(environ["RUNNER_TEMP"]) / f"wfgate-{secrets.token_hex(4)}"
    folder.mkdir()
    accepted = acceptances_of(environ, folder)
    environ.pop("GITHUB_TOKEN", None)  # the gate needs none
    files = {kind: folder / name for kind, name in KINDS.items()}
    done = subprocess.run(  # noqa: S603 - a list of arguments, no shell
        [sys.executable, "-P", "-B", "-m", "wfgate", *arguments(environ, files, accepted)],
        env=without_foreign_cache(environ),
        capture_output=True,
        check=False,
    )
    said, complaint = done.stdout.decode("utf-8", "replace"), done.stderr.decode("utf-8", "replace")
    code = done.returncode
    result = finished(files, code)
    if result is None:  # no result is never green, whatever the process said
        code = code if code > 0 else INTERNAL
        tell_failure(complaint, code)
    else:
        sys.stdout.write(files["text"].read_text(encoding="utf-8"))
        prefix = below(environ)
        sys.stdout.write(annotations(said, prefix))
        place_findings(files["sarif"], prefix)
        tell(complaint)
        append("GITHUB_STEP_SUMMARY", files["markdown"].read_text(encoding="utf-8"))
    for name, value in outputs(result, files, code).items():
        delimiter = f"wfgate-{secrets.token_hex(16)}"
        append("GITHUB_OUTPUT", f"{name}<<{delimiter}\n{value}\n{delimiter}\n")


def without_foreign_cache(environ: Mapping[str, str]) -> dict[str, str]:
    """Return the environment of wfgate: other jobs can write the cache of a runner, so it needs a secret."""
    return {**environ} if environ.get("WFGATE_CACHE_KEY", "").strip() else {**environ, "WFGATE_CACHE": "off"}


def acceptances_of(environ: Mapping[str, str], folder: Path) -> Path | None:
    """Return the file with what was accepted in the pull request; None if there is none, or it is not asked for."""
    event = read(Path(environ.get("GITHUB_EVENT_PATH", ""))) or {}
    if environ.get("WFGATE_APPROVALS") != "true" or pull_number(event) is None:
        return None
    file = folder / "acceptances.json"
    done = subprocess.run(  # noqa: S603 - a list of arguments, no shell
        [sys.executable, "-P", "-B", "-m", "wfgate", "acceptances", f"--output={file}"],
        env={**environ},
        capture_output=True,
        check=False,
    )
    if done.returncode == 0:
        return file
    tell(done.stderr.decode("utf-8", "replace"))
    words = "see the log; it needs pull-requests: read"
    sys.stdout.write(f"::notice title=wfgate could not read what was accepted::{words}\n")
    return None


def arguments(environ: Mapping[str, str], files: Mapping[str, Path], accepted: Path | None) -> list[str]:
    """Return the arguments of wfgate; what a user gave is the value of an option, or stands behind `--`."""
    given = ["gate"]
    for kind, file in files.items():
        given += [f"--format={kind}", f"--output={file}"]
    given.append("--format=github")
    for name in ("reference", "pairs", "config", "profile", "history", "previous", "fail-on"):
        if value := environ.get(f"WFGATE_{name.upper().replace('-', '_')}", "").strip():
            given.append(f"--{name}={value}")
    if environ.get("WFGATE_CHANGED", "").strip() == "true":
        given.append("--changed")
    base = environ.get("WFGATE_BASE", "auto").strip()
    if base == "auto":
        base = base_of(environ)
    if base not in {"", "none"}:
        given.append(f"--base={base}")
        given += [f"--acceptances={accepted}"] if accepted else []
    candidates = [line.strip() for line in environ.get("WFGATE_CANDIDATES", "").splitlines() if line.strip()]
    return [*given, "--", *candidates]


def base_of(environ: Mapping[str, str]) -> str:
    """Return the base of a pull request or a merge group; empty for other events.

    The base commit that the event names is not used for a pull request: it is an old one if the run is repeated.
    """
    event = read(Path(environ.get("GITHUB_EVENT_PATH", ""))) or {}
    if "pull_request" in event:
        return f"refs/remotes/origin/{event['pull_request']['base']['ref']}"
    return str(event.get("merge_group", {}).get("base_sha", ""))


def finished(files: Mapping[str, Path], code: int) -> Any:
    """Return the result; None unless every report was written and the process ended as the result says it should."""
    log = read(files["sarif"])
    if log is None or log["runs"][0]["invocations"][0]["exitCode"] != code:
        return None
    return read(files["json"]) if all(file.is_file() for file in files.values()) else None


def below(environ: Mapping[str, str]) -> str:
    """Return where this runs, as seen from the root of the repository, to which places are relative on GitHub.

    That is the outermost repository in the workspace (a checkout may have a path of its own), else the workspace.
    """
    here, workspace = Path.cwd().resolve(), Path(environ.get("GITHUB_WORKSPACE", "")).resolve()
    if not here.is_relative_to(workspace):
        return "."
    inside = [each for each in (here, *here.parents) if each.is_relative_to(workspace)]
    root = next((each for each in reversed(inside) if (each / ".git").exists()), workspace)
    return here.relative_to(root).as_posix()


def annotations(commands: str, prefix: str) -> str:
    """Return annotations with their files as seen from the root of the repository."""
    escaped = prefix.replace("%", "%25").replace(":", "%3A").replace(",", "%2C")
    return _FILE.sub(lambda found: found[1] + posixpath.normpath(f"{escaped}/{found[2]}"), commands)


def place_findings(file: Path, prefix: str) -> None:
    """Rewrite a SARIF file: places as seen from the root of the repository."""
    log = read(file)
    escaped = urllib.parse.quote(prefix, safe="/@")
    for result in log["runs"][0]["results"]:
        for place in (*result["locations"], *result.get("relatedLocations", ())):
            artifact = place.get("physicalLocation", {}).get("artifactLocation")
            if artifact and not artifact["uri"].startswith("file:"):  # whose path is absolute
                artifact["uri"] = posixpath.normpath(f"{escaped}/{artifact['uri']}")
    file.write_text(json.dumps(log, indent=1) + "\n", encoding="utf-8")


def outputs(result: Any, files: Mapping[str, Path], code: int) -> dict[str, str]:
    """Return the outputs of the step."""
    verdicts = decided(result) if result else []
    return {
        "verdict": result["verdict"] if result else "error",
        "blocked": str(verdicts.count("block")),
        "review": str(verdicts.count("review")),
        "inconclusive": str(verdicts.count("inconclusive")),
        "accepted": str(len(accepted(result))) if result else "0",
        "exit-code": str(code),
        "report-json": str(files["json"]) if result else "",
        "report-html": str(files["html"]) if result else "",
        "sarif-file": str(files["sarif"]) if result else "",
        "version": result["tool"]["version"] if result else "",
    }


def decided(result: Any) -> list[str]:
    """Return the verdict on each case, several samples of one counted together."""
    sampled = {one for case in result["samples"] for one in case["samples"]}
    alone = [case["verdict"] for case in result["cases"] if case["id"] not in sampled]
    return [*alone, *(case["verdict"] for case in result["samples"])]


def accepted(result: Any) -> list[Any]:
    """Return the cases that somebody accepted, samples one by one."""
    return [case for case in result["cases"] if case["accepted"]]


def tell_failure(complaint: str, code: int) -> None:
    """Say that there is no result: in the log, as an annotation, in the summary."""
    tell(complaint)
    first = (complaint.strip() or "it said nothing").splitlines()[0]
    first = first.replace("%", "%25").replace("\r", "%0D")
    sys.stdout.write(f"::error title=wfgate did not finish::exit code {code}: {first}\n")
    shown = html.escape(complaint[-ERRORS:]).replace("@", "&#64;")
    append(
        "GITHUB_STEP_SUMMARY",
        f"## wfgate: did not finish\n\nThere is no complete result, so nothing has passed (exit code {code}).\n\n"
        f"<pre>{shown}</pre>\n",
    )


def tell(words: str) -> None:
    """Write to the log what the tool said besides; no line of it is a command to the runner."""
    if words:
        token = secrets.token_hex(16)
        sys.stdout.write(f"::stop-commands::{token}\n{words.rstrip()}\n::{token}::\n")


def read(path: Path) -> Any:
    """Return the JSON in a file; None where there is none."""
    try:
        return json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return None


def append(variable: str, text: str) -> None:
    """Append to one of the files by which a step tells the runner something."""
    with Path(os.environ[variable]).open("a", encoding="utf-8") as file:
        file.write(text)


if __name__ == "__main__":
    main()

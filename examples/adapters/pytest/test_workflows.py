"""A test per generated workflow: does it regress from the approved one?

`generated/deploy.yaml` is compared with `approved/deploy.yaml`; both folders are beside this file. Files such as
`deploy@2.yaml` are variants in `approved/`, and further samples in `generated/`.

A review fails, because nobody looks at tests that pass. So does what cannot be compared: a golden without a generated
file, a generated file without a golden, or a file that cannot be read.
"""

from pathlib import Path

import pytest

import wfgate

HERE = Path(__file__).parent
SUFFIXES = {".yaml", ".yml", ".json", ".md"}
PASSES = {"pass"}
"""Verdicts that pass. Add "review" if somebody reads the reviews elsewhere."""


def files(folder: str) -> dict[str, list[Path]]:
    """Return the workflow files of a folder by case; variants and samples follow the first one."""
    cases: dict[str, list[Path]] = {}
    for path in sorted((HERE / folder).iterdir()):
        if path.suffix in SUFFIXES:
            cases.setdefault(path.stem.partition("@")[0], []).append(path)
    return cases


APPROVED, GENERATED = files("approved"), files("generated")
if not APPROVED:
    raise ValueError("there is no golden in approved/")  # pytest would skip a test without parameters
MISSING = {case: [HERE / "generated" / goldens[0].name] for case, goldens in APPROVED.items()}
PAIRS = [
    (APPROVED.get(case, []), candidate) for case, found in {**MISSING, **GENERATED}.items() for candidate in found
]


@pytest.mark.parametrize(("goldens", "candidate"), PAIRS, ids=[candidate.name for _, candidate in PAIRS])
def test_workflow(goldens: list[Path], candidate: Path) -> None:
    """Gate one generated file."""
    case = wfgate.gate(goldens, candidate)
    assert case.verdict in PASSES, wfgate.report(case)

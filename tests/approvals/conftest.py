"""References and candidates on disk, and a gate by the shipped profile."""

from datetime import UTC, datetime

import pytest

from wfgate.approvals import Signer
from wfgate.decide import Assessor, Policy, default_profile
from wfgate.language import StaticEmbedder, load_meaning_model
from wfgate.run import Gate

STEPS = (
    "Collect the sales figures of the quarter",
    "Remove duplicate rows from the table",
    "Convert every amount to euros",
    "Draw a chart of revenue by region",
    "Ask the finance lead to approve the numbers",
    "Publish the report on the intranet",
)


def text(*steps):
    lines = [f'  - {{id: s{n}, name: "{step}", needs: [{f"s{n - 1}" if n else ""}]}}' for n, step in enumerate(steps)]
    return "\n".join(['wfgate: "1"', "name: Report", "steps:", *lines, ""])


GOLDEN = text(*STEPS)
WORSE = text(*STEPS[:2], *STEPS[4:])
BROKEN = GOLDEN.replace("needs: [s1]", "needs: [s4]")
"""The third step waits for the fifth, which waits for it: a cycle."""


@pytest.fixture(scope="session")
def gate():
    return Gate(Assessor(StaticEmbedder(), load_meaning_model()), default_profile(), Policy())


@pytest.fixture
def signer():
    return Signer(by="Ada <ada@example.org>", when=datetime(2026, 11, 21, 12, 0, tzinfo=UTC), commit="c0ffee")


@pytest.fixture
def project(tmp_path):
    """A reference `report.yaml`, a worse candidate of it, and a candidate that is new."""
    for folder in ("approved", "new"):
        (tmp_path / folder).mkdir()
    (tmp_path / "approved" / "report.yaml").write_text(GOLDEN)
    (tmp_path / "new" / "report.yaml").write_text(WORSE)
    (tmp_path / "new" / "fresh.yaml").write_text(GOLDEN)
    return tmp_path


@pytest.fixture
def texts():
    return {"golden": GOLDEN, "worse": WORSE, "broken": BROKEN}

"""A project that is set up well, to be spoilt."""

from datetime import UTC, datetime

import pytest

from wfgate.approvals import Signer, approve, entries
from wfgate.decide import Assessor
from wfgate.language import StaticEmbedder, load_meaning_model
from wfgate.run import Config

GOLDEN = 'wfgate: "1"\nname: Report\nsteps: [Collect the figures, Draw a chart, Publish the report, Tell the team]\n'


@pytest.fixture(scope="session")
def assessor():
    return Assessor(StaticEmbedder(), load_meaning_model())


@pytest.fixture
def signer():
    return Signer(by="Ada", when=datetime(2026, 11, 21, tzinfo=UTC))


@pytest.fixture
def config(tmp_path, signer):
    """Its references: one, approved."""
    for folder in ("approved", "new"):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "report.yaml").write_text(GOLDEN)
    (entry,) = entries([tmp_path / "approved"], tmp_path / "approved")
    approve(entry, signer, None, target=entry.adopted)
    return Config(reference=tmp_path / "approved")

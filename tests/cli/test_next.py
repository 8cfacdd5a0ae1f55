"""Each command that a report prints under "Next" works, and then the gate passes."""

import re
import shlex
from pathlib import Path

import pytest

from .conftest import GOLDEN, inline, on_no_build_server

WORSE = GOLDEN.replace("  - {id: g, name: Email the link to all managers, needs: [f]}\n", "")
BROKEN = GOLDEN.replace("needs: [a]", "needs: [zz]")


@pytest.mark.parametrize(
    ("golden", "candidate", "gate", "text"),
    [
        ("approved/report.yaml", "new/report.yaml", "gate new --reference approved", WORSE),
        ("approved/eu/report.yaml", "new/eu/report.yaml", "gate new --reference approved", WORSE),
        ("approved/report.yaml", "new/report.yaml", "gate new/report.yaml --reference approved/report.yaml", WORSE),
        ("approved/report.yaml", "new/other.yaml", "gate new/other.yaml --reference approved/report.yaml", WORSE),
        ("approved/a b.yaml", "new/a b.yaml", "gate new", WORSE),
        ("approved/report.yaml", "new/report.yaml", "gate new", BROKEN),
        ("", "new/report.yaml", "gate new --reference approved", GOLDEN),
        ("", "new/eu/report.yaml", "gate new --reference approved", GOLDEN),
    ],
)
def test_the_printed_approval_works_and_the_gate_passes_then(tmp_path, monkeypatch, golden, candidate, gate, text):
    monkeypatch.chdir(tmp_path)
    on_no_build_server(monkeypatch)
    (tmp_path / "approved").mkdir()
    (tmp_path / "wfgate.toml").write_text('reference = "approved"\n[policy]\nreview_blocks = true\n')
    for name, content in ((golden, GOLDEN), (candidate, text)):
        if name:
            Path(name).parent.mkdir(parents=True, exist_ok=True)
            Path(name).write_text(content)
    before = inline(*shlex.split(gate))
    assert before.code in {1, 3}
    (printed,) = re.findall(r"Next: .*?(wfgate approve .*)", before.out.replace("\n    ", " "))
    command = printed.partition(", with --reason")[0]
    assert inline(*shlex.split(command)[1:], "--by", "Ada").code == 0, command
    assert inline(*shlex.split(gate)).code == 0

"""Values that are written anew between two guards."""

import pytest

from wfgate.logic import Behaviour
from wfgate.read import read_text

TICKET = """\
wfgate: "1"
workflows:
  ticket:
    semantics: token
    tasks:
      - {id: probe, name: Probe, outputs: [status]}
      - {id: repair, name: Repair, outputs: [%s]}
      - {id: close, name: Close}
    gateways: [{id: meet, op: XOR, role: join}]
    flow:
      - {from: START, to: probe}
      - {from: probe, to: repair, guard: {expr: "status == 'failed'"}}
      - {from: probe, to: meet, guard: {default: true}}
      - {from: repair, to: %s}
      - {from: meet, to: close, guard: {expr: "status %s"}}
      - {from: close, to: END}
"""


def ticket(outputs, behind_repair, asked):
    return Behaviour.of(read_text(TICKET % (outputs, behind_repair, asked), "x").workflow)


@pytest.mark.parametrize(
    ("outputs", "asked", "close_runs", "together"),
    [
        ("", "== 'failed'", True, True),
        ("", "!= 'failed'", True, False),
        ("status", "== 'failed'", True, True),
        ("status", "!= 'failed'", True, True),
        ("report", "!= 'failed'", True, False),
    ],
)
def test_what_guards_read_behind_a_step_that_writes_it(outputs, asked, close_runs, together):
    behaviour = ticket(outputs, "meet", asked)
    repair, close = behaviour.runs[1], behaviour.runs[2]
    assert (behaviour.sometimes(close).value is not False) is close_runs
    assert (behaviour.sometimes(behaviour.space.both(repair, close)).value is not False) is together


def test_situations_say_which_version_they_speak_of():
    behaviour = ticket("status", "meet", "== 'ok'")
    assert "status (as of 'Probe' or 'Repair')" in behaviour.space.words(behaviour.runs[2])
    assert "as of" not in ticket("", "meet", "== 'ok'").space.words(ticket("", "meet", "== 'ok'").runs[2])

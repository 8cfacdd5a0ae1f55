"""What an approval makes free, in words."""

from wfgate.decide import Assessor
from wfgate.language import StaticEmbedder, load_meaning_model
from wfgate.read import read_data
from wfgate.show import freed_lines

STEPS = (
    "Freeze the release branch",
    "Compile with Maven",
    "Wait for 30 minutes",
    {"name": "Sign the archive", "critical": True},
    "Tell the operators",
)


def short(*steps):
    return read_data({"wfgate": "1", "steps": list(steps)}, "short").workflow


def test_an_approval_says_what_it_makes_free():
    assessor = Assessor(StaticEmbedder(), load_meaning_model())
    golden = short(*STEPS)
    other = short(STEPS[1], STEPS[0], "Wait for 45 minutes", {"name": "Run the smoke tests", "params": {"tries": 3}})
    free = assessor.freedoms(golden, other, lambda task: task.critical)
    assert freed_lines(golden, free) == [
        "now free:",
        "- step 'Tell the operators' becomes optional",
        "- the order of 'Freeze the release branch' and 'Compile with Maven' becomes free",
        "- '30 minutes' in step 'Wait for 30 minutes' may be as it is here, no other value",
        "- step 'Wait for 30 minutes' may become 'Wait for 45 minutes', which may demand less",
        "- step 'Run the smoke tests' may be added",
        (
            "still required: 'Freeze the release branch', 'Compile with Maven', 'Wait for 30 minutes' "
            "and 'Sign the archive'"
        ),
        "warning: the critical step 'Sign the archive' is lost here, but stays required",
        "  fix: keep the step, or mark it `optional: true` in the first reference",
    ]
    again = assessor.freedoms(golden, other, lambda task: task.critical) - free
    assert freed_lines(golden, again) == []

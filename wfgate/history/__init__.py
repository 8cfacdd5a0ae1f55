"""Runs over time: one line for each, comparison with a release, power, replay with another profile."""

from wfgate.base.door import door

__getattr__, __dir__ = door(
    __name__,
    {
        "history": "EPOCH append origin_of read_runs",
        "power": "detectable samples_needed",
        "release": "against",
        "reports.history": "history_page history_record history_text",
        "reports.plan": "found_record found_text plan_record plan_text",
        "results": "Replay read_result replay",
    },
)

"""The alignment as rows of a table."""

from wfgate.gating.result import AlignmentView


def alignment_rows(view: AlignmentView) -> list[tuple[str, str, str]]:
    """Return rows: golden step, candidate step, and their similarity or a word like "missing" or "merged"."""
    rows = [(pair.golden.name, pair.candidate.name, f"{pair.similarity:.2f}") for pair in view.matched]
    rows += [(" + ".join(step.name for step in merge.golden), merge.candidate.name, "merged") for merge in view.merged]
    rows += [(split.golden.name, " + ".join(step.name for step in split.candidate), "split") for split in view.split]
    rows += [(step.name, "", "missing") for step in view.missing]
    rows += [("", step.name, "added") for step in view.extra]
    return rows

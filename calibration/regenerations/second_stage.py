"""Prompts for a language model without a service, its answers, and what they are worth.

usage: second_stage.py prompts FOLDER [--stage STAGE] [--size N]                    pairs -> FOLDER/NNN.txt
       second_stage.py collect ANSWERS... [--stage STAGE] --date YYYY-MM-DD         -> answers.jsonl
       second_stage.py score [--stage STAGE]                                        rates of the recorded answers

Each file of prompts contains the instructions once and then some pairs under ids that say nothing about them: the
first digits of the prompt's hash. The answers are JSON Lines, one line for each prompt, with the id and the fields
that the instructions name. `collect` adds them to `answers.jsonl` beside this script, from which a client answers
without a service (`wfgate.llm.recording.Recording`).

The stage "quotes" is the second stage of the gate, for the pairs of the regenerations corpus. "judge" is the judge of
the paper for the same pairs, with three prompts for each pair. Each of the three wordings has its own files, so no
file contains a pair twice. "tables" is the same judge for perturbed goldens, as in Tables 1-3 of the paper. The
goldens of the regenerations corpus have no task; those of the tables have one, which is in the prompt.
"tables-without-task" has the prompts of the tables before that (llm-judge/2), to which the recorded answers belong.
"""

import argparse
import json
import sys
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import groupby
from pathlib import Path
from typing import Any

import numpy as np
from batches import Record, lines
from pydantic import BaseModel

from wfgate.calibration import Plan, read_corpus
from wfgate.calibration.plan import planned_variants
from wfgate.calibration.reports import paper
from wfgate.calibration.trajectories import point_of, sensitivities
from wfgate.compare import LlmJudge, SentPair
from wfgate.compare.metrics.llm_judge import mean_and_variance, questions, task_of
from wfgate.decide.quotes import Numbered, problems
from wfgate.errors import LlmAnswerError, LlmServiceError, printable
from wfgate.llm import Client, LlmQuestion
from wfgate.llm.prompts import judge, quotes
from wfgate.llm.recording import Recording
from wfgate.llm.structured import parsed
from wfgate.model import TaskGraph, Workflow
from wfgate.read import read_data
from wfgate.show import percent, table

HERE = Path(__file__).parent
CORPUS = HERE.parent / "corpora" / "regenerations"
PERTURBED = (HERE.parent / "corpora" / "ops", HERE.parent / "corpora" / "worfbench")
"""Corpora of the goldens for the stage "tables"; the default profile is fitted on the same ones."""
GOLDENS = 15
"""Goldens of the stage "tables"."""
STEPS = range(4, 13)
"""Numbers of steps of these goldens."""
ANSWERS = HERE / "answers.jsonl"
MODEL = "one family of large language models"
ID = 12
"""Digits of the hash of a prompt that are its id in a batch."""


@dataclass(frozen=True)
class Stage:
    """A kind of prompt: the answer's schema, and what a batch says before its pairs."""

    answer: type[BaseModel]
    instructions: str


_JUDGE = Stage(judge.Opinion, f"{judge.SYSTEM}\nThe answer for one pair:\n{judge.ANSWER}\n")
STAGES = {
    "quotes": Stage(quotes.Claims, f"{quotes.SYSTEM}\n{quotes.TASK}\nThe answer for one pair:\n{quotes.FORM}\n"),
    "judge": _JUDGE,
    "tables": _JUDGE,
    "tables-without-task": _JUDGE,
}

BATCH = """\
You get {count} pairs of workflows. Judge each pair by reading it yourself and independently of the other pairs; no \
script may judge (a script may only check the form of what you wrote).

Write the answers to {answers}: JSON Lines, one line for each pair, {{"id": "<id of the pair>", ...}} with the fields \
that are described below. Nothing else is needed.

----

{instructions}
----
"""


@dataclass(frozen=True)
class Pair:
    """A golden and a candidate.

    Attributes:
        golden: The golden.
        candidate: The candidate.
        labels: The record of the candidate: the reviewers' labels, or how the golden was perturbed.
        half: "fit" or "test"; nothing is fitted on "test".
        task: What the golden is for (`task_of`).
    """

    golden: Numbered
    candidate: Numbered
    labels: Record
    half: str
    task: dict[str, str] = field(default_factory=dict)

    @property
    def sent(self) -> SentPair:
        """The pair as sent to a language model."""
        return SentPair.of(self.golden.shown, self.candidate.shown, self.task)

    def questions(self, stage: str) -> list[LlmQuestion]:
        """Return the prompts of a stage; none if the pair is not sent."""
        sent = self.sent
        if sent.problem or sent.same:
            return []
        if stage == "tables-without-task":
            sent = replace(sent, task="")
        return [quotes.quotes_question(sent.golden, sent.candidate)] if stage == "quotes" else questions(sent)


def pairs(corpus: Path = CORPUS) -> Iterator[Pair]:
    """Yield the pairs of the regenerations corpus."""
    goldens = {record["id"]: record for record in lines(corpus / "goldens.jsonl")}
    read = {name: _numbered(_native(record), name) for name, record in goldens.items()}
    for record in lines(corpus / "candidates.jsonl"):
        candidate = _numbered(record["steps"], record["id"])
        yield Pair(read[record["golden"]], candidate, record, goldens[record["golden"]]["half"])


def perturbed(corpora: Sequence[Path] = PERTURBED, size: int = GOLDENS) -> Iterator[Pair]:
    """Yield pairs of goldens and their variants for Tables 1-3 of the paper.

    The variants are those of `wfgate calibrate` with its default seed, so both have the same prompts. The goldens have
    recorded rewordings; the hashes of their ids select `size` of them.

    Raises:
        PerturbationRejected: If an operator cannot make a variant.
    """
    corpus = read_corpus(corpora).where(lambda golden: bool(golden.texts.rewordings) and golden.n in STEPS)
    for golden in corpus.sample(size).goldens:
        shown = Numbered.of(golden.workflow, golden.graph)
        for plan in planned_variants(golden):
            if plan.operator in paper.TABLES and plan.severity in paper.SEVERITIES and not plan.reworded:
                variant = plan.make(golden, Plan.seed).workflow
                labels = {"golden": golden.id, "operator": plan.operator, "severity": plan.severity}
                task = task_of(golden.workflow)
                yield Pair(shown, Numbered.of(variant, TaskGraph.of(variant)), labels, "test", task)


def pairs_of(stage: str) -> Iterator[Pair]:
    """Yield the pairs of a stage."""
    return perturbed() if stage.startswith("tables") else pairs()


def _native(golden: Record) -> list[Record]:
    needs: defaultdict[int, list[str]] = defaultdict(list)
    for before, after in golden["edges"]:
        needs[after].append(f"s{before}")
    return [
        {"id": f"s{number}", "name": text, "needs": needs[number]} for number, text in enumerate(golden["steps"], 1)
    ]


def _numbered(steps: list[Record], name: str) -> Numbered:
    workflow: Workflow = read_data({"wfgate": "1", "steps": steps}, name).workflow
    return Numbered.of(workflow, TaskGraph.of(workflow))


def recorded(date: str = "") -> Client:
    """Return a client that answers from the recorded answers."""
    return Client(MODEL, Recording(ANSWERS, MODEL, date), offline=True)


def write_prompts(folder: Path, stage: str, size: int) -> None:
    """Write the prompts in files of `size` pairs.

    The half "test" comes first, in each half one wording after the other, and within a wording the hashes decide.
    """
    answering, kind = recorded(), STAGES[stage]
    asked = sorted(
        {
            (pair.half != "test", wording, answering.key(question, kind.answer).hex(), _pair_of(question))
            for pair in pairs_of(stage)
            for wording, question in enumerate(pair.questions(stage))
        }
    )
    folder.mkdir(parents=True, exist_ok=True)
    batches = [
        group[start : start + size]
        for group in ([*members] for _, members in groupby(asked, key=lambda one: one[:2]))
        for start in range(0, len(group), size)
    ]
    for number, batch in enumerate(batches):
        answers = folder.parent / "answers" / f"{number:03}.jsonl"
        head = BATCH.format(count=len(batch), answers=answers, instructions=kind.instructions)
        shown = [f"## Pair {key[:ID]}\n\n{text}\n" for _, _, key, text in batch]
        (folder / f"{number:03}.txt").write_text("\n".join([head, *shown]), encoding="utf-8")
    print(f"{len(asked)} prompts in {len(batches)} files; the half 'test' in {sum(not b[0][0] for b in batches)}")


def _pair_of(question: LlmQuestion) -> str:
    """Return what a prompt says beyond the instructions of its batch."""
    asked = question.messages[-1].content
    for said in (quotes.TASK, quotes.ANSWER, judge.ANSWER):
        asked = asked.removeprefix(f"{said}\n\n").removesuffix(f"\n\n{said}")
    return asked


def collect(paths: Sequence[Path], stage: str, date: str) -> None:
    """Add answers to the recording. Answers of another form, and answers to no prompt, are named and left out."""
    answering, kind = recorded(date), STAGES[stage]
    keys = [answering.key(question, kind.answer) for pair in pairs_of(stage) for question in pair.questions(stage)]
    by_id = {key.hex()[:ID]: key for key in keys}
    found: dict[bytes, bytes] = {}
    refused = []
    for path in paths:
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), start=1):
            if not line.strip():
                continue
            try:
                record = json.loads(line)
                key = by_id[record.pop("id")]
                text = json.dumps(record, ensure_ascii=False)
                parsed(text, kind.answer)
            except (ValueError, KeyError, TypeError, AttributeError, LlmAnswerError) as error:
                refused.append(f"{path}:{number}: {printable(repr(error))[:200]}")
            else:
                found[key] = text.encode()
    if answering.memory and found:
        answering.memory.write(found)
    print(*refused, sep="\n")
    print(f"{len(found)} answers recorded, {len(refused)} refused; {len(by_id) - len(found)} prompts without one")


def score(stage: str) -> None:
    """Print what the recorded answers are worth, by half and by the reviewers' verdict."""
    answering = recorded()
    groups: defaultdict[tuple[str, str], list[Any]] = defaultdict(list)
    for pair in pairs():
        accepted = "refused" if pair.labels["label"] == "reject" else "accepted"
        answers = [_answer(answering, question, STAGES[stage].answer) for question in pair.questions(stage)]
        if answers and None not in answers:
            groups[pair.half, accepted].append(_worth(stage, pair, answers))
    for (half, accepted), worth in sorted(groups.items()):
        print(f"{half}, {accepted}: {len(worth)} pairs answered")
        if stage == "judge":
            print(f"  mean grade {sum(worth) / len(worth):.3f}")
            continue
        print(f"  verified: {_share(sum(not rules for rules in worth), len(worth))}")
        for rule, count in Counter(rule for rules in worth for rule in rules).most_common():
            alone = sum(rules == {rule} for rules in worth)
            print(f"  {rule}: {_share(count, len(worth))}, alone {_share(alone, len(worth))}")
    if stage == "judge":
        for half in ("fit", "test"):
            better, worse = groups[half, "accepted"], groups[half, "refused"]
            wins = sum((one > other) + (one == other) / 2 for one in better for other in worse)
            print(f"{half}: AUC {wins / max(1, len(better) * len(worse)):.3f}")


def score_tables(stage: str = "tables") -> None:
    """Print the judge's rows of the paper's Tables 1-3 beside the grades in the recording."""
    answering = recorded()
    grades: defaultdict[tuple[str, float], list[float]] = defaultdict(list)
    goldens = set()
    for pair in perturbed():
        value = grade(answering, pair, stage)
        grades[pair.labels["operator"], pair.labels["severity"]].append(value)
        if not np.isnan(value):
            goldens.add(pair.labels["golden"])
    points = [point_of((operator, False, p), LlmJudge.id, np.array(each)) for (operator, p), each in grades.items()]
    slopes = {slope.operator: slope.value for slope in sensitivities(points)}
    variants, missing = sum(each.variants for each in points), sum(each.undefined for each in points)
    print(f"{LlmJudge.id}: {len(goldens)} goldens, {variants} variants graded, {missing} without a grade")
    print("Mean ± standard deviation over variants (number of variants); sensitivity: loss per unit of severity.\n")
    rows = []
    for operator, (_, metrics) in paper.TABLES.items():
        ours = {each.severity: each for each in points if each.operator == operator and each.variants}
        theirs, slope = paper.SENSITIVITIES[operator][LlmJudge.id], slopes.get(operator)
        cells = [f"{cell.mean:.2f} ± {cell.sd:.2f}" for cell in metrics[LlmJudge.id]]
        rows.append((operator, "paper", *cells, f"{theirs:.2f}"))
        found = [ours.get(severity) for severity in paper.SEVERITIES]
        cells = [f"{each.mean:.2f} ± {each.sd:.2f} ({each.variants})" if each else "none" for each in found]
        rows.append((operator, "here", *cells, "none" if slope is None else f"{slope:.2f}"))
    print(table(("operator", "", *map(percent, paper.SEVERITIES), "sensitivity"), rows))


def grade(answering: Client, pair: Pair, stage: str) -> float:
    """Return the judge's grade of a pair as `LlmJudge` computes it; NaN if an answer is missing."""
    if pair.sent.same:
        return 1.0
    answers = [_answer(answering, question, judge.Opinion) for question in pair.questions(stage)]
    if not answers or None in answers:
        return float("nan")
    return mean_and_variance([answer.score for answer in answers])[0]


def unverified() -> dict[str, int]:
    """Return for each answered workflow of the corpus, by id, why its quotes do not verify: the number of reasons.

    A workflow that is equal to its golden has none and is not sent.
    """
    answering, found = recorded(), {}
    for pair in pairs():
        answers = [_answer(answering, question, STAGES["quotes"].answer) for question in pair.questions("quotes")]
        if None not in answers and not pair.sent.problem:
            found[pair.labels["id"]] = sum(1 for each in answers for _ in problems(pair.golden, pair.candidate, each))
    return found


def _answer(answering: Client, question: LlmQuestion, schema: type[BaseModel]) -> Any:
    """Return the recorded answer to a prompt; None if there is none."""
    try:
        return answering.ask(question, schema).value
    except LlmServiceError:
        return None


def _worth(stage: str, pair: Pair, answers: Sequence[Any]) -> Any:
    """Return the rules by which an answer with quotes does not count, or the mean grade."""
    if stage == "judge":
        return sum(answer.score for answer in answers) / len(answers)
    return {problem.rule for problem in problems(pair.golden, pair.candidate, answers[0])}


def _share(count: int, of: int) -> str:
    return f"{count} of {of} ({100 * count / of:.1f} %)"


def main() -> int:
    """Run one of the steps."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("step", choices=("prompts", "collect", "score"))
    parser.add_argument("paths", nargs="*", type=Path)
    parser.add_argument("--stage", choices=tuple(STAGES), default="quotes")
    parser.add_argument("--size", type=int, default=12)
    parser.add_argument("--date")
    given = parser.parse_args()
    match given.step, given.paths:
        case "prompts", [folder]:
            write_prompts(folder, given.stage, given.size)
        case "collect", [_, *_] if given.date:
            collect(given.paths, given.stage, given.date)
        case "score", [] if given.stage.startswith("tables"):
            score_tables(given.stage)
        case "score", []:
            score(given.stage)
        case _:
            parser.error("these arguments do not fit the step")
    return 0


if __name__ == "__main__":
    sys.exit(main())

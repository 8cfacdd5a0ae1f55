"""Variants of goldens, written by a language model and recorded for a corpus.

An answer that fails validation goes back to the model with what is wrong with it; when that was of no use, a stronger
model is asked (WorkflowPerturb, appendix A.4 and A.5). What nobody got right is rejected, counted and recorded, too.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import reduce
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from wfgate.calibration.corpus import records, texts_record
from wfgate.errors import (
    CalibrationError,
    LlmAnswerError,
    LlmMalformedError,
    LlmRefusalError,
    LlmSchemaError,
    LlmTruncatedError,
    WritingRejected,
    first_problem,
)
from wfgate.llm import Client, at_once
from wfgate.llm.prompts.writer import Kind, again, prompt_hash, question, schema_of
from wfgate.llm.untrusted import spelled
from wfgate.model.workflow import Frozen
from wfgate.perturb import Golden, StepTexts
from wfgate.perturb.written import KINDS, Assignment, assignments, shown, texts_of
from wfgate.store import key_of

REPAIRS = 3
"""How often a model gets an invalid answer back before the stronger one is asked."""
_REASONS: dict[type[LlmAnswerError], str] = {
    LlmRefusalError: "refused",
    LlmTruncatedError: "truncated",
    LlmMalformedError: "no JSON",
    LlmSchemaError: "other schema",
}


class Usable(Frozen):
    """A variant that passed validation.

    Attributes:
        kind: What was done.
        severity: Share of steps that were to be affected.
        model: Who wrote it.
        prompt: Hash of the prompt.
        requests: How often models were asked for it.
    """

    kind: Kind
    severity: float
    model: str
    prompt: str
    requests: int


class Rejected(Frozen):
    """A variant that no model got right.

    Attributes:
        kind: What was to be done.
        severity: Share of steps that were to be affected.
        models: Who was asked, in this order.
        prompt: Hash of the prompt.
        requests: How often models were asked for it.
        reason: What was wrong with the last answer, in a word or two.
        message: The same in a sentence.
    """

    kind: Kind
    severity: float
    models: tuple[str, ...]
    prompt: str
    requests: int
    reason: str
    message: str


class Provenance(Frozen):
    """Where the texts of a record come from.

    Attributes:
        golden: Hash of the steps and links that the texts were written for.
        date: When, YYYY-MM-DD.
        variants: What is recorded.
        rejected: What is not.
    """

    golden: str
    date: str
    variants: tuple[Usable, ...] = ()
    rejected: tuple[Rejected, ...] = ()


@dataclass(frozen=True)
class Written:
    """What was written for one golden."""

    id: str
    texts: StepTexts
    provenance: Provenance

    def record(self) -> dict[str, Any]:
        """Return it as a record of a corpus, to be read by `read_corpus`."""
        return {"id": self.id, **texts_record(self.texts), "written": self.provenance.model_dump(mode="json")}


@dataclass(frozen=True)
class Writer:
    """Asks models for variants.

    Args:
        models: Who is asked: the second one where the first fails, and so on.
        date: What is recorded as the day, YYYY-MM-DD.
        repairs: How often a model gets an invalid answer back.
    """

    models: tuple[Client, ...]
    date: str
    repairs: int = REPAIRS

    def write(self, golden: Golden, wanted: Sequence[Assignment]) -> Written:
        """Return the variants of one golden, in the order of what is wanted; several requests at a time.

        Raises:
            LlmServiceError: If a service cannot be reached or fails again and again.
        """
        done = at_once(lambda one: self._one(golden, one), wanted, self.models[0].limits.concurrency)
        return Written(
            golden.id,
            reduce(StepTexts.joined, (texts for texts, _ in done), StepTexts()),
            Provenance(
                golden=content_hash(golden),
                date=self.date,
                variants=tuple(said for _, said in done if isinstance(said, Usable)),
                rejected=tuple(said for _, said in done if isinstance(said, Rejected)),
            ),
        )

    def _one(self, golden: Golden, wanted: Assignment) -> tuple[StepTexts, Usable | Rejected]:
        kind, severity, prompt = wanted.kind, wanted.severity, prompt_hash(wanted.kind)
        first = question(kind, severity, wanted.k(golden), golden.n, spelled(shown(golden)))
        requests, reason, message = 0, "", ""
        for client in self.models:
            asked = first
            for _ in range(self.repairs + 1):
                try:
                    answer = client.ask(asked, schema_of(kind))
                except LlmAnswerError as error:  # the client has asked again already
                    requests += client.limits.reasks + 1
                    reason, message = _REASONS.get(type(error), "no answer"), error.message
                    break
                requests += answer.reasks + 1
                try:
                    texts = texts_of(golden, wanted, answer.value)
                except WritingRejected as error:
                    reason, message = error.reason, error.message
                    asked = again(asked, answer.text, error.message)
                else:
                    usable = Usable(kind=kind, severity=severity, model=client.name, prompt=prompt, requests=requests)
                    return texts, usable
        names = tuple(client.name for client in self.models)
        return StepTexts(), Rejected(
            kind=kind,
            severity=severity,
            models=names,
            prompt=prompt,
            requests=requests,
            reason=reason,
            message=message,
        )

    def write_all(
        self, goldens: Iterable[Golden], before: Mapping[str, Sequence[Provenance]], kinds: Iterable[Kind] = KINDS
    ) -> Iterator[Written]:
        """Yield what is not written yet, golden by golden.

        A variant that was rejected is asked for again only where a model is there that was not asked.

        Args:
            goldens: What to write variants of.
            before: What is recorded already, by golden (see `read_written`).
            kinds: What to write.

        Raises:
            LlmServiceError: If a service cannot be reached or fails again and again.
            CalibrationError: If a golden is another one than its recorded variants were written for.
        """
        kinds = tuple(kinds)
        for golden in goldens:
            recorded = before.get(golden.id, ())
            if any(one.golden != content_hash(golden) for one in recorded):
                raise CalibrationError(
                    f"{golden.id}: the recorded variants were written for another version of it",
                    fix="take its records out of the output, or write to another file",
                )
            done = self._done(golden, recorded)
            wanted = [one for one in assignments(golden, kinds) if (one.kind, one.k(golden)) not in done]
            if wanted:
                yield self.write(golden, wanted)

    def _done(self, golden: Golden, recorded: Sequence[Provenance]) -> set[tuple[Kind, int]]:
        names = {client.name for client in self.models}
        done: list[Usable | Rejected] = [item for one in recorded for item in one.variants]
        done += [item for one in recorded for item in one.rejected if names <= set(item.models)]
        return {(item.kind, Assignment(item.kind, item.severity).k(golden)) for item in done}


@dataclass(frozen=True)
class Tally:
    """What is recorded in a file, all in all.

    Attributes:
        goldens: Goldens that something was written for.
        usable: Variants that calibration can use.
        repaired: Those of them that were right only after a first model had got its answer back.
        by_model: How many each model wrote.
        rejected: Variants that are not, each with its golden.
    """

    goldens: int
    usable: int
    repaired: int
    by_model: Mapping[str, int]
    rejected: tuple[tuple[str, Rejected], ...]

    @property
    def by_reason(self) -> list[tuple[str, list[tuple[str, Rejected]]]]:
        """The rejected ones by reason, the most frequent first."""
        reasons = Counter(item.reason for _, item in self.rejected)
        return [
            (reason, [one for one in self.rejected if one[1].reason == reason])
            for reason in sorted(reasons, key=lambda reason: (-reasons[reason], reason))
        ]


def tally(written: Mapping[str, Sequence[Provenance]]) -> Tally:
    """Count what is recorded; what was rejected and written later counts as usable."""
    usable = {
        (name, one.kind, one.severity): one for name, found in written.items() for p in found for one in p.variants
    }
    rejected = {
        (name, one.kind, one.severity): (name, one)
        for name, found in written.items()
        for p in found
        for one in p.rejected
    }
    return Tally(
        len(written),
        len(usable),
        sum(one.requests > 1 for one in usable.values()),
        Counter(one.model for one in usable.values()),
        tuple(found for key, found in rejected.items() if key not in usable),
    )


def read_written(path: Path) -> dict[str, list[Provenance]]:
    """Return what is recorded in a file of variants, by golden; nothing where there is no file.

    Raises:
        CalibrationError: If the file cannot be read.
    """
    found: dict[str, list[Provenance]] = {}
    if path.exists() and not path.is_file():  # a pipe or a device may never end
        raise CalibrationError(f"{path}: no regular file", fix="give another output")
    for number, record in records(path) if path.exists() else ():
        if "written" in record:
            try:
                found.setdefault(str(record.get("id")), []).append(Provenance.model_validate(record["written"]))
            except ValidationError as error:
                raise CalibrationError(
                    f"{path}:{number}: written.{first_problem(error)}", fix="give another output"
                ) from None
    return found


def content_hash(golden: Golden) -> str:
    """Return a hash of what variants depend on: the steps in their listing order, and which comes after which."""
    texts = [task.text for task in golden.workflow.tasks]
    return key_of(*texts, str(sorted(golden.graph.edges))).hex()[:16]

"""Generates variants of goldens with a language model, and records the variants for a corpus.

An invalid answer is sent back to the model with a description of the error. If all answers of the model are invalid, a
stronger model is used (WorkflowPerturb, appendix A.4 and A.5). A variant for which no model gives a valid answer is
rejected. Rejected variants are counted and recorded.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import reduce
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from wfgate.base import key_of
from wfgate.calibration.corpus import texts_record
from wfgate.calibration.perturb.base import Golden
from wfgate.calibration.perturb.texts import StepTexts
from wfgate.calibration.perturb.written import KINDS, Assignment, assignments, shown, texts_of
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
from wfgate.llm import Client, Kind, again, at_once, prompt_hash, schema_of, spelled, variant_question
from wfgate.model import Frozen
from wfgate.read import records

REPAIRS = 3
"""How often an invalid answer is sent back to a model before the stronger one is used."""
_REASONS: dict[type[LlmAnswerError], str] = {
    LlmRefusalError: "refused",
    LlmTruncatedError: "truncated",
    LlmMalformedError: "no JSON",
    LlmSchemaError: "other schema",
}


class Usable(Frozen):
    """A variant whose text passed the validation.

    Attributes:
        kind: Kind of the variant.
        severity: Share of steps to affect.
        model: The model that wrote the variant.
        prompt: Hash of the prompt.
        requests: Number of requests.
    """

    kind: Kind
    severity: float
    model: str
    prompt: str
    requests: int


class Rejected(Frozen):
    """A variant for which no model gave a valid answer.

    Attributes:
        kind: Kind of the variant.
        severity: Share of steps to affect.
        models: The models that were used, in order.
        prompt: Hash of the prompt.
        requests: Number of requests.
        reason: Kind of error in the last answer, in one or two words.
        message: The error in a sentence.
    """

    kind: Kind
    severity: float
    models: tuple[str, ...]
    prompt: str
    requests: int
    reason: str
    message: str


class TextProvenance(Frozen):
    """Where the texts of a record come from.

    Attributes:
        golden: Hash of the golden's steps and links at the time of the requests.
        date: Date of the requests, YYYY-MM-DD.
        variants: The variants with recorded texts.
        rejected: The variants without texts, because no model gave a valid answer.
    """

    golden: str
    date: str
    variants: tuple[Usable, ...] = ()
    rejected: tuple[Rejected, ...] = ()


@dataclass(frozen=True)
class WrittenVariants:
    """The variants written for one golden."""

    id: str
    texts: StepTexts
    provenance: TextProvenance

    def record(self) -> dict[str, Any]:
        """Return the variants as a corpus record for `read_corpus`."""
        return {"id": self.id, **texts_record(self.texts), "written": self.provenance.model_dump(mode="json")}


@dataclass(frozen=True)
class Writer:
    """Generates variants with language models.

    Args:
        models: The clients. The second is used if all answers of the first are invalid, and so on.
        date: Date to record, YYYY-MM-DD.
        repairs: How often an invalid answer is sent back to a model.
    """

    models: tuple[Client, ...]
    date: str
    repairs: int = REPAIRS

    def write(self, golden: Golden, wanted: Sequence[Assignment]) -> WrittenVariants:
        """Return the variants of one golden, in the order of `wanted`. The requests are parallel.

        Raises:
            LlmServiceError: If a service cannot be reached or keeps failing.
        """
        done = at_once(lambda one: self._one(golden, one), wanted, self.models[0].limits.concurrency)
        return WrittenVariants(
            golden.id,
            reduce(StepTexts.joined, (texts for texts, _ in done), StepTexts()),
            TextProvenance(
                golden=content_hash(golden),
                date=self.date,
                variants=tuple(result for _, result in done if isinstance(result, Usable)),
                rejected=tuple(result for _, result in done if isinstance(result, Rejected)),
            ),
        )

    def _one(self, golden: Golden, wanted: Assignment) -> tuple[StepTexts, Usable | Rejected]:
        kind, severity, prompt = wanted.kind, wanted.severity, prompt_hash(wanted.kind)
        first = variant_question(kind, severity, wanted.k(golden), golden.n, spelled(shown(golden)))
        requests, reason, message = 0, "", ""
        for client in self.models:
            current = first
            for _ in range(self.repairs + 1):
                try:
                    answer = client.ask(current, schema_of(kind))
                except LlmAnswerError as error:  # the client has already repeated the request
                    requests += client.limits.reasks + 1
                    reason, message = _REASONS.get(type(error), "no answer"), error.message
                    break
                requests += answer.reasks + 1
                try:
                    texts = texts_of(golden, wanted, answer.value)
                except WritingRejected as error:
                    reason, message = error.reason, error.message
                    current = again(current, answer.text, error.message)
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
        self, goldens: Iterable[Golden], before: Mapping[str, Sequence[TextProvenance]], kinds: Iterable[Kind] = KINDS
    ) -> Iterator[WrittenVariants]:
        """Yield, for each golden, the variants that are not recorded yet.

        A rejected variant is requested again only if `models` contains a model that was not used for this variant.

        Args:
            goldens: The goldens to write variants of.
            before: Provenance of recorded variants by golden (see `read_written`).
            kinds: Kinds of variants to write.

        Raises:
            LlmServiceError: If a service cannot be reached or keeps failing.
            CalibrationError: If a golden has changed since its recorded variants were written.
        """
        kinds = tuple(kinds)
        for golden in goldens:
            recorded = before.get(golden.id, ())
            if any(one.golden != content_hash(golden) for one in recorded):
                raise CalibrationError(
                    f"{golden.id}: the recorded variants were written for another version of this golden",
                    fix="remove the records of this golden from the output file, or write to another file",
                )
            done = self._done(golden, recorded)
            wanted = [one for one in assignments(golden, kinds) if (one.kind, one.k(golden)) not in done]
            if wanted:
                yield self.write(golden, wanted)

    def _done(self, golden: Golden, recorded: Sequence[TextProvenance]) -> set[tuple[Kind, int]]:
        names = {client.name for client in self.models}
        done: list[Usable | Rejected] = [item for one in recorded for item in one.variants]
        done += [item for one in recorded for item in one.rejected if names <= set(item.models)]
        return {(item.kind, Assignment(item.kind, item.severity).k(golden)) for item in done}


@dataclass(frozen=True)
class Tally:
    """Counts of recorded variants.

    Attributes:
        goldens: Number of goldens that have a record.
        usable: Number of variants that calibration can use.
        repaired: Number of usable variants that needed more than one request.
        by_model: Number of usable variants by model.
        rejected: Rejected variants, each with the id of its golden.
    """

    goldens: int
    usable: int
    repaired: int
    by_model: Mapping[str, int]
    rejected: tuple[tuple[str, Rejected], ...]

    @property
    def by_reason(self) -> list[tuple[str, list[tuple[str, Rejected]]]]:
        """The rejected variants by reason, the most frequent reason first."""
        reasons = Counter(item.reason for _, item in self.rejected)
        return [
            (reason, [one for one in self.rejected if one[1].reason == reason])
            for reason in sorted(reasons, key=lambda reason: (-reasons[reason], reason))
        ]


def tally(written: Mapping[str, Sequence[TextProvenance]]) -> Tally:
    """Count the recorded variants.

    A variant that was rejected first and written later counts as usable.
    """
    usable = {
        (name, one.kind, one.severity): one
        for name, recorded in written.items()
        for p in recorded
        for one in p.variants
    }
    rejected = {
        (name, one.kind, one.severity): (name, one)
        for name, recorded in written.items()
        for p in recorded
        for one in p.rejected
    }
    return Tally(
        len(written),
        len(usable),
        sum(one.requests > 1 for one in usable.values()),
        Counter(one.model for one in usable.values()),
        tuple(item for key, item in rejected.items() if key not in usable),
    )


def read_written(path: Path) -> dict[str, list[TextProvenance]]:
    """Return the provenance of the variants in a file, by golden; empty if the file does not exist.

    Raises:
        CalibrationError: If the file cannot be read.
    """
    written: dict[str, list[TextProvenance]] = {}
    if path.exists() and not path.is_file():  # a pipe or a device may never end
        raise CalibrationError(f"{path}: not a regular file", fix="give another output file")
    for number, record in records(path) if path.exists() else ():
        if "written" in record:
            try:
                written.setdefault(str(record.get("id")), []).append(TextProvenance.model_validate(record["written"]))
            except ValidationError as error:
                raise CalibrationError(
                    f"{path}:{number}: written.{first_problem(error)}", fix="give another output file"
                ) from None
    return written


def content_hash(golden: Golden) -> str:
    """Return a hash of the data that variants depend on: the steps in their order, and the links."""
    texts = [task.text for task in golden.workflow.tasks]
    return key_of(*texts, str(sorted(golden.graph.edges))).hex()[:16]

"""The links between the steps of one job: a sequence in which a skipped step skips no other, and a failed one does."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from wfgate.formats.builder import MAX_LINKS
from wfgate.formats.github_actions.conditions import ALWAYS, NEVER, Condition, Value
from wfgate.model import END, START, Guard, Link, SourceSpan
from wfgate.model.workflow import Outcome


@dataclass(frozen=True)
class Place:
    """A step, as far as the flow asks.

    Attributes:
        id: Its address.
        condition: Its `if`.
        forgiven: Whether its failure counts as success.
        span: Where its `if` stands, or the step itself.
    """

    id: str
    condition: Condition
    forgiven: bool = False
    span: SourceSpan | None = None

    @property
    def indifferent(self) -> bool:
        """Whether it does not depend on whether one before failed; between steps there is no third way to end."""
        return self.condition.success == self.condition.failure

    @property
    def always_runs(self) -> bool:
        """Whether it runs whatever happens."""
        return self.indifferent and self.condition.success is True

    @property
    def plain(self) -> bool:
        """Whether it runs exactly if nothing failed before."""
        return self.condition.failure is False and self.condition.success is True

    @property
    def handles(self) -> bool:
        """Whether it asks for a failure."""
        return self.condition.failure is not False and not self.indifferent


def guard_of(value: Value) -> Guard | None:
    """Return the guard that says what is left of a condition.

    Example:
        >>> guard_of(True), guard_of("a").expr, guard_of(False).expr
        (None, 'a', 'false')
    """
    if value is True:
        return None
    return Guard(expr="false" if value is False else value, language="github")


class StepFlow:
    """Links the steps of one job.

    A step that may be skipped by its own `if` is followed by two links to the next step, `success` and `skipped`, so
    that the sequence stays one. Only where a later step asks for a failure, failures of single steps matter: such a
    step has a `failure` link from each step before, and steps behind wait with `join` "all" for all those before
    of which the last one does not tell whether they failed.

    Args:
        places: The steps in their order.
        most: How many links there may be; no more are made than one above it.
    """

    def __init__(self, places: Sequence[Place], most: int = MAX_LINKS) -> None:
        self.places = places
        self.failing = any(place.handles for place in places)
        self.most = most
        self.links: list[Link] = []
        self.joins: dict[int, str] = {}
        self.hopeless: list[int] = []
        self.able: list[str] = []
        self.told: list[tuple[str, Outcome]] = []
        for number in range(len(places)):
            if len(self.links) > most:
                return
            self._enter(number)
        if places:
            self.links += [Link(source=source, target=END, outcome=outcome) for source, outcome in self._after(-1)]

    def _enter(self, number: int) -> None:
        place = self.places[number]
        condition = place.condition
        if number == 0:
            if condition.success is False:
                self.hopeless.append(number)
            self._link(START, number, condition.success)
        elif place.indifferent:
            self._link(self.places[number - 1].id, number, condition.success, "always")
        elif not place.handles:
            told, simple = self._nothing_failed(number, condition.success)
            if not simple:
                self.joins[number] = " and ".join(told)
            elif len(told) > 1:
                self.joins[number] = "all"
        else:
            self._handle(number, condition)
        if not place.forgiven:
            self.able.append(place.id)
        if number and self.places[number - 1].plain:
            self.told = list(self._after(number - 1))
        elif number and not self.places[number - 1].forgiven:
            self.told += self._after(number - 1)

    def _handle(self, number: int, condition: Condition) -> None:
        """Link a step that runs if one before failed, and perhaps if none did."""
        previous = self.places[number - 1]
        if not self.able and condition.success is False:
            self.hopeless.append(number)
            self._link(previous.id, number, NEVER, "always")
            return
        told, simple = (
            self._nothing_failed(number, condition.success) if condition.success is not False else ([], True)
        )
        for source in self.able[: self.most - len(self.links) + 1]:
            self._link(source, number, condition.failure, "failure")
        failed = " or ".join(f"{source}.failure" for source in self.able)
        if told and (failed or not simple):
            passed = " and ".join(told)
            self.joins[number] = f"({passed}) or {failed}" if failed else passed
        elif len(told) > 1:
            self.joins[number] = "all"
        elif not told and previous.forgiven:
            self._link(previous.id, number, ALWAYS, "always")
            self.joins[number] = failed

    def _nothing_failed(self, number: int, asked: Value) -> tuple[list[str], bool]:
        """Link a step to those before that tell that nothing failed: the one before, and where that is not enough
        those back to the last one that ran only if nothing had failed.

        The guard stands on one link only, and never on one that holds only if the step before was skipped: what both
        ask for may contradict each other.

        Returns:
            The terms of the join, and whether "all" says the same.
        """  # noqa: D205 - one sentence, two lines
        previous = self.places[number - 1]
        ways = list(self._after(number - 1))
        told = [] if previous.plain or not self.failing else self.told
        terms = {source: f"{source}.success" for source, _ in (*ways, *told)}
        terms |= {
            source: f"({terms[source]} or {source}.skipped)" for source, way in (*ways, *told) if way == "skipped"
        }
        if len(ways) == 1:
            self._link(previous.id, number, asked)
        elif asked is not True:
            self._link(previous.id, number, asked, "always")
            if not told and not (self.failing and previous.id in self.able):
                return [f"{previous.id}.always"], True
            told = [*ways, *told]
        else:
            told = [*ways, *told]
        for source, outcome in told[: self.most - len(self.links) + 1]:
            self._link(source, number, ALWAYS, outcome)
        if len(ways) > 1 and asked is not True:
            return [f"{previous.id}.always", *terms.values()], False
        return list(terms.values()), True

    def _after(self, number: int) -> Iterator[tuple[str, Outcome]]:
        """Yield the ways in which a step lets the next one go on."""
        place = self.places[number]
        yield place.id, "success"
        if not place.plain and not place.always_runs:
            yield place.id, "skipped"

    def _link(self, source: str, number: int, asked: Value, outcome: Outcome = "success") -> None:
        place = self.places[number]
        link = Link(source=source, target=place.id, guard=guard_of(asked), outcome=outcome, span=place.span)
        self.links.append(link)

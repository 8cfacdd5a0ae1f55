"""What a file of own rules may contain."""

from typing import Annotated, Literal, get_args

from pydantic import Field, model_validator

from wfgate.model import Frozen

Text = Annotated[str, Field(min_length=1, pattern=r"\S")]


class NamedStep(Frozen):
    """A step as a rule names it; with several keys, a step has to fit all of them.

    Attributes:
        text: Name or text of the step. A step with the same words fits; if there is none, one that means the same.
        same_words: Whether a step that only means the same does not fit.
        pattern: Glob of the name or text, case-insensitive: `*backup*`.
        id: Id in the golden; the steps of the candidate that do this step fit, whatever their ids.
        tool: Glob of the tool or action that the step calls, case-insensitive.
        value: Glob of a value of the step, or of `key=value`: `*--force*`, `environment=production`.
    """

    text: Text | None = None
    same_words: bool = False
    pattern: Text | None = None
    id: Text | None = None
    tool: Text | None = None
    value: Text | None = None

    @model_validator(mode="after")
    def _names_a_step(self) -> "NamedStep":
        if not (self.text or self.pattern or self.id or self.tool or self.value):
            raise ValueError("a step needs `text`, `pattern`, `id`, `tool` or `value`")
        return self

    def __str__(self) -> str:
        """Return the step as a message shows it."""
        keys = [("", self.text), *((f"{key} ", getattr(self, key)) for key in ("pattern", "id", "tool", "value"))]
        return " and ".join(f"{key}'{' '.join(value.split())}'" for key, value in keys if value)


Step = Text | NamedStep
Steps = Step | Annotated[tuple[Step, ...], Field(min_length=1)]
Several = Annotated[tuple[Step, ...], Field(min_length=2)]
Kind = Literal[
    "contains",
    "never",
    "before",
    "after",
    "only_if",
    "at_least",
    "exactly_one_of",
    "optional",
    "any_order",
    "critical",
    "additional",
]
KINDS: tuple[Kind, ...] = get_args(Kind)
MARKS: tuple[Kind, ...] = ("optional", "any_order", "critical", "additional")
"""Kinds that mark steps instead of demanding something."""


class OwnRule(Frozen):
    """One rule. Exactly one of the keys from `contains` to `additional` says what it demands.

    Attributes:
        id: Its name in reports.
        because: Why the rule exists; findings show it.
        verdict: What a proven breach leads to.
        cases: Glob of the cases that it is about: their names, or the names of their goldens.
        contains: The workflow has each of these steps.
        never: The workflow has none of these steps.
        before: Each of these steps runs only after the one before it in the list has run, on every path.
        after: The first step always runs after the second one, on every path, unless a step fails.
        step: The step of `only_if` and `at_least`.
        only_if: `step` runs only if this condition holds. A condition that is a comparison is computed; words are
            compared as words, or by meaning.
        at_least: The workflow has at least so many steps that fit `step`.
        exactly_one_of: Exactly one of these steps runs: one is there, and no two can run together.
        optional: These steps of the golden may be missing.
        any_order: These steps of the golden may run in any order with others.
        critical: These steps of the golden must not be missing.
        additional: These steps of the candidate may be there although the golden does not have them.
    """

    id: str = Field(pattern=r"^[A-Za-z0-9][A-Za-z0-9_.-]{0,59}$")
    because: Text | None = None
    verdict: Literal["block", "review"] = "block"
    cases: Text = "*"
    contains: Steps | None = None
    never: Steps | None = None
    before: Several | None = None
    after: tuple[Step, Step] | None = None
    step: Step | None = None
    only_if: Text | None = None
    at_least: int | None = Field(default=None, ge=1, le=1000)
    exactly_one_of: Several | None = None
    optional: Steps | None = None
    any_order: Steps | None = None
    critical: Steps | None = None
    additional: Steps | None = None

    @model_validator(mode="after")
    def _demands_one_thing(self) -> "OwnRule":
        kinds = [kind for kind in KINDS if getattr(self, kind) is not None]
        if len(kinds) != 1:
            what = f"several of them: {', '.join(kinds)}" if kinds else "none of them"
            raise ValueError(f"a rule needs exactly one of {', '.join(KINDS)}, and this has {what}")
        if (self.step is not None) != (kinds[0] in {"only_if", "at_least"}):
            raise ValueError("`step` belongs to `only_if` and `at_least`, and to no other kind of rule")
        return self

    @property
    def kind(self) -> Kind:
        """What it demands."""
        return next(kind for kind in KINDS if getattr(self, kind) is not None)

    @property
    def steps(self) -> tuple[NamedStep, ...]:
        """The steps that it names, in the order of the file."""
        given = self.step if self.step is not None else getattr(self, self.kind)
        each = given if isinstance(given, tuple) else (given,)
        return tuple(NamedStep(text=one) if isinstance(one, str) else one for one in each)


class RulesFile(Frozen):
    """The content of a file of own rules: `deploy.rules.toml` beside the golden `deploy.yaml`.

    Attributes:
        rules: The rules.
    """

    rules: tuple[OwnRule, ...] = ()

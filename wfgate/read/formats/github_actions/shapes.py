"""The shapes of workflow files, actions, jobs and steps: what the reader reads of them. All other keys are kept."""

from typing import Annotated, Any

from pydantic import BeforeValidator, ConfigDict

from wfgate.read.formats.github_actions.expressions import is_expression
from wfgate.read.formats.typed import Texts, Written


def scalar_text(value: Any) -> Any:
    """Return a scalar value as text; any other value as it is.

    Example:
        >>> scalar_text(False), scalar_text(8), scalar_text("x")
        ('false', '8', 'x')
    """
    if isinstance(value, dict | list):
        return value
    return str(value).lower() if isinstance(value, bool) else "" if value is None else str(value)


def _flag(value: Any) -> bool | str:
    """Return true, false or an expression."""
    if value is None or isinstance(value, bool):
        return bool(value)
    if is_expression(value):
        return str(value)
    if value not in ("true", "false"):
        raise ValueError("must be true, false or an expression")
    return bool(value == "true")


def _minutes(value: Any) -> str | None:
    """Return a number of minutes as a duration; an expression as it is written."""
    if value is None or is_expression(value):
        return value  # type: ignore[no-any-return]
    if isinstance(value, str) and value.strip().isdecimal():
        return f"{value.strip()}m"
    if isinstance(value, int | float) and not isinstance(value, bool):
        return f"{value:g}m" if isinstance(value, float) else f"{value}m"
    raise ValueError("must be a number or an expression")


Scalar = Annotated[str, BeforeValidator(scalar_text)]


class GithubShape(Written):
    """The base of the shapes."""

    model_config = ConfigDict(alias_generator=lambda name: name.rstrip("_").replace("_", "-"))


class Runnable(GithubShape):
    """What jobs and steps share."""

    name: Scalar = ""
    if_: Scalar = ""
    continue_on_error: Annotated[bool | str, BeforeValidator(_flag)] = False
    timeout_minutes: Annotated[str | None, BeforeValidator(_minutes)] = None
    uses: str | None = None
    with_: dict[str, Any] | None = None


class StepShape(Runnable):
    """One step."""

    aside = frozenset({"env", "shell", "working-directory"})

    id: Scalar = ""
    run: Scalar | None = None


class JobShape(Runnable):
    """One job."""

    aside = frozenset({"runs-on", "permissions", "concurrency", "env", "defaults", "snapshot"})

    needs: Texts = ()
    outputs: dict[str, Any] | None = None
    steps: tuple[StepShape, ...] = ()
    strategy: Any = None
    environment: Any = None
    secrets: Any = None
    container: Any = None
    services: Any = None


class GithubFile(GithubShape):
    """A workflow file."""

    aside = frozenset({"run-name", "permissions", "env", "defaults", "concurrency"})

    name: Scalar = ""
    on: Any
    jobs: dict[str, Any]

    @property
    def results(self) -> Any:
        """The outputs that a reusable workflow returns to its caller."""
        called = self.on.get("workflow_call") if isinstance(self.on, dict) else None
        return called.get("outputs") if isinstance(called, dict) else None


class Runs(GithubShape):
    """What an action runs."""

    using: str
    steps: tuple[StepShape, ...] = ()


class Action(GithubShape):
    """A composite action."""

    aside = frozenset({"author", "branding"})

    name: Scalar = ""
    description: Any = None
    inputs: Any = None
    outputs: Any = None
    runs: Runs

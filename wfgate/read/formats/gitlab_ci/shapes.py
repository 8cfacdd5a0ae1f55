"""The shapes of jobs: what the reader reads of them. All other keys are kept."""

from typing import Annotated, Any, Literal

from pydantic import BeforeValidator, Field

from wfgate.read.formats.typed import Texts, Written, listed, under

_ASIDE = """
after_script before_script cache coverage dast_configuration environment extends hooks id_tokens identity image inherit
inputs interruptible manual_confirmation pages publish release resource_group retry secrets services start_in tags
variables
"""
When = Literal["on_success", "on_failure", "always", "manual", "delayed", "never"]


def _as_paths(value: Any) -> Any:
    return value["paths"] if isinstance(value, dict) and set(value) == {"paths"} else value


class JobRule(Written):
    """One of `rules`: the first rule that holds decides whether and when the job runs."""

    if_: str | None = Field(default=None, alias="if")
    changes: Annotated[Any, BeforeValidator(_as_paths)] = None
    exists: Annotated[Any, BeforeValidator(_as_paths)] = None
    when: When | None = None
    allow_failure: Any = None
    needs: Any = None


class Need(Written):
    """One of `needs`: a job of this file, of another project or of another pipeline."""

    job: str | None = None
    project: str | None = None
    pipeline: str | None = None
    artifacts: bool = True
    optional: bool = False


def _as_refs(value: Any) -> Any:
    return {"refs": value} if isinstance(value, str | list) else value


class Refs(Written):
    """`only` or `except`: branches, variables or changed files."""

    refs: Texts = ()
    variables: Texts = ()
    changes: Any = None
    kubernetes: Any = None


class Parallel(Written):
    """`parallel`: a number of equal jobs, or the values of a matrix."""

    number: int | None = None
    matrix: tuple[dict[str, Any], ...] = ()


class Artifacts(Written):
    """`artifacts`: the files that later jobs can read."""

    paths: Texts = ()
    reports: dict[str, Any] = Field(default_factory=dict)


class Trigger(Written):
    """`trigger`: another pipeline, of a project or of files."""

    project: str | None = None
    include: Annotated[tuple[Any, ...], BeforeValidator(listed)] = ()


class GitlabJob(Written):
    """One job, after its templates and the defaults are merged into it."""

    aside = frozenset(_ASIDE.split())

    stage: str = "test"
    script: Texts = ()
    run: Any = None
    trigger: Annotated[Trigger | None, under("project")] = None
    needs: Annotated[tuple[Annotated[Need, under("job")], ...], BeforeValidator(listed)] | None = None
    dependencies: Texts | None = None
    rules: tuple[JobRule, ...] | None = None
    only: Annotated[Refs | None, BeforeValidator(_as_refs)] = None
    except_: Annotated[Refs | None, BeforeValidator(_as_refs)] = Field(default=None, alias="except")
    when: When = "on_success"
    allow_failure: bool | dict[str, Any] | None = None
    parallel: Annotated[Parallel | None, under("number")] = None
    artifacts: Artifacts = Artifacts()
    timeout: str | None = None

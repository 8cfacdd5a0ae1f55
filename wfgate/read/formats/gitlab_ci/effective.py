"""The configuration after GitLab's own rewriting: references, templates and defaults are merged into the jobs."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from wfgate.errors import FormatError
from wfgate.read.documents.document import Document
from wfgate.read.documents.kind import document_of
from wfgate.read.documents.limits import MAX_DEPTH, MAX_VALUES
from wfgate.read.documents.values import check_plain
from wfgate.read.formats.notes import Notes
from wfgate.read.formats.typed import listed, size
from wfgate.read.formats.words import kind_of

REFERENCE = "!reference"
MAX_LEVELS = 11
"""Most levels of `extends`."""
MAX_NESTING = 10
"""Most levels of `!reference` in `!reference`."""
_DEFAULTS = (
    *("after_script", "artifacts", "before_script", "cache", "hooks", "id_tokens", "identity", "image"),
    *("interruptible", "retry", "services", "tags", "timeout"),
)
"""What a job takes from `default`."""
_OLD_DEFAULTS = ("image", "services", "cache", "before_script", "after_script")
"""Keys at the top level that are defaults too."""
GLOBAL = frozenset({"default", "include", "spec", "stages", "variables", "workflow", *_OLD_DEFAULTS})
"""Keys at the top level that are not jobs."""
ELSEWHERE = "stages of included jobs"
"""The key of `stages` in a file that includes others: their order decides more than the links between its own jobs."""
UNUSED = "unused templates"
"""The key of the templates that no job uses, in a file that includes no others."""
_SCRIPTS = ("before_script", "script", "after_script", "rules")
"""Lists in which GitLab resolves nested lists."""


def written(document: Document) -> Document:
    """Return the document of a file with `!reference` tags, merge keys, or a header (`spec`) as a YAML document."""
    wanted = document.data is None and any(sign in document.text for sign in (REFERENCE, "<<"))
    if wanted and document.problem is not None:
        from wfgate.read.documents.yaml_text import MERGE  # noqa: PLC0415 - the YAML parser is only needed for YAML

        document = document_of(document.text, document.name, lines_above=document.lines_above, tags={REFERENCE, MERGE})
    if len(document.parts) == 2 and all(isinstance(part.data, dict) for part in document.parts):
        header, body = document.parts
        if set(header.data) == {"spec"} and "spec" not in body.data:
            return replace(body, data={**header.data, **body.data}, spans={**header.spans, **body.spans})
    return document


def is_job(key: str, value: object) -> bool:
    """Return whether an entry at the top level is a job. A key that starts with a dot is a template."""
    return key not in GLOBAL | {UNUSED} and not key.startswith(".") and isinstance(value, dict)


@dataclass
class Configuration:
    """One file, and what its jobs are after the rewriting.

    Attributes:
        document: The file as written.
        notes: The diagnostics.
        complete: Whether all that the file includes is in the document.
        merged: Templates and jobs with their own templates, and the number of levels of `extends`.
        resolved: Values of references, by path in the file, with the number of values.
        copied: Number of values copied by references, templates and defaults.
    """

    document: Document
    notes: Notes
    complete: bool = False
    merged: dict[str, tuple[dict[str, Any], int]] = field(default_factory=dict)
    resolved: dict[tuple[str, ...], tuple[Any, int]] = field(default_factory=dict)
    copied: int = 0

    def __post_init__(self) -> None:
        """Resolve the references."""
        data = self.document.mapping()
        self.included = data.get("include") is not None and not self.complete
        self.data = {key: self._resolve(value, (key,), ()) for key, value in data.items()}

    def effective(self) -> Document:
        """Return the document with complete jobs, and without the templates and defaults that they use.

        Jobs of other files may use the other templates and defaults, and be in the stages: those of the files that
        this one includes, and of the files that include it.

        Raises:
            FormatError: If a job is not a mapping, templates form a cycle or have too many levels, or the result is
                too large.
        """
        default = self.data.get("default") or {}
        if not isinstance(default, dict):
            raise self.document.error(
                f"`default` must be a mapping, not {kind_of(default)}", "default", fix="write `key: value` entries"
            )
        defaults = {key: self.data[key] for key in _OLD_DEFAULTS if key in self.data} | default
        kept = {key: value for key, value in self.data.items() if key in GLOBAL - {"default", *_OLD_DEFAULTS}}
        for key, value in self.data.items():
            if key in GLOBAL or key.startswith("."):
                continue
            if not isinstance(value, dict):
                message = f"the job {key[:80]!r} must be a mapping, not {kind_of(value)}"
                raise self.document.error(message, key, fix="write a mapping with `script`, or delete the key")
            kept[key] = self._job(key, defaults)
        used = {*self.merged, *(name[0] for name in self.resolved if name)}
        unused = {
            key: value
            for key, value in self.data.items()
            if key.startswith(".") and key not in used and not self._is_merged(key)
        }
        if self.included:
            kept |= unused | ({"default": defaults} if defaults else {})
            if "stages" in kept:
                kept[ELSEWHERE] = kept["stages"]
        elif unused:
            kept[UNUSED] = unused
        check_plain(kept, self.document.name)  # references can nest deeper than the file
        return replace(self.document, data=kept)

    def _is_merged(self, name: str) -> bool:
        """Return whether a job has all entries of a template, as with a merge key (`<<: *template`)."""
        written = self.document.data
        template = written[name]
        if not template or not isinstance(template, dict):
            return False
        return any(
            all(inner is template[key] for key, inner in entries.items())
            for entries in ({key: written[job].get(key) for key in template} for job in self.merged)
        )

    def _job(self, key: str, defaults: Mapping[str, Any]) -> dict[str, Any]:
        job = dict(self._with_templates(key, ())[0])
        inherit = job.get("inherit")
        inherited: Any = inherit.get("default", True) if isinstance(inherit, dict) else True
        allowed = inherited if isinstance(inherited, list) else _DEFAULTS if inherited else ()
        taken = {
            name: defaults[name] for name in _DEFAULTS if name in defaults and name in allowed and name not in job
        }
        if taken and job.get("trigger") is None:
            self._add(size(taken), key)
            job |= taken
        job = {name: value for name, value in job.items() if value is not None}
        for name in _SCRIPTS:
            if isinstance(job.get(name), list) or (name != "rules" and name in job):
                job[name] = list(_flat(listed(job[name])))
        _settle_when(job)
        if job.get("interruptible") is False and not self.included:  # the default, unless an included file has another
            del job["interruptible"]
        if isinstance(inherit, dict) and "default" in inherit:
            job["inherit"] = {name: value for name, value in inherit.items() if name != "default"}
        return job

    def _with_templates(self, key: str, chain: tuple[str, ...]) -> tuple[dict[str, Any], int]:
        """Return a job or template merged with what it extends, and the number of levels."""
        if key in chain:
            raise self._wrong(f"{key[:80]!r} extends itself", chain[0], "delete one of the `extends`")
        if len(chain) > MAX_LEVELS:
            raise self._wrong(f"more than {MAX_LEVELS} levels of `extends`", chain[0], "use fewer templates")
        if key not in self.merged:
            own = dict(self.data[key])
            result: dict[str, Any] = {}
            levels, unknown = 0, []
            for parent in map(str, listed(own.pop("extends", None))):
                if not isinstance(self.data.get(parent), dict) or parent in GLOBAL:
                    unknown.append(parent)
                    continue
                template, above = self._with_templates(parent, (*chain, key))
                self._add(size(template), key)
                levels = max(levels, above + 1)
                result = merged(result, template)
            unknown = [*listed(result.get("extends")), *unknown]
            self.merged[key] = merged(result, own) | ({"extends": unknown} if unknown else {}), levels
            self._say_unknown(key, unknown)
        if len(chain) + self.merged[key][1] > MAX_LEVELS:
            raise self._wrong(f"more than {MAX_LEVELS} levels of `extends`", (*chain, key)[0], "use fewer templates")
        return self.merged[key]

    def _say_unknown(self, key: str, unknown: list[str]) -> None:
        for name in unknown:
            where = "in an included file" if self.included else "not there"
            message = f"the template {name[:80]!r} is {where}, so this job is read without it"
            severity = "info" if self.included else "warning"
            fix = None if self.included else "define the template, or delete the name"
            self.notes.say(severity, message, key, "extends", fix=fix)  # type: ignore[arg-type]

    def _resolve(self, value: Any, path: tuple[str | int, ...], chain: tuple[tuple[str, ...], ...]) -> Any:
        """Return a value without references."""
        if len(path) > MAX_DEPTH:
            raise self._wrong(f"references nest deeper than {MAX_DEPTH} levels", path[0], "use fewer levels")
        from wfgate.read.documents.yaml_text import TaggedList  # noqa: PLC0415 - as above

        if isinstance(value, TaggedList):
            return self._referenced(tuple(map(str, value)), path, chain)
        if isinstance(value, dict):
            return {key: self._resolve(inner, (*path, key), chain) for key, inner in value.items()}
        if isinstance(value, list):
            return [self._resolve(inner, (*path, at), chain) for at, inner in enumerate(value)]
        return value

    def _referenced(
        self, name: tuple[str, ...], path: tuple[str | int, ...], chain: tuple[tuple[str, ...], ...]
    ) -> Any:
        shown = f"{REFERENCE} [{', '.join(name)}]"
        if name in chain or len(chain) >= MAX_NESTING:
            message = "contains itself" if name in chain else f"has more than {MAX_NESTING} levels"
            raise self._wrong(f"{shown[:80]} {message}", path[0], "replace the reference by the value")
        if name not in self.resolved:
            target: Any = self.document.data
            for key in name:
                target = target.get(key) if isinstance(target, dict) else None
            if target is None:
                if not self.included:
                    raise self.document.error(f"{shown[:80]} refers to nothing", *path, fix="correct the path")
                message = f"{shown[:80]} is in an included file and not read"
                self.notes.say("info", message, *path)
                target = shown
            value = self._resolve(target, path, (*chain, name))
            self.resolved[name] = value, size(value)
        value, count = self.resolved[name]
        self._add(count, path[0])
        return value

    def _add(self, count: int, key: str | int) -> None:
        self.copied += count
        if self.copied > MAX_VALUES:
            message = f"references, templates and defaults copy more than {MAX_VALUES:,} values"
            raise self._wrong(message, key, "use fewer or smaller templates")

    def _wrong(self, message: str, key: str | int, fix: str) -> FormatError:
        return self.document.error(message, key, fix=fix)


def merged(below: dict[str, Any], above: dict[str, Any]) -> dict[str, Any]:
    """Return two mappings merged: mappings key by key, all other values from the second one."""
    both = {**below, **above}
    for key in below.keys() & above.keys():
        if isinstance(below[key], dict) and isinstance(above[key], dict):
            both[key] = merged(below[key], above[key])
    return both


def _settle_when(job: dict[str, Any]) -> None:
    """Move `when` of a job to its rules, and drop the default; not if a template that is not read may differ."""
    if "extends" in job or "start_in" in job:
        return
    if isinstance(job.get("rules"), list):
        when = {"when": job.pop("when")} if isinstance(job.get("when"), str) else {}
        rules = [_without_default(when | rule) if isinstance(rule, dict) else rule for rule in job["rules"]]
        job["rules"] = rules[:-1] if len(rules) > 1 and rules[-1] == {"when": "never"} else rules
    if job.get("allow_failure") is (job.get("when") == "manual"):
        del job["allow_failure"]
    if job.get("when") == "on_success":
        del job["when"]


def _without_default(rule: dict[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in rule.items() if (key, value) != ("when", "on_success")}


def _flat(value: list[Any]) -> Iterator[Any]:
    for item in value:
        if isinstance(item, list):
            yield from _flat(item)
        else:
            yield item

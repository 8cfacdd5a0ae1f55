"""Formats of other packages: found by their entry point, loaded when needed. Errors name the package.

A package declares a reader in its metadata. The name of the entry point is the id of the format::

[project.entry-points."wfgate.formats"] steplist = "wfgate_steplist:StepListFormat"

The class derives from `wfgate.read.Format`. A package is imported only when the format of a text must be found, or
when a format is requested that is not part of wfgate. A faulty package never stops wfgate, and is always reported.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace

from wfgate.base import check_class, checked, documentation_of, said
from wfgate.errors import FormatError
from wfgate.model import Workflow
from wfgate.read.documents.document import Diagnostic, Document
from wfgate.read.formats.base import Format, Reading
from wfgate.read.formats.builder import check_size


class PluginFormat(Format):
    """A format of another package. Its errors become `FormatError`s that name the package.

    Args:
        form: The format.
        package: The distribution of the format, with its version.
    """

    def __init__(self, form: Format, package: str) -> None:
        self.form = form
        self.package = package
        attributes = ("id", "version", "writes", "signature", "keys", "words", "suffixes")
        vars(self).update({name: getattr(form, name) for name in attributes})

    @property
    def documentation(self) -> str:
        """The documentation that `wfgate explain` shows."""
        return documentation_of(type(self.form), self.package)

    def recognises(self, document: Document) -> bool:
        """Return whether the content has this format.

        Raises:
            FormatError: If the package fails.
        """
        with self._blamed(document.name):
            return bool(self.form.recognises(document))

    def read(self, document: Document) -> Reading:
        """Read the workflow.

        Raises:
            FormatError: If there is no workflow, the package fails, or the result is not a `Reading`.
        """
        with self._blamed(document.name):
            reading = checked(self.form.read(document), Reading, "read() returned")
            checked(reading.workflow, Workflow, "read() returned a Reading whose workflow is")
            for note in reading.diagnostics:
                checked(note, Diagnostic, "read() returned a Reading with a diagnostic that is")
        parts = (reading.workflow, *reading.workflow.subworkflows)
        check_size(document, sum(len(part.tasks) for part in parts), sum(len(part.links) for part in parts))
        return replace(reading, format=self.id)

    def write(self, workflow: Workflow) -> str:
        """Return the workflow in this format.

        Raises:
            FormatError: If the package has no writer for the format, or fails.
        """
        with self._blamed(workflow.name or "workflow"):
            return checked(self.form.write(workflow), str, "write() returned")

    @contextmanager
    def _blamed(self, path: str) -> Iterator[None]:
        try:
            yield
        except FormatError:
            raise
        except (Exception, SystemExit) as problem:  # SystemExit: a package that calls exit(0) must not pass a gate
            raise FormatError(
                f"the reader of the format {self.id!r} failed: {said(problem)}",
                path=path,
                fix=f"report this error to the authors of {self.package}, or choose another format with --from",
            ) from problem


def added(name: str, kind: object, package: str) -> PluginFormat:
    """Return the format of a package; whatever this raises is a fault of the package."""
    form = check_class(name, kind, Format, "wfgate.read.formats.base.Format")()  # type: ignore[type-abstract]
    checked(form.signature, str, "the attribute `signature` is")
    for mark in (mark for marks in (*form.keys, *form.words) for mark in marks):
        checked(mark, str, "an item of `keys` or `words` is")
    return PluginFormat(form, package)

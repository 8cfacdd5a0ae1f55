"""Derived workflows of XXP: resolves inheritance by `from` and `configure task`."""

from copy import copy
from dataclasses import dataclass, field

from wfgate.read.documents.document import Diagnostic, Document
from wfgate.read.documents.limits import MAX_DEPTH
from wfgate.read.formats.builder import check_size
from wfgate.read.formats.xxp.others import Others, XxpSource
from wfgate.read.formats.xxp.parser import XxpBlock

_COPIES = 10
"""How often all that a file of the largest size says may be copied."""


@dataclass
class Library:
    """The workflows of one file by name. Inheritance is resolved on demand.

    Attributes:
        blocks: The workflows of the file by name; and those of other files as soon as one of them is needed as a base.
        source: The file.
        diagnostics: Diagnostics about configurations that could not be applied, and about other files.
    """

    document: Document
    blocks: dict[str, XxpBlock]
    source: XxpSource
    diagnostics: list[Diagnostic] = field(default_factory=list)
    _full_names: dict[str, str] = field(default_factory=dict)
    _sources: dict[str, XxpSource] = field(default_factory=dict)
    _bases: dict[str, str | None] = field(default_factory=dict)
    _full: dict[str, XxpBlock] = field(default_factory=dict)
    _copied: int = 0
    _busy: set[str] = field(default_factory=set)

    def __post_init__(self) -> None:
        for name, block in self.blocks.items():
            self._full_names[f"{block.package}.{name.rpartition('.')[2]}"] = name
        self.others = Others(self.document, diagnostics=self.diagnostics)

    def find(self, name: str | None, package: str) -> str | None:
        """Return the name of a workflow in the file: first by its own package, then by `package`, then by any."""
        if name is None:
            return None
        return self._exact(name, package) or self._nearest(name)

    def _exact(self, name: str, package: str) -> str | None:
        """Return the name of a workflow by its full name, or by its name in `package`."""
        written = name.replace("/", ".")
        asked = (written, f"{package}.{written}")
        return next((self._full_names[each] for each in asked if each in self._full_names), None)

    def _nearest(self, name: str) -> str | None:
        """Return the name of a workflow of any package."""
        last = name.replace("/", ".").rpartition(".")[2]
        return next((asked for asked in (name, last) if asked in self.blocks), None)

    def base(self, block: XxpBlock) -> XxpBlock | None:
        """Return the base of a derived workflow; None if the base is neither in the file nor in one around it.

        A workflow of another package that has the same name (`workflow X from other.X`) is another workflow.

        Raises:
            FormatError: If the file with the base has a syntax error.
        """
        if block.base is None:
            return None
        if block.name not in self._bases:
            base = self._exact(block.base, block.package)
            if base is None:
                self._add(block)
                nearest = self._nearest(block.base)
                other = nearest if nearest != block.name else None
                base = self._exact(block.base, block.package) or other
            self._bases[block.name] = base
        name = self._bases[block.name]
        return None if name is None else self.blocks[name]

    def _add(self, block: XxpBlock) -> None:
        """Add the workflows of the file with the base of a workflow, if there is such a file."""
        blocks, source = self.others.with_base(block, self._sources.get(block.name, self.source))
        for each in blocks:
            full = f"{each.package}.{each.name}"
            name = full if each.name in self.blocks else each.name
            if full in self._full_names or name in self.blocks:
                continue
            each.name = name
            self.blocks[name] = each
            self._full_names[full] = name
            self._sources[name] = source

    def full(self, name: str) -> XxpBlock:
        """Return a workflow with everything that it inherits.

        Raises:
            FormatError: If a base of the workflow is neither in the file nor in one around it, or the workflow is
                derived from itself.
        """
        for own in reversed(self.lineage(name)):
            base = self.base(own)
            self._busy.add(own.name)
            if base is not None:
                self._full[own.name] = self._derived(self._full[base.name], own)
            else:
                self._full[own.name] = self._configured(self._copy(own), own.configs, known=False, depth=0)
            self._busy.discard(own.name)
        return self._full[name]

    def lineage(self, name: str) -> list[XxpBlock]:
        """Return a workflow, its base, the base of that, and so on, without those that `full` knows already.

        Raises:
            FormatError: If a base of the workflow is neither in the file nor in one around it, or the workflow is
                derived from itself.
        """
        line: dict[str, XxpBlock] = {}
        block: XxpBlock | None = self.blocks[name]
        while block is not None and block.name not in self._full:
            if block.name in line:
                message = f"the workflow {block.name[:80]} is derived from itself"
                raise self.document.error_at(block.span, message, fix="change the workflow named after `from`")
            line[block.name] = own = block
            block = self.base(own)
            if block is None and own.base is not None:
                where = "in this file" if self.document.beside is None else "in this file, nor in one around it"
                message = f"the workflow {own.name[:80]} is derived from {own.base[:80]}, which is not {where}"
                fix = "write both workflows to one file"
                if self.document.beside is not None:
                    path = own.base.replace(".", "/")[:80]
                    fix += (
                        f", or the base to {path}.xxp; only files of the checkout (without git: the folder) are read"
                    )
                raise self.document.error_at(own.span, message, fix=fix)
        return list(line.values())

    def _derived(self, base: XxpBlock, own: XxpBlock) -> XxpBlock:
        block = self._copy(base)
        block.name, block.span, block.base = own.name, own.span, own.base
        block.description = own.description or block.description
        for name in ("params", "data", "gates", "mentioned", "groups"):
            getattr(block, name).update(getattr(own, name))
        block.arrows += own.arrows
        block.flows += own.flows
        return self._configured(block, own.configs, known=True, depth=0)

    def _copy(self, block: XxpBlock) -> XxpBlock:
        self._copied += len(block.inside) + len(block.arrows) + len(block.flows)
        check_size(self.document, self._copied // _COPIES)
        made = copy(block)
        for name, value in vars(block).items():
            if isinstance(value, dict | list):
                setattr(made, name, copy(value))
        made.configs = []
        return made

    def _configured(self, block: XxpBlock, configs: list[XxpBlock], *, known: bool, depth: int) -> XxpBlock:
        """Apply `configure task`; `known` says that all tasks are known, as in a derived workflow."""
        for name, own in block.inside.items():
            if own.configs:
                block.inside[name] = self._merged(self._copy(own), own.configs, depth)
        for config in configs:
            task = block.inside.get(config.name)
            if task is not None:
                block.inside[config.name] = self._changed(task, config, depth)
            elif known and config.name not in block.mentioned:
                message = (
                    f"{block.name[:80]} has no task {config.name[:80]}; the configuration of that task is not read"
                )
                self.diagnostics.append(self.document.diagnostic_at(config.span, "warning", message))
            else:
                block.inside[config.name] = self._changed(XxpBlock("task", config.name, config.span), config, depth)
        return block

    def _changed(self, task: XxpBlock, config: XxpBlock, depth: int) -> XxpBlock:
        changed = self._copy(task)
        changed.description = config.description or changed.description
        if config.action is not None or config.calls is not None or config.composite:
            changed.action, changed.calls, changed.package = config.action, config.calls, config.package
            _take(changed, config)
        changed.params |= config.params
        changed.inputs += [name for name in config.inputs if name not in changed.inputs]
        changed.outputs += [name for name in config.outputs if name not in changed.outputs]
        return self._merged(changed, config.configs, depth)

    def _merged(self, task: XxpBlock, configs: list[XxpBlock], depth: int) -> XxpBlock:
        """Apply configurations inside a task to a copy of the workflow that the task runs."""
        if not configs:
            return task
        if depth >= MAX_DEPTH:
            raise self.document.error_at(
                task.span,
                f"the sub-workflows are nested deeper than {MAX_DEPTH} levels",
                fix="use fewer levels of nesting",
            )
        called = self.find(task.calls, task.package)
        if called in self._busy and not task.composite:
            message = f"{str(called)[:80]} calls itself; its configuration is not read"
            self.diagnostics.append(self.document.diagnostic_at(configs[0].span, "warning", message))
            return task
        if called is not None and not task.composite:
            sub = self._copy(self.full(called))
            task.origin = called
            _take(task, sub)
            task.description = task.description or sub.description
        if task.calls is not None and called is None and not task.composite:
            message = f"the workflow {task.calls[:80]} is not in this file; the configuration of its tasks is not read"
            self.diagnostics.append(self.document.diagnostic_at(configs[0].span, "warning", message))
            return task
        if not task.composite:
            task.mentioned |= {config.name: None for config in configs}
        return self._configured(task, configs, known=task.composite, depth=depth + 1)


def _take(block: XxpBlock, other: XxpBlock) -> None:
    """Give a block the tasks and links of another block."""
    for name in ("inside", "arrows", "flows", "data", "gates", "mentioned", "groups"):
        setattr(block, name, copy(getattr(other, name)))

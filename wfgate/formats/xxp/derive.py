"""Derived workflows of XXP: resolves inheritance by `from` and `configure task`."""

from dataclasses import dataclass, field, replace

from wfgate.documents import MAX_DEPTH, Diagnostic, Document
from wfgate.formats.builder import check_size
from wfgate.formats.xxp.parser import Block

_COPIES = 10
"""How often all that a file of the largest size says may be copied."""


@dataclass
class Library:
    """The workflows of one file by name. Inheritance is resolved on demand.

    Attributes:
        blocks: The workflows of the file by name.
        diagnostics: Diagnostics about configurations that could not be applied.
    """

    document: Document
    blocks: dict[str, Block]
    diagnostics: list[Diagnostic] = field(default_factory=list)
    _full_names: dict[str, str] = field(default_factory=dict)
    _full: dict[str, Block] = field(default_factory=dict)
    _copied: int = 0
    _busy: set[str] = field(default_factory=set)

    def __post_init__(self) -> None:
        for name, block in self.blocks.items():
            self._full_names[f"{block.package}.{name.rpartition('.')[2]}"] = name

    def find(self, name: str | None, package: str) -> str | None:
        """Return the name of a workflow in the file: first by its own package, then by `package`, then by any."""
        if name is None:
            return None
        written = name.replace("/", ".")
        last = written.rpartition(".")[2]
        for asked in (written, f"{package}.{written}"):
            if asked in self._full_names:
                return self._full_names[asked]
        return next((asked for asked in (name, last) if asked in self.blocks), None)

    def base(self, block: Block) -> Block | None:
        """Return the base of a derived workflow; None if the base is not in the file."""
        found = self.find(block.base, block.package)
        return self.blocks[found] if found is not None else None

    def full(self, name: str) -> Block:
        """Return a workflow with everything that it inherits.

        Raises:
            FormatError: If a base of the workflow is not in the file, or the workflow is derived from itself.
        """
        line: dict[str, Block] = {}
        found: Block | None = None
        block = self.blocks[name]
        while (found := self._full.get(block.name)) is None:
            if block.name in line:
                raise self.document.error_at(
                    block.span,
                    f"the workflow {block.name[:80]} is derived from itself",
                    fix="change the workflow named after `from`",
                )
            line[block.name] = block
            if block.base is None:
                break
            below = self.base(block)
            if below is None:
                raise self.document.error_at(
                    block.span,
                    f"the workflow {block.name[:80]} is derived from {block.base[:80]}, which is not in this file",
                    fix="write both workflows to one file",
                )
            block = below
        for own in reversed(line.values()):
            self._busy.add(own.name)
            found = self._derived(found, own) if found is not None and own.base is not None else self._own(own)
            self._busy.discard(own.name)
            self._full[own.name] = found
        return self._full[name]

    def _own(self, block: Block) -> Block:
        return self._configured(self._copy(block), block.configs, known=False, depth=0)

    def _derived(self, base: Block, own: Block) -> Block:
        block = self._copy(base)
        block.name, block.span, block.base = own.name, own.span, own.base
        block.description = own.description or block.description
        block.params |= own.params
        block.data |= own.data
        block.gates |= own.gates
        block.mentioned |= own.mentioned
        block.groups |= own.groups
        block.arrows += own.arrows
        block.flows += own.flows
        return self._configured(block, own.configs, known=True, depth=0)

    def _copy(self, block: Block) -> Block:
        self._copied += len(block.inside) + len(block.arrows) + len(block.flows)
        check_size(self.document, self._copied // _COPIES)
        return replace(
            block,
            params=dict(block.params),
            inputs=list(block.inputs),
            outputs=list(block.outputs),
            inside=dict(block.inside),
            configs=[],
            arrows=list(block.arrows),
            flows=list(block.flows),
            data=dict(block.data),
            gates=dict(block.gates),
            groups=dict(block.groups),
            mentioned=dict(block.mentioned),
        )

    def _configured(self, block: Block, configs: list[Block], *, known: bool, depth: int) -> Block:
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
                block.inside[config.name] = self._changed(Block("task", config.name, config.span), config, depth)
        return block

    def _changed(self, task: Block, config: Block, depth: int) -> Block:
        changed = self._copy(task)
        changed.description = config.description or changed.description
        if config.action is not None or config.calls is not None or config.composite:
            changed.action, changed.calls, changed.package = config.action, config.calls, config.package
            changed.inside, changed.arrows, changed.flows = (
                dict(config.inside),
                list(config.arrows),
                list(config.flows),
            )
            changed.data, changed.gates, changed.mentioned = (
                dict(config.data),
                dict(config.gates),
                dict(config.mentioned),
            )
        changed.params |= config.params
        changed.inputs += [name for name in config.inputs if name not in changed.inputs]
        changed.outputs += [name for name in config.outputs if name not in changed.outputs]
        return self._merged(changed, config.configs, depth)

    def _merged(self, task: Block, configs: list[Block], depth: int) -> Block:
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
            task.inside, task.arrows, task.flows = sub.inside, sub.arrows, sub.flows
            task.data, task.gates, task.mentioned, task.groups = sub.data, sub.gates, sub.mentioned, sub.groups
            task.description = task.description or sub.description
        if task.calls is not None and called is None and not task.composite:
            message = f"the workflow {task.calls[:80]} is not in this file; the configuration of its tasks is not read"
            self.diagnostics.append(self.document.diagnostic_at(configs[0].span, "warning", message))
            return task
        if not task.composite:
            task.mentioned |= {config.name: None for config in configs}
        return self._configured(task, configs, known=task.composite, depth=depth + 1)

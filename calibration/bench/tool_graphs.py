"""Exact comparison of ProcessTBench goldens and plans from their JSON, without wfgate's readers."""

import re
from collections import Counter
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from functools import cached_property
from typing import Any

_REFERENCE = re.compile(r"<([^<>]+)>")
_NODE = re.compile(r"node-(\d+)")

Link = tuple[str, str]


@dataclass(frozen=True)
class ToolGraph:
    """The tools and links of a golden or a plan.

    A tool that occurs twice is one node with a count, because links refer to tools by name in both kinds of record.

    Attributes:
        tools: Number of uses of each tool.
        links: Dependencies between tools: the golden's `task_links`, a plan's references.
        flows: Data dependencies between tools, from the arguments.
        words: Each tool with each argument that refers to no tool.
        dangling: References to missing tools, as (named, reader).
    """

    tools: Counter[str]
    links: frozenset[Link]
    flows: frozenset[Link]
    words: Counter[Link]
    dangling: frozenset[Link]

    @classmethod
    def of(cls, record: dict[str, Any], known: AbstractSet[str]) -> "ToolGraph":
        """Return the graph of a record.

        Args:
            record: A golden with `task_nodes` and `task_links`, or a regeneration with one plan.
            known: Names of all tools: `<Video Downloader>` refers to a tool, `<url>` does not.
        """
        golden = "task_nodes" in record
        steps: list[tuple[str, list[Any]]] = (
            [(node["task"], node["arguments"]) for node in record["task_nodes"]]
            if golden
            else [(tool, step["arguments"]) for tool, step in record["plans"][0].items()]
        )
        names = [tool for tool, _ in steps]
        referred: set[Link] = set()
        words: Counter[Link] = Counter()
        for tool, arguments in steps:
            for argument in arguments:
                source = _referred(argument, names, known)
                if source is None:
                    words[tool, _plain(argument)] += 1
                else:
                    referred.add((source, tool))
        flows = frozenset(link for link in referred if link[0] in names)
        links = frozenset((link["source"], link["target"]) for link in record["task_links"]) if golden else flows
        return cls(Counter(names), links, flows, words, frozenset(referred - flows))

    @property
    def contradicts_itself(self) -> bool:
        """Whether an argument needs an output that no link provides (74 of 359 goldens)."""
        return not self.flows <= self.links

    def links_of(self, shared: AbstractSet[str]) -> frozenset[Link]:
        """Return the links between some tools, with paths through all other tools contracted."""
        return frozenset((first, second) for first in shared for second in self._after(first, shared) & shared)

    def order_of(self, shared: AbstractSet[str]) -> frozenset[Link]:
        """Return the ordered pairs among some tools, direct or indirect."""
        return frozenset((first, second) for first in shared for second in self._after(first, frozenset()) & shared)

    def _after(self, tool: str, border: AbstractSet[str]) -> set[str]:
        """Return the tools reachable from one, without going beyond tools of the border."""
        found: set[str] = set()
        pending = [tool]
        while pending:
            source = pending.pop()
            fresh = {second for first, second in self.links if first == source} - found
            found |= fresh
            pending += fresh - border
        return found


@dataclass(frozen=True)
class Difference:
    """The exact changes of a plan against its golden.

    Links and order are compared between common tools, with paths through other tools contracted, so that a lost tool
    does not also count as lost links.
    """

    golden: ToolGraph
    plan: ToolGraph

    @cached_property
    def missing(self) -> Counter[str]:
        """Tools missing from the plan."""
        return self.golden.tools - self.plan.tools

    @cached_property
    def added(self) -> Counter[str]:
        """Tools only in the plan."""
        return self.plan.tools - self.golden.tools

    @cached_property
    def links(self) -> frozenset[Link]:
        """Removed and added links."""
        return self.golden.links_of(self._shared) ^ self.plan.links_of(self._shared)

    @cached_property
    def order(self) -> frozenset[Link]:
        """Ordered pairs of tools that only one of the two has."""
        return self.golden.order_of(self._shared) ^ self.plan.order_of(self._shared)

    @cached_property
    def flows(self) -> frozenset[Link]:
        """Data dependencies (from arguments) that only one of the two has."""
        return self.golden.flows ^ self.plan.flows

    @property
    def kind(self) -> str:
        """The kind of difference as text."""
        return " + ".join(self._kinds()) or self._arguments()

    @property
    def follows(self) -> str:
        """For a golden whose links and arguments disagree: which of them the plan follows."""
        if self.missing or self.added:
            return "other tools"
        told = frozenset((source, tool) for source, tool in self.golden.flows if source != tool)
        follows = [
            name for name, links in (("links", self.golden.links), ("arguments", told)) if self.plan.links == links
        ]
        return f"the golden's {follows[0]}" if follows else "neither links nor arguments"

    @property
    def _shared(self) -> AbstractSet[str]:
        return self.golden.tools.keys() & self.plan.tools.keys()

    def _kinds(self) -> list[str]:
        tools = {(True, True): "tool replaced", (True, False): "tool missing", (False, True): "tool added"}
        links = {(True, True): "dependency rewired", (True, False): "link changed, same order"}
        found = [
            tools.get((bool(self.missing), bool(self.added))),
            links.get((bool(self.links), bool(self.order))),
            "dangling reference" if self.plan.dangling else None,
        ]
        return [kind for kind in found if kind]

    def _arguments(self) -> str:
        if self.plan.words == self.golden.words:
            return "equal"
        counts = [Counter(tool for tool, _ in graph.words.elements()) for graph in (self.golden, self.plan)]
        return "argument reworded or translated" if counts[0] == counts[1] else "argument lost or added"


def _referred(argument: Any, names: list[str], known: AbstractSet[str]) -> str | None:
    """Return the tool that an argument refers to, by number (`<node-0>`) or by name (`<output of Text Search>`)."""
    reference = _REFERENCE.fullmatch(argument.strip()) if isinstance(argument, str) else None
    if reference is None:
        return None
    number = _NODE.search(reference[1])
    if number and int(number[1]) < len(names):
        return names[int(number[1])]
    said = _plain(reference[1])
    return max((tool for tool in known if f" {said}".endswith(f" {_plain(tool)}")), key=len, default=None)


def _plain(argument: Any) -> str:
    return " ".join(re.sub(r"[-_\s]+", " ", str(argument)).split()).casefold()

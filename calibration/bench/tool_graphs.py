"""Goldens and plans of ProcessTBench compared exactly, by their JSON alone: no reader of wfgate has a part in it."""

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
    """What a golden or a plan says.

    A tool that is there twice is one node with a count: links go by name in both kinds of record.

    Attributes:
        tools: How often each tool is used.
        links: Which tool waits for which: the golden's `task_links`, a plan's references.
        flows: Which tool's outcome another one is given, by the arguments.
        words: Each tool with each argument that refers to no tool.
        dangling: References to tools that are not there, as (named, reader).
    """

    tools: Counter[str]
    links: frozenset[Link]
    flows: frozenset[Link]
    words: Counter[Link]
    dangling: frozenset[Link]

    @classmethod
    def of(cls, record: dict[str, Any], known: AbstractSet[str]) -> "ToolGraph":
        """Take a record apart.

        Args:
            record: A golden with `task_nodes` and `task_links`, or a regeneration with one plan.
            known: All tools that there are: `<Video Downloader>` refers to a tool, `<url>` to none.
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
        """Whether an argument needs an outcome that no link brings: of 359 goldens 74 are so."""
        return not self.flows <= self.links

    def links_of(self, shared: AbstractSet[str]) -> frozenset[Link]:
        """Return the links between some tools, seen past all others."""
        return frozenset((first, second) for first in shared for second in self._after(first, shared) & shared)

    def order_of(self, shared: AbstractSet[str]) -> frozenset[Link]:
        """Return which of some tools comes before which, directly or not."""
        return frozenset((first, second) for first in shared for second in self._after(first, frozenset()) & shared)

    def _after(self, tool: str, border: AbstractSet[str]) -> set[str]:
        """Return the tools that come after one; those of the border are not passed."""
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
    """What a plan changed, exactly.

    Links and order are those between tools that both have, seen past the others: a lost tool is no lost link too.
    """

    golden: ToolGraph
    plan: ToolGraph

    @cached_property
    def missing(self) -> Counter[str]:
        """Tools that the plan lacks."""
        return self.golden.tools - self.plan.tools

    @cached_property
    def added(self) -> Counter[str]:
        """Tools that only the plan has."""
        return self.plan.tools - self.golden.tools

    @cached_property
    def links(self) -> frozenset[Link]:
        """Links that are gone or new."""
        return self.golden.links_of(self._shared) ^ self.plan.links_of(self._shared)

    @cached_property
    def order(self) -> frozenset[Link]:
        """Pairs of tools that only one of the two puts into this order."""
        return self.golden.order_of(self._shared) ^ self.plan.order_of(self._shared)

    @cached_property
    def flows(self) -> frozenset[Link]:
        """Outcomes that tools are given in one of the two only, by the arguments."""
        return self.golden.flows ^ self.plan.flows

    @property
    def kind(self) -> str:
        """What sort of difference it is, in words."""
        return " + ".join(self._kinds()) or self._arguments()

    @property
    def follows(self) -> str:
        """Which half of a golden that contradicts itself the plan agrees with."""
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

"""What every dialect of graph records is read into."""

from dataclasses import dataclass, field

from wfgate.documents import Diagnostic
from wfgate.model import DataLink, Link, Task


@dataclass
class GraphParts:
    """The parts of one workflow.

    Attributes:
        tasks: Tasks in listing order.
        links: Control flow, START and END included.
        data_links: Flow of data.
        diagnostics: What the dialect had to say.
        keys: The keys of the record that were read.
    """

    tasks: list[Task] = field(default_factory=list)
    links: list[Link] = field(default_factory=list)
    data_links: list[DataLink] = field(default_factory=list)
    diagnostics: list[Diagnostic] = field(default_factory=list)
    keys: set[str] = field(default_factory=set)

"""The output of `wfgate score` for two folders: means by metric, then chain beside graph by group; text or JSON."""

from collections.abc import Iterator, Sequence

from wfgate.run import CHAIN_AND_GRAPH, GroupMeans, MetricMean, SuiteScores
from wfgate.show.escape import visible
from wfgate.show.wording import count

_NAME = 34


def suite_text(scores: SuiteScores) -> str:
    """Return the means as text, 80 columns wide."""
    left = [pair for pair in scores.pairs if pair.problem is not None]
    done = len(scores.pairs) - len(left)
    lines = [f"{count(len(scores.pairs), 'pair')}: {done} scored, {len(left)} not scored"]
    lines += [f"  not scored: {visible(pair.id, 60)}: {visible(pair.problem or '', 200)}" for pair in left]
    if scores.means:
        lines += ["", f"{'metric':{_NAME}}{'mean':>8}{'sd':>8}{'pairs':>8}"]
        lines += [f"{row.metric:{_NAME}}{row.mean:>8.3f}{_sd(row)}{row.pairs:>8}" for row in scores.means]
    for chain, graph in CHAIN_AND_GRAPH:
        if {chain, graph} <= {row.metric for row in scores.means}:
            title = f"{chain} beside {graph}"
            lines += ["", f"{title:{_NAME}}{'chain':>8}{'graph':>8}{'gap':>8}{'pairs':>8}"]
            lines += _side_by_side(scores.groups, chain, graph)
    return "\n".join(lines)


def _side_by_side(groups: Sequence[GroupMeans], chain: str, graph: str) -> Iterator[str]:
    for group in groups:
        mean = {row.metric: row.mean for row in group.means}
        if chain in mean and graph in mean:
            values = (mean[chain], mean[graph], mean[chain] - mean[graph])
            name = f"{group.by} {visible(group.group, _NAME - 12)}"
            yield f"{name:{_NAME}}" + "".join(f"{value:>8.3f}" for value in values) + f"{group.pairs:>8}"


def _sd(row: MetricMean) -> str:
    return f"{'-':>8}" if row.sd is None else f"{row.sd:>8.3f}"

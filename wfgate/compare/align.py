"""Computes the alignment of two workflows.

1. Workflows with equal content are aligned by their canonical orders, and the alignment is verified edge by edge:
   identical and relisted workflows are aligned exactly, independent of the embedder.
2. Otherwise steps are assigned one to one at maximum total weight (Kuhn-Munkres, see
   `assignment.py`). The weight is text similarity plus two small structural terms: relative
   topological depth, and the number of neighbours that are assigned to each other so far. The structural terms
   distinguish repeated or nearly equal texts. Golden and candidate are first sorted by content. Therefore listing
   order and ids do not affect the choice between equally good assignments.
3. A meaning model (a network that scores whether two texts mean the same) confirms a pair if the probability of the
   same meaning is above 0.5. Steps of unconfirmed pairs may be reassigned to the most similar other unconfirmed steps,
   or to steps with the same text and other arguments, if the model confirms the new pairs.
4. Unconfirmed pairs with a similarity below the embedder's threshold beta are dropped. An unmatched step becomes part
   of a merge or split if the changed text of a neighbour's partner covers the unmatched step.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from copy import copy
from functools import cache, cached_property
from itertools import islice
from typing import Any

import numpy as np
from numpy.typing import NDArray

from wfgate.compare.alignment import Alignment, Match, Merge, Split
from wfgate.compare.assignment import assign
from wfgate.compare.comparison import Comparison
from wfgate.compare.contract import Contract
from wfgate.compare.coverage import Coverage
from wfgate.compare.similarity import text_similarity
from wfgate.compare.supports import demand_scores
from wfgate.compare.twins import twins_by_data
from wfgate.language import Embedder, MeaningModel, TextPair, plain_words, same_words
from wfgate.model import CanonicalForm, TaskGraph, Workflow, canonical_form, expand

Matrix = NDArray[np.float64]

ALIGNMENT_VERSION = 4
"""Increases whenever any alignment can change; scores of different versions are never compared."""
LIGHT = (0.05, 0.05)
"""Structural weights in units of similarity: the penalty for a step at the other end of the workflow, and the bonus
for full agreement of all neighbours. Larger weights would hide steps that changed places."""
HEAVY = (0.15, 0.1)
"""Structural weights for a second assignment if the first one leaves links unmatched."""
TEXT_MARGIN = 0.1
"""Largest loss of similarity, summed over all pairs, for which the second assignment is preferred.

"Open Safari" and "Click Safari" may be exchanged for it, "deploy" and "test" may not. Of 944 recorded full rewordings
2 stay misaligned somewhere (6 without the second assignment); of 436 swapped pairs 98 % are detected either way.
"""
ROUNDS = 3
"""Largest number of reassignments with neighbour agreement; real workflows converge after one or two."""
ALTERNATIVES = 2
"""Alternative partners, most similar first, that the meaning model scores per unconfirmed step."""
MOST_ALTERNATIVES = 64
"""The same for all steps of a pair together; real rewordings need none or two."""
DENSE = 160
"""Multiplications of a matrix product that take as long as counting one pair of neighbours."""
LISTED = 1_000_000
"""Largest number of pairs of neighbours that are listed to count them. A hub of 5,000 steps has 25 million."""
LEAST_ALTERNATIVE = 0.4
"""Smallest similarity of an alternative partner; 6 of 1,000 recorded rewordings are below."""
CONFIRMED = 0.5
"""Similarity bonus of a confirmed pair, times its probability."""

Pair = tuple[int, int]
Sides = tuple[Sequence[str], Sequence[str]]
"""The texts of the golden's steps and of the candidate's."""


def compare(
    golden: Workflow,
    candidate: Workflow,
    embedder: Embedder,
    meaning_model: MeaningModel | None = None,
    contract: Contract | None = None,
    brief: str = "",
) -> Comparison:
    """Return the comparison of two workflows: composites expanded, graphs built, steps aligned.

    Args:
        golden: The approved workflow.
        candidate: The workflow under test.
        embedder: Embeds the step texts.
        meaning_model: Scores whether two texts mean the same; None to align by similarity and structure only.
        contract: What the golden and further references leave free; None for the marks of the golden.
        brief: The text from which workflows of this case are generated; empty if unknown.

    Cost: O((n + m)^3) for the assignment, in practice 0.5 ms at 10 steps, 40 ms at 400 and 1 to 9 s at 2,000, plus
    the embedding of the texts and one model score per changed step.
    """
    return _Pair(_Side(golden), _Side(candidate), embedder).compared(meaning_model, contract, brief)


def compare_all(
    golden: Workflow, candidates: Iterable[Workflow], embedder: Embedder, meaning_model: MeaningModel | None = None
) -> list[Comparison]:
    """Return the comparisons of a golden with many candidates: the same results as `compare`, but faster.

    The golden is prepared once. The meaning model scores the texts of all candidates in two batches (alignment,
    changed steps); this takes a little more than half the time of single calls. The model must have a cache
    (`CachedMeaningModel`). All comparisons stay in memory until the last one is done.
    """
    side = _Side(golden)
    pairs = [_Pair(side, _Side(each), embedder) for each in candidates]
    if meaning_model is not None:
        meaning_model.compare([texts for pair in pairs for texts in pair.assigned_texts])
    comparisons = [pair.compared(meaning_model) for pair in pairs]
    if meaning_model is not None:
        demand_scores(
            [asked for each in comparisons for asked in (*each.changed_texts.values(), *each.added_texts.values())],
            meaning_model,
        )
    return comparisons


class _Side:
    """A workflow prepared for any number of comparisons.

    Attributes:
        file: The workflow as written.
        workflow: The workflow with composites expanded.
        graph: The task graph of `workflow`.
        order: The steps in topological order; ties are broken by content.
        texts: The texts of the steps, in this order.
    """

    def __init__(self, file: Workflow) -> None:
        self.file = file
        self.workflow = expand(file)
        self.graph = TaskGraph.of(self.workflow)
        self.order = _reading_order(self.workflow, self.graph)
        self.texts = [self.workflow.tasks[task].text for task in self.order]

    @cached_property
    def sorted_texts(self) -> list[str]:
        """The texts, sorted."""
        return sorted(self.texts)

    @cached_property
    def statements(self) -> list[str]:
        """The steps' statements, in the order of `texts`."""
        return [self.workflow.tasks[task].statement for task in self.order]

    @cached_property
    def listed(self) -> TaskGraph:
        """The graph; the steps are numbered by their rank in `order`."""
        return self.graph.listed(self.order)

    @cached_property
    def form(self) -> CanonicalForm:
        """Canonical form of the steps and their links."""
        return _form(self.workflow, self.graph)


class _Pair:
    """A golden and a candidate before they are aligned.

    Attributes:
        golden: The golden.
        candidate: The candidate.
        embedder: Embeds the step texts.
        isomorphism: The alignment if both workflows have equal content; None if the content differs.
    """

    def __init__(self, golden: _Side, candidate: _Side, embedder: Embedder) -> None:
        self.golden, self.candidate, self.embedder = golden, candidate, embedder
        same_texts = golden.sorted_texts == candidate.sorted_texts
        self.isomorphism = _isomorphism(golden, candidate) if same_texts else None

    @cached_property
    def problem(self) -> "_Assignment":
        """The assignment problem, for workflows with different content."""
        return _Assignment(self._listed(), self.golden.listed, self.candidate.listed)

    def _listed(self) -> Matrix:
        """Return the text similarity; rows and columns are in the `order` of golden and candidate."""
        return text_similarity(self.golden.texts, self.candidate.texts, self.embedder)

    def _by_position(self, listed: Matrix) -> Matrix:
        """Return the text similarity with rows and columns in the order of the workflows."""
        if all(side.order == [*range(len(side.order))] for side in (self.golden, self.candidate)):
            return listed  # a copy of 10,000 steps would take 800 MB
        similarity = np.empty_like(listed)
        similarity[np.ix_(self.golden.order, self.candidate.order)] = listed
        return similarity

    @cached_property
    def assigned(self) -> list[Pair]:
        """The pairs assigned by similarity and structure; empty for workflows with equal content."""
        return [] if self.isomorphism is not None else self.problem.assigned()

    @property
    def assigned_texts(self) -> list[TextPair]:
        """The texts of the assigned steps."""
        return [(self.golden.statements[g], self.candidate.statements[c]) for g, c in self.assigned]

    def compared(
        self, meaning_model: MeaningModel | None, contract: Contract | None = None, brief: str = ""
    ) -> Comparison:
        """Return the comparison with aligned steps."""
        golden, candidate = self.golden, self.candidate
        if self.isomorphism is not None:
            # Nothing needs the similarity of equal workflows, and the embedder need not be loaded for them.
            measure = cache(lambda: self._by_position(self._listed()))
            matches = [Match(golden=g, candidate=c, similarity=1.0) for g, c in self.isomorphism]
            alignment = Alignment(matches=tuple(matches))
        else:
            alignment = _renumbered(self._aligned(meaning_model), golden.order, candidate.order)
            similarity = self._by_position(self.problem.similarity)  # after the assignment, which needs the memory
            measure = cache(lambda: similarity)
        alignment = twins_by_data(alignment, (golden.file, golden.workflow), (candidate.file, candidate.workflow))
        comparison = Comparison(
            golden.workflow,
            candidate.workflow,
            golden.graph,
            candidate.graph,
            measure,
            alignment,
            self.embedder,
            meaning_model,
            golden.file,
            candidate.file,
            contract=contract or Contract.marked(golden.workflow),
            brief=brief,
        )
        if not comparison.contract.permitted:
            return comparison
        from wfgate.compare.permitted import without_permitted  # noqa: PLC0415 - only with an own rule

        return without_permitted(comparison)

    def _aligned(self, meaning_model: MeaningModel | None) -> Alignment:
        """Return the alignment; steps are numbered by their rank in `order`."""
        similarity, embedder = self.problem.similarity, self.embedder
        texts, statements = (
            (self.golden.texts, self.candidate.texts),
            (self.golden.statements, self.candidate.statements),
        )
        pairs = self.assigned
        confirmed: frozenset[Pair] = frozenset()
        if meaning_model is not None:
            pairs, confirmed = _Confirmation(statements, meaning_model, embedder.parameters.beta).reassigned(
                self.problem, pairs
            )
        pairs = [pair for pair in pairs if similarity[pair] >= embedder.parameters.beta or pair in confirmed]
        matches = tuple(Match(golden=g, candidate=c, similarity=float(similarity[g, c])) for g, c in pairs)
        changed = [(g, c) for g, c in pairs if not same_words(statements[0][g], statements[1][c])]
        left = [set(range(len(side))) - {pair[place] for pair in pairs} for place, side in enumerate(texts)]
        golden, candidate = self.problem.graphs
        fit = Coverage(embedder)
        merges = fit.groups(left[0], dict(changed), golden, texts, similarity, kind="merge")
        splits = fit.groups(left[1], {c: g for g, c in changed}, candidate, texts[::-1], similarity.T, kind="split")
        return Alignment(
            matches=matches,
            merges=tuple(Merge(golden=steps, candidate=owner) for owner, steps in merges),
            splits=tuple(Split(golden=owner, candidate=steps) for owner, steps in splits),
        )


def _form(workflow: Workflow, graph: TaskGraph) -> CanonicalForm:
    """Return the canonical form of the steps and their links, without the workflow's own name and parameters."""
    return canonical_form(workflow.model_copy(update={"name": "", "description": "", "params": {}}), graph)


def _reading_order(workflow: Workflow, graph: TaskGraph) -> list[int]:
    """Return the steps in topological order; ties are broken by content.

    Steps are compared by text. If texts are repeated, also by depth and neighbours. Remaining ties are broken by the
    canonical form.
    """
    texts = [task.text for task in workflow.tasks]
    content: list[Any] = texts
    if len(set(texts)) < len(texts):
        around = zip(graph.depth, graph.predecessors, graph.successors, strict=True)
        near = [(depth, *(tuple(sorted(texts[t] for t in side)) for side in sides)) for depth, *sides in around]
        content = list(zip(texts, near, strict=True))
    if len(set(content)) < len(content):
        content = list(_ranked(_form(workflow, graph).order))
    return graph.topological_order(content.__getitem__)


def _ranked(order: Sequence[int]) -> Iterator[int]:
    rank = {task: place for place, task in enumerate(order)}
    return (rank[task] for task in range(len(order)))


def _renumbered(alignment: Alignment, golden: Sequence[int], candidate: Sequence[int]) -> Alignment:
    """Return the alignment with positions of the workflows instead of positions in the canonical orders."""
    matches = [
        match.model_copy(update={"golden": golden[match.golden], "candidate": candidate[match.candidate]})
        for match in alignment.matches
    ]
    merges = [
        Merge(golden=tuple(sorted(golden[step] for step in merge.golden)), candidate=candidate[merge.candidate])
        for merge in alignment.merges
    ]
    splits = [
        Split(golden=golden[split.golden], candidate=tuple(sorted(candidate[step] for step in split.candidate)))
        for split in alignment.splits
    ]
    return Alignment(
        matches=tuple(sorted(matches, key=lambda match: match.golden)),
        merges=tuple(sorted(merges, key=lambda merge: merge.candidate)),
        splits=tuple(sorted(splits, key=lambda split: split.golden)),
    )


def _isomorphism(golden: _Side, candidate: _Side) -> list[tuple[int, int]] | None:
    """Return the pairs of a one-to-one mapping that preserves content and edges (verified), or None."""
    if golden.form.certificate != candidate.form.certificate or golden.graph.n != candidate.graph.n:
        return None
    image = dict(zip(golden.form.order, candidate.form.order, strict=True))
    if any(golden.workflow.tasks[g].text != candidate.workflow.tasks[c].text for g, c in image.items()):
        return None
    if {(image[a], image[b]) for a, b in golden.graph.edges} != candidate.graph.edges:
        return None
    return sorted(image.items())


class _Confirmation:
    """Reassigns pairs that the meaning model does not confirm (log-odds of the same meaning at most 0).

    Args:
        statements: The statements of the steps.
        meaning_model: Scores whether two texts mean the same.
        beta: Pairs with a smaller similarity are always scored: they are dropped if they are not confirmed.
    """

    def __init__(self, statements: Sides, meaning_model: MeaningModel, beta: float) -> None:
        self.statements = statements
        self.meaning_model = meaning_model
        self.beta = beta

    def reassigned(self, problem: "_Assignment", pairs: list[Pair]) -> tuple[list[Pair], frozenset[Pair]]:
        """Return the pairs, with unconfirmed steps reassigned if this helps, and the confirmed pairs among them.

        Pairs that cannot change anything are not scored; they count as not confirmed.
        """
        n, m = problem.similarity.shape
        free = sorted(set(range(n)) - {g for g, _ in pairs}), sorted(set(range(m)) - {c for _, c in pairs})
        confirmed, unconfirmed = self._scored(problem.similarity, pairs, free)
        rows = sorted({g for g, _ in unconfirmed}.union(free[0]))
        columns = sorted({c for _, c in unconfirmed}.union(free[1]))
        others = [*self._namesakes(rows, columns), *_alternatives(problem.similarity, rows, columns, set(pairs))]
        better = self._confirmed(others)
        if not better:
            return pairs, frozenset(confirmed)
        bonus = {pair: CONFIRMED * probability for pair, probability in (self._confirmed(pairs) | better).items()}
        new_pairs = problem.biased(bonus).assigned()
        return new_pairs, frozenset(self._confirmed(new_pairs))

    def _scored(
        self, similarity: Matrix, pairs: list[Pair], free: tuple[list[int], list[int]]
    ) -> tuple[dict[Pair, float], list[Pair]]:
        """Return the confirmed and the unconfirmed pairs, among those that can change anything.

        An unconfirmed pair offers its steps for reassignment. Nothing can be made of that unless one of them is
        similar to an unassigned step or to a step of another unconfirmed pair. So of two pairs with similar steps one
        is scored first, and the other one only if the first is not confirmed.
        """
        changed = [(g, c) for g, c in pairs if not same_words(self.statements[0][g], self.statements[1][c])]
        k, rows, columns = len(changed), [g for g, _ in changed] + free[0], [c for _, c in changed] + free[1]
        near = similarity[np.ix_(rows, columns)] >= LEAST_ALTERNATIVE
        row_of, column_of = ({step: place for place, step in enumerate(side)} for side in (rows, columns))
        for g, c in self._namesakes(rows, columns):
            near[row_of[g], column_of[c]] = True
        linked = near[:k, :k] | near[:k, :k].T
        np.fill_diagonal(linked, val=False)
        first = near[:k, k:].any(axis=1) | near[k:, :k].any(axis=0)
        first |= np.array([similarity[pair] < self.beta for pair in changed], dtype=np.bool_)
        between = linked & ~first & ~first[:, None]
        left = between.sum(axis=1)
        while left.any():  # a greedy vertex cover
            pair = int(left.argmax())
            first[pair] = True
            left -= between[pair]
            left[pair] = 0
            between[:, pair] = False
        kept = set(pairs).difference(changed)  # confirmed without the model
        confirmed = self._confirmed([*kept, *(changed[pair] for pair in np.flatnonzero(first))])
        refused = np.array([pair not in confirmed for pair in changed], dtype=np.bool_) & first
        then = ~first & linked[:, refused].any(axis=1)
        confirmed |= self._confirmed([changed[pair] for pair in np.flatnonzero(then)])
        return confirmed, [changed[pair] for pair in np.flatnonzero(first | then) if changed[pair] not in confirmed]

    def _namesakes(self, rows: list[int], columns: list[int]) -> list[Pair]:
        """Return the pairs with equal statements; their arguments may differ."""
        named: defaultdict[str, list[int]] = defaultdict(list)
        for column in columns:
            named[plain_words(self.statements[1][column])].append(column)
        return [(row, column) for row in rows for column in named.get(plain_words(self.statements[0][row]), ())]

    def _confirmed(self, pairs: Sequence[Pair]) -> dict[Pair, float]:
        """Return the confirmed pairs, with the probability of the same meaning."""
        scores = self.meaning_model.compare([(self.statements[0][g], self.statements[1][c]) for g, c in pairs])
        return {pair: each.probability for pair, each in zip(pairs, scores, strict=True) if each.logit > 0}


def _alternatives(similarity: Matrix, rows: list[int], columns: list[int], taken: set[Pair]) -> list[Pair]:
    """Return the most similar pairs that are not in `taken`, at most `ALTERNATIVES` per row, best first."""
    pairs: list[Pair] = []
    offered = np.array(columns, dtype=np.intp)
    for row in rows:
        near = offered[similarity[row, offered] >= LEAST_ALTERNATIVE]
        ranked = near[np.argsort(-similarity[row, near], kind="stable")]
        others = ((row, int(column)) for column in ranked)
        pairs += islice((pair for pair in others if pair not in taken), ALTERNATIVES)
    return sorted(pairs, key=lambda pair: -similarity[pair])[:MOST_ALTERNATIVES]


class _Assignment:
    """Assignment of steps at maximum total weight, for different structural weights."""

    def __init__(self, similarity: Matrix, golden: TaskGraph, candidate: TaskGraph) -> None:
        self.similarity = similarity
        self.graphs = golden, candidate
        self.degrees = tuple(
            np.array([len(graph.predecessors[task]) + len(graph.successors[task]) for task in range(graph.n)])
            for graph in self.graphs
        )

    def biased(self, bonus: Mapping[Pair, float]) -> "_Assignment":
        """Return the same problem with a bonus added to the similarity of some pairs."""
        problem = copy(self)
        problem.similarity = self.similarity.copy()
        for pair, extra in bonus.items():
            problem.similarity[pair] += extra
        return problem

    def assigned(self) -> list[Pair]:
        """Return the pairs for the weights `LIGHT`, or for `HEAVY` if these keep more links at little loss."""
        if not self.similarity.size:
            return []
        free = self.solve(*LIGHT)
        if self.disagreement(free):
            bound = self.solve(*HEAVY)
            loss = sum(self.similarity[pair] for pair in free) - sum(self.similarity[pair] for pair in bound)
            if loss <= TEXT_MARGIN and self.disagreement(bound) < self.disagreement(free):
                return bound
        return free

    def solve(self, depth_weight: float, neighbour_weight: float) -> list[Pair]:
        """Return the assigned pairs, by ascending golden step."""
        golden, candidate = self.graphs
        weight = np.subtract.outer(np.array(golden.depth), np.array(candidate.depth))
        np.abs(weight, out=weight)
        weight *= -depth_weight
        weight += self.similarity
        pairs: list[Pair] = []
        rows, columns = np.empty((2, 0), dtype=np.intp)
        plain = weight[rows, columns]
        for _ in range(ROUNDS):
            assigned = [(int(g), int(c)) for g, c in zip(*assign(weight), strict=True)]
            if assigned == pairs:
                break
            pairs = assigned
            weight[rows, columns] = plain  # in place: a matrix of 5,000 steps has 200 MB
            (rows, columns), agreeing = self._agreeing(pairs)
            degree = np.maximum(np.maximum(self.degrees[0][rows], self.degrees[1][columns]), 1)
            plain = weight[rows, columns]
            weight[rows, columns] = plain + neighbour_weight * agreeing / degree
        return pairs

    def _agreeing(self, pairs: Sequence[Pair]) -> tuple[tuple[NDArray[np.intp], NDArray[np.intp]], Matrix]:
        """Return the (golden, candidate) pairs with neighbours that are assigned to each other, and their numbers.

        Cost: linear in the number of (golden, candidate) neighbours of assigned pairs. Many of them are
        counted in a matrix instead of a list. Graphs with so many links that the product of the adjacency matrices is
        faster are multiplied.
        """
        n, m = self.similarity.shape
        golden, candidate = self.graphs
        sides = ((golden.predecessors, candidate.predecessors), (golden.successors, candidate.successors))
        cost = sum(len(ours[g]) * len(theirs[c]) for ours, theirs in sides for g, c in pairs)
        if cost > n * n * m // DENSE:
            rows, columns = (list(side) for side in zip(*pairs, strict=True))
            ours, theirs = _adjacency(golden), _adjacency(candidate)
            both = ours[rows].T @ theirs[columns] + ours[:, rows] @ theirs[:, columns].T
        elif cost > LISTED:
            both = np.zeros((n, m), dtype=np.float32)
            for above, below in sides:
                for g, c in pairs:
                    if above[g] and below[c]:
                        both[np.ix_(above[g], below[c])] += 1
        else:
            near = [a * m + b for ours, theirs in sides for g, c in pairs for a in ours[g] for b in theirs[c]]
            places, count = np.unique(np.array(near, dtype=np.intp), return_counts=True)
            return np.divmod(places, m), count.astype(np.float64)
        cells = np.nonzero(both)
        return (cells[0], cells[1]), both[cells].astype(np.float64)

    def disagreement(self, pairs: list[Pair]) -> int:
        """Return the number of links between assigned steps that only one workflow has."""
        partner = dict(pairs)
        assigned = set(partner.values())
        golden = {(partner[a], partner[b]) for a, b in self.graphs[0].edges if a in partner and b in partner}
        candidate = {(a, b) for a, b in self.graphs[1].edges if a in assigned and b in assigned}
        return len(golden ^ candidate)


def _adjacency(graph: TaskGraph) -> NDArray[np.float32]:
    """Return the adjacency matrix as float32, which is exact for the numbers of neighbours."""
    matrix = np.zeros((graph.n, graph.n), dtype=np.float32)
    for source, target in graph.edges:
        matrix[source, target] = 1
    return matrix

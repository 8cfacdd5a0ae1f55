"""Computes the alignment of two workflows.

1. Workflows with equal content are aligned by their canonical orders, and the alignment is verified edge by edge:
   identical and relisted workflows are aligned exactly, independent of the embedder.
2. Otherwise steps are assigned one to one at maximum total weight (Kuhn-Munkres, implemented by
   `scipy.optimize.linear_sum_assignment`). The weight is text similarity plus two small structural terms that
   distinguish repeated or nearly equal texts: relative topological depth, and the number of neighbours that agree
   under the assignment so far. Both sides are first sorted by content, so that neither listing order nor ids affect
   the choice between equally good assignments.
3. With a meaning model, pairs that it does not confirm (probability of the same meaning at most 0.5) may be
   reassigned: to the most similar other unconfirmed steps, or to steps with the same text and other arguments, if
   the model confirms those.
4. Pairs below the embedder's threshold beta that the model did not confirm are dropped. Unmatched steps become parts
   of merges and splits if the changed text of a neighbour's partner covers them.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from wfgate.alignment.alignment import Alignment, Match, Merge, Split
from wfgate.alignment.comparison import Comparison
from wfgate.alignment.coverage import Coverage
from wfgate.alignment.embedders import Embedder
from wfgate.alignment.meaning import MeaningModel, TextPair, plain_words, same_words
from wfgate.alignment.similarity import text_similarity
from wfgate.model import CanonicalForm, TaskGraph, Workflow, canonical_form, expand

Matrix = NDArray[np.float64]

ALIGNMENT_VERSION = 3
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
LEAST_ALTERNATIVE = 0.4
"""Smallest similarity of an alternative partner; 6 of 1,000 recorded rewordings are below."""
CONFIRMED = 0.5
"""Similarity bonus of a confirmed pair, times its probability."""

Pair = tuple[int, int]
Sides = tuple[Sequence[str], Sequence[str]]
"""The texts of the golden's steps and of the candidate's."""


def compare(
    golden: Workflow, candidate: Workflow, embedder: Embedder, meaning_model: MeaningModel | None = None
) -> Comparison:
    """Return the comparison of two workflows: composites expanded, graphs built, steps aligned.

    Args:
        golden: The approved workflow.
        candidate: The workflow under test.
        embedder: Embeds the step texts.
        meaning_model: Scores whether texts mean the same; None to align by similarity alone.

    Cost: O((n + m)^3) for the assignment, in practice 0.5 ms at 10 steps, 40 ms at 400 and 1 to 9 s at 2,000, plus
    the embedding of the texts and one model score per changed step.
    """
    return _Pair(_Side(golden), _Side(candidate), embedder).compared(meaning_model)


def compare_all(
    golden: Workflow, candidates: Iterable[Workflow], embedder: Embedder, meaning_model: MeaningModel | None = None
) -> list[Comparison]:
    """Return the comparisons of a golden with many candidates, equal to those of `compare` but faster.

    The golden is prepared once, and the meaning model scores the texts of all candidates in two batches (alignment,
    changed steps), at little more than half the cost of single calls. This needs a model with a cache
    (`CachedMeaningModel`). All comparisons are in memory until the last one is done.
    """
    side = _Side(golden)
    pairs = [_Pair(side, _Side(each), embedder) for each in candidates]
    if meaning_model is not None:
        meaning_model.compare([texts for pair in pairs for texts in pair.assigned_texts])
    found = [pair.compared(meaning_model) for pair in pairs]
    if meaning_model is not None:
        meaning_model.compare([texts for each in found for texts in each.changed_texts.values()])
    return found


class _Side:
    """A workflow prepared for any number of comparisons.

    Attributes:
        file: The workflow as written.
        workflow: The workflow with composites expanded.
        graph: Its task graph.
        order: The topological order of its steps by content.
        texts: The steps' texts in this order.
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
        """The graph with the steps numbered by their rank in `order`."""
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
        listed: Text similarity, steps in the order of their sides, shape (n_golden, n_candidate).
        isomorphism: The alignment of workflows with equal content; None if their content differs.
    """

    def __init__(self, golden: _Side, candidate: _Side, embedder: Embedder) -> None:
        self.golden, self.candidate, self.embedder = golden, candidate, embedder
        self.listed = text_similarity(golden.texts, candidate.texts, embedder)
        same_texts = golden.sorted_texts == candidate.sorted_texts
        self.isomorphism = _isomorphism(golden, candidate) if same_texts else None

    @cached_property
    def problem(self) -> "_Assignment":
        """The assignment problem of pairs that are not isomorphic."""
        return _Assignment(self.listed, self.golden.listed, self.candidate.listed)

    @cached_property
    def assigned(self) -> list[Pair]:
        """The pairs assigned by similarity and structure; empty for isomorphic workflows."""
        return [] if self.isomorphism is not None else self.problem.assigned()

    @property
    def assigned_texts(self) -> list[TextPair]:
        """The texts of the assigned steps."""
        return [(self.golden.statements[g], self.candidate.statements[c]) for g, c in self.assigned]

    def compared(self, meaning_model: MeaningModel | None) -> Comparison:
        """Return the comparison with aligned steps."""
        golden, candidate = self.golden, self.candidate
        similarity = np.empty_like(self.listed)
        similarity[np.ix_(golden.order, candidate.order)] = self.listed
        if self.isomorphism is not None:
            matches = [Match(golden=g, candidate=c, similarity=1.0) for g, c in self.isomorphism]
            alignment = Alignment(matches=tuple(matches))
        else:
            alignment = _renumbered(self._aligned(meaning_model), golden.order, candidate.order)
        return Comparison(
            golden.workflow,
            candidate.workflow,
            golden.graph,
            candidate.graph,
            similarity,
            alignment,
            self.embedder,
            meaning_model,
            golden.file,
            candidate.file,
        )

    def _aligned(self, meaning_model: MeaningModel | None) -> Alignment:
        """Return the alignment, steps in the order of their sides."""
        similarity, embedder = self.problem.similarity, self.embedder
        texts, statements = (
            (self.golden.texts, self.candidate.texts),
            (self.golden.statements, self.candidate.statements),
        )
        pairs = self.assigned
        confirmed: frozenset[Pair] = frozenset()
        if meaning_model is not None:
            pairs, confirmed = _Confirmation(statements, meaning_model).reassigned(self.problem, pairs)
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
    """Return the topological order of the steps by content.

    Steps are compared by text; repeated texts also by depth and neighbours; remaining ties by canonical form.
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
    """Return the alignment in positions of the workflows, given those of the canonical orders."""
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
    """Return the pairs of a verified content- and edge-preserving bijection, or None."""
    if golden.form.certificate != candidate.form.certificate or golden.graph.n != candidate.graph.n:
        return None
    image = dict(zip(golden.form.order, candidate.form.order, strict=True))
    if any(golden.workflow.tasks[g].text != candidate.workflow.tasks[c].text for g, c in image.items()):
        return None
    if {(image[a], image[b]) for a, b in golden.graph.edges} != candidate.graph.edges:
        return None
    return sorted(image.items())


class _Confirmation:
    """Reassigns the pairs that the meaning model does not confirm (log-odds of the same meaning above 0)."""

    def __init__(self, statements: Sides, meaning_model: MeaningModel) -> None:
        self.statements = statements
        self.meaning_model = meaning_model

    def reassigned(self, problem: "_Assignment", pairs: list[Pair]) -> tuple[list[Pair], frozenset[Pair]]:
        """Return the pairs, unconfirmed steps reassigned if that helps, and the confirmed ones among them."""
        confirmed = self._confirmed(pairs)
        unconfirmed = [pair for pair in pairs if pair not in confirmed]
        n, m = problem.similarity.shape
        rows = sorted({g for g, _ in unconfirmed} | (set(range(n)) - {g for g, _ in pairs}))
        columns = sorted({c for _, c in unconfirmed} | (set(range(m)) - {c for _, c in pairs}))
        others = [*self._namesakes(rows, columns), *_alternatives(problem.similarity, rows, columns, set(pairs))]
        better = self._confirmed(others)
        if not better:
            return pairs, frozenset(confirmed)
        bonus = np.zeros_like(problem.similarity)
        for pair, probability in (confirmed | better).items():
            bonus[pair] = CONFIRMED * probability
        new_pairs = problem.biased(bonus).assigned()
        return new_pairs, frozenset(self._confirmed(new_pairs))

    def _namesakes(self, rows: list[int], columns: list[int]) -> list[Pair]:
        """Return the pairs with equal statements, whatever their arguments."""
        named: defaultdict[str, list[int]] = defaultdict(list)
        for column in columns:
            named[plain_words(self.statements[1][column])].append(column)
        return [(row, column) for row in rows for column in named.get(plain_words(self.statements[0][row]), ())]

    def _confirmed(self, pairs: Sequence[Pair]) -> dict[Pair, float]:
        """Return the confirmed pairs with the probability of the same meaning."""
        scores = self.meaning_model.compare([(self.statements[0][g], self.statements[1][c]) for g, c in pairs])
        return {pair: each.probability for pair, each in zip(pairs, scores, strict=True) if each.logit > 0}


def _alternatives(similarity: Matrix, rows: list[int], columns: list[int], taken: set[Pair]) -> list[Pair]:
    """Return the most similar untaken (row, column) pairs, at most `ALTERNATIVES` per row, best first."""
    found: list[Pair] = []
    for row in rows:
        others = sorted(columns, key=lambda column: -similarity[row, column])
        others = [c for c in others if (row, c) not in taken and similarity[row, c] >= LEAST_ALTERNATIVE]
        found += [(row, column) for column in others[:ALTERNATIVES]]
    return sorted(found, key=lambda pair: -similarity[pair])[:MOST_ALTERNATIVES]


class _Assignment:
    """Maximum-weight assignment of steps, for several structural weights."""

    def __init__(self, similarity: Matrix, golden: TaskGraph, candidate: TaskGraph) -> None:
        self.similarity = similarity
        self.graphs = golden, candidate
        self.depth = np.abs(np.subtract.outer(np.array(golden.depth), np.array(candidate.depth)))
        self.golden, self.candidate = _adjacency(golden), _adjacency(candidate)
        degrees = (matrix.sum(axis=0) + matrix.sum(axis=1) for matrix in (self.golden, self.candidate))
        self.degree = np.maximum(np.maximum.outer(*degrees), 1)

    def biased(self, bonus: Matrix) -> "_Assignment":
        """Return the same problem with a bonus added to the similarity."""
        return _Assignment(self.similarity + bonus, *self.graphs)

    def assigned(self) -> list[Pair]:
        """Return the pairs with `LIGHT` weights, or with `HEAVY` ones if that keeps more links at little loss."""
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
        """Return the pairs, golden ascending."""
        from scipy.optimize import linear_sum_assignment  # noqa: PLC0415 - slow to import, not needed for `--help`

        weight = self.similarity - depth_weight * self.depth
        pairs: list[Pair] = []
        agreeing: Matrix | float = 0.0
        for _ in range(ROUNDS):
            rows, columns = linear_sum_assignment(weight + neighbour_weight * agreeing / self.degree, maximize=True)
            found = [(int(g), int(c)) for g, c in zip(rows, columns, strict=True)]
            if found == pairs:
                break
            pairs = found
            agreeing = self._agreeing(rows, columns)
        return pairs

    def _agreeing(self, rows: NDArray[np.intp], columns: NDArray[np.intp]) -> Matrix:
        """Return how many neighbours of each (golden, candidate) pair are assigned to each other."""
        before = self.golden[rows].T @ self.candidate[columns]
        after = self.golden[:, rows] @ self.candidate[:, columns].T
        return np.asarray(before + after, dtype=np.float64)

    def disagreement(self, pairs: list[Pair]) -> int:
        """Return the number of links between assigned steps that only one workflow has."""
        partner = dict(pairs)
        assigned = set(partner.values())
        golden = {(partner[a], partner[b]) for a, b in self.graphs[0].edges if a in partner and b in partner}
        candidate = {(a, b) for a, b in self.graphs[1].edges if a in assigned and b in assigned}
        return len(golden ^ candidate)


def _adjacency(graph: TaskGraph) -> NDArray[np.float32]:
    """Return the adjacency matrix; float32 represents the neighbour counts exactly."""
    matrix = np.zeros((graph.n, graph.n), dtype=np.float32)
    for source, target in graph.edges:
        matrix[source, target] = 1
    return matrix

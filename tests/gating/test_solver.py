"""The extra `solver`, chosen by the policy."""

import pytest

from wfgate.model import Guard


@pytest.mark.solver
def test_relations_between_numbers_are_decided_where_the_policy_asks_for_it(judged, make):
    golden = make()
    links = list(golden.links)
    place = next(place for place, link in enumerate(links) if link.source == golden.tasks[0].id)
    links[place] = links[place].model_copy(update={"guard": Guard(expr="low < high and high < low")})
    candidate = golden.model_copy(update={"links": tuple(links)})
    defects = {
        solver: {finding.id for finding in judged(golden, candidate, solver=solver).findings}
        for solver in ("cells", "z3")
    }
    assert "WF302" in defects["z3"] - defects["cells"]

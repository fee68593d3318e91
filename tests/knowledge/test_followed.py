"""Facts with rules behind them: derived facts follow whatever is stated or taken back, by whichever hand."""

from pathlib import Path

import pytest

from mabos.knowledge.facts import statement
from mabos.knowledge.inference.forward import FollowedFacts
from tests.knowledge.knowing import Knowing, assert_all
from tests.knowledge.test_forward import HONEST, TRUST, told


@pytest.fixture
def facts(tmp_path: Path) -> FollowedFacts:
    cfo = Knowing(tmp_path)
    cfo.rules.create(TRUST)
    cfo.rules.create(HONEST)
    facts = FollowedFacts("cfo", cfo.fact_file, cfo.clock, cfo.ids, cfo.rules)
    assert_all(facts, [statement("ann", "knows", "bob"), statement("bob", "honest", "true")])
    facts.inference.forward(persist=True)
    assert told(facts.query("ann", "trusts")) == {"ann trusts bob": 0.95}
    return facts


def test_what_is_taken_back_takes_its_consequences_along_and_leaves_what_follows_otherwise(
    facts: FollowedFacts,
) -> None:
    taken = facts.retract(subject="bob")
    assert (told(list(taken.updated)), taken.dependents) == ({"ann trusts bob": 0.8}, ())
    taken = facts.retract(predicate="knows")
    assert told(list(taken.dependents)) == {"ann trusts bob": 0.8}
    assert facts.query() == []
    assert_all(facts, [statement("ann", "knows", "bob")])
    assert told(facts.query("ann", "trusts")) == {"ann trusts bob": 0.8}


def test_what_is_restated_is_passed_on(facts: FollowedFacts) -> None:
    facts.assert_("bob", "honest", "true", confidence=0.5)  # noqa: PT009  # states a fact, tests nothing
    assert told(facts.query("ann", "trusts")) == {"ann trusts bob": 0.8}
    assert_all(facts, [statement("ann", "knows", "bob", confidence=0.25)])
    assert told(facts.query("ann", "trusts")) == {"ann trusts bob": 0.2375}

"""Rules as readable files: the examples of the documents, a round trip, and the line at fault."""

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mabos.configs.errors import Damaged
from mabos.knowledge.inference.forward import Inference
from mabos.knowledge.model import Condition, Rule, variables
from mabos.knowledge.rule_files import read_rules
from tests.knowledge.knowing import Knowing
from tests.knowledge.written_rules import write_rules

PRINTED = """
# Large enterprise customers
RULE strategic: Strategic accounts
IF ?customer has_status "enterprise"
AND ?customer subscription_value_usd > 10000
THEN ?customer is_strategic_account = true [confidence: 0.9 x min(input confidences)]

RULE runway: Cash must last
IF  cash_runway months < 3
THEN ALERT "Critical: Cash runway below 3 months" [severity: critical]

RULE churn
IF churn_rate percent > 5
THEN REQUEST cmo "Initiate churn reduction campaign" [escalate]
"""


def test_the_rules_of_the_documents_are_read_as_printed() -> None:
    strategic, runway, churn = read_rules(PRINTED)
    assert (strategic.type, strategic.name, strategic.description) == (
        "inference",
        "Strategic accounts",
        "Large enterprise customers",
    )
    assert strategic.conditions[1] == Condition("subscription_value_usd", "?customer", "10000", "gt")
    assert (strategic.conclusion, strategic.confidence_factor) == (
        Condition("is_strategic_account", "?customer", "true"),
        0.9,
    )
    assert (runway.type, runway.severity) == ("constraint", "critical")
    assert runway.violation_message == "Critical: Cash runway below 3 months"
    assert (churn.type, churn.action, churn.escalate) == (
        "policy",
        'REQUEST cmo "Initiate churn reduction campaign"',
        True,
    )


def written(cfo: Knowing, text: str, name: str = "accounts.rules") -> Path:
    """Write a file of rules, as a person does, and return it."""
    path = cfo.directory / "rules" / name
    path.parent.mkdir(exist_ok=True)
    path.write_text(text, "utf-8")
    return path


def test_a_file_of_rules_is_read_and_read_again_when_it_has_changed(tmp_path: Path) -> None:
    cfo = Knowing(tmp_path)
    path = written(cfo, PRINTED)
    assert [rule.id for rule in cfo.rules.select()] == ["strategic", "runway", "churn"]
    path.write_text(PRINTED.replace("10000", "5000"), "utf-8")
    assert [rule.conditions[1].object for rule in cfo.rules.select("inference")] == ["5000"]
    assert len(cfo.rules.select()) == 3
    cfo.hold("acme", "has_status", "enterprise", confidence=0.8)
    cfo.hold("acme", "subscription_value_usd", "$6,000")
    (fact,) = Inference(cfo.facts, cfo.rules).forward().new
    assert (str(fact), round(fact.confidence, 6)) == ("acme is_strategic_account true", 0.72)
    assert read_rules(write_rules(cfo.rules.select())) == [
        Rule(**{name: getattr(rule, name) for name in Rule.__slots__ if name != "created_at"})
        for rule in cfo.rules.select()
    ]


def test_rules_of_files_stand_beside_those_of_the_document(tmp_path: Path) -> None:
    cfo = Knowing(tmp_path)
    path = written(cfo, PRINTED)
    made = cfo.rules.create({"type": "policy", "conditions": [{"predicate": "p"}], "action": "look"})
    assert [rule.id for rule in cfo.rules.select()] == [made.id, "strategic", "runway", "churn"]
    cfo.rules.toggle("runway", False)
    assert not cfo.reopened().rules.rule("runway").enabled
    path.write_text(PRINTED.replace("below 3 months", "short"), "utf-8")
    assert cfo.rules.rule("runway").enabled, "a rule that says something else now is another one"
    path.unlink()
    assert "strategic" not in [rule.id for rule in cfo.rules.select()]


def test_an_id_in_two_files_is_refused_with_both_named(tmp_path: Path) -> None:
    cfo = Knowing(tmp_path)
    written(cfo, PRINTED)
    written(cfo, PRINTED, "more.rules")
    with pytest.raises(Damaged, match=r"rules/more\.rules: the id 'strategic' .* of accounts\.rules"):
        cfo.rules.select()


def test_a_file_in_another_encoding_is_reported_with_its_id(tmp_path: Path) -> None:
    path = written(Knowing(tmp_path), "")
    path.write_bytes("RULE one: Größe\nIF a b c\nTHEN a q groß".encode("latin-1"))
    with pytest.raises(Damaged, match=r"rules/accounts\.rules:1: this is not UTF-8"):
        Knowing(tmp_path).rules.select()


@pytest.mark.parametrize(
    ("text", "line", "said"),
    [
        ("IF a b c", 1, "must begin with RULE"),
        ("RULE one\nIF a b\nTHEN a q c", 2, "is not a pattern"),
        ("RULE one\nIF a b c\nBUT a q c", 3, "expected AND or THEN"),
        ("RULE one\nAND a b c", 2, "expected IF"),
        ("\n\nRULE one\nIF a b c\n", 3, "has no THEN"),
        ("RULE one\nIF a b c\nTHEN ?x q c", 3, r"open"),
        ("RULE one\nIF a b c\nTHEN a q > 3", 3, "cannot compare"),
        ("RULE one\nIF a b c\nTHEN a q c [colour: red]", 3, "is not a mark"),
        ("RULE one\nIF a b c\nTHEN a q c [confidence: 2]", 3, "confidence_factor"),
        ("RULE one\nIF a b c\nTHEN a q c\nRULE one\nIF a b c\nTHEN a r c", 4, "two rules"),
        ("RULE one\nIF a b c\nAND a b > ?y\nTHEN a q c", 3, "no other condition binds"),
        ("RULE a b c d", 1, "not a rule header"),
        ("RULE one\nIF a b ?c\nAND team-?c b d\nTHEN a q c", 3, "without other text"),
        ("RULE one\nIF a b ?c\nTHEN a ?c d", 3, "not a variable"),
        ("RULE one\nIF a b ?c\nTHEN team-?c b d", 3, "without other text"),
        ('RULE one\nIF a b ?c\nTHEN ALERT "?d is wrong"', 3, "no condition binds"),
    ],
)
def test_the_line_at_fault_is_named(text: str, line: int, said: str) -> None:
    with pytest.raises(Damaged, match=said) as refused:
        read_rules(text, "my.rules")
    assert refused.value.message.startswith(f"my.rules:{line}:")


def test_a_rule_that_cannot_be_meant_in_the_document_is_reported_with_its_id(tmp_path: Path) -> None:
    good = {"id": "R-1", "type": "policy", "conditions": [{"predicate": "p"}], "action": "look"}
    (tmp_path / "rules.json").write_text(
        json.dumps({"rules": [good, good | {"id": "R-2", "conditions": []}]}, indent=2)
    )
    with pytest.raises(Damaged, match=r"rules\.json: rule 'R-2': conditions is empty"):
        Knowing(tmp_path).rules.select()


TERM = st.one_of(
    st.sampled_from(["?x", "?y", "acme", "10,000", "two words", 'say "so"', "back\\slash", "a]", "[b", "#c", "_", ">"]),
    st.text(st.characters(categories=["L", "N", "P", "S"]), min_size=1, max_size=6).filter(
        lambda text: text != "?" and not variables(text)
    ),
)
CONDITION = st.builds(
    Condition, predicate=st.sampled_from(["p", "q_2"]), subject=TERM | st.just(""), object=TERM | st.just("")
)
COMPARED = st.builds(
    Condition,
    predicate=st.just("p"),
    subject=st.just("?x"),
    object=st.sampled_from(["3", "5%"]),
    operator=st.sampled_from(["gt", "lte", "ne", "contains"]),
)


@given(
    conditions=st.lists(CONDITION | COMPARED, max_size=3),
    factor=st.sampled_from([0.9, 0.5, 0.123456789]),
    enabled=st.booleans(),
    object_=TERM,
)
def test_what_is_written_is_read_as_it_was(
    conditions: list[Condition], factor: float, enabled: bool, object_: str
) -> None:
    bound = (Condition("p", "?x", "?y"), *conditions)
    rule = Rule("R-1", "A rule", "inference", bound, conclusion=Condition("r", "?x", object_),
                confidence_factor=factor, enabled=enabled)  # fmt: skip
    assert read_rules(write_rules([rule])) == [rule]

"""The tools of inference and knowledge, called as a person calls them."""

from typing import Any

import pytest

from tests.world import Member

STRATEGIC: dict[str, Any] = {
    "name": "Strategic accounts",
    "description": "Large enterprise customers",
    "type": "inference",
    "conditions": [
        {"subject": "?customer", "predicate": "has_status", "object": "enterprise"},
        {"subject": "?customer", "predicate": "subscription_value_usd", "object": 10000, "operator": "gt"},
    ],
    "conclusion": {"subject": "?customer", "predicate": "is_strategic_account", "object": "true"},
}
VISIT: dict[str, Any] = {
    "name": "Visits",
    "description": "",
    "type": "inference",
    "conditions": [{"subject": "?customer", "predicate": "is_strategic_account", "object": "true"}],
    "conclusion": {"subject": "?customer", "predicate": "deserves", "object": "visit"},
}


@pytest.fixture
def cfo(cfo: Member) -> Member:
    """Return the CFO with two rules."""
    cfo.do("rule_create", **STRATEGIC)
    cfo.do("rule_create", **VISIT)
    return cfo


def say(cfo: Member, subject: str, predicate: str, value: Any, confidence: float = 1.0, **more: Any) -> str:
    said = cfo.do(
        "fact_assert", subject=subject, predicate=predicate, object=value, confidence=confidence, source="crm", **more
    )
    return str(said["fact_id"])


def acme(cfo: Member) -> tuple[str, str]:
    return say(cfo, "acme", "has_status", "enterprise", 0.9), say(cfo, "acme", "subscription_value_usd", 20000)


def test_forward_inference_returns_what_is_new_and_keeps_it_when_asked(cfo: Member) -> None:
    acme(cfo)
    found = cfo.do("infer_forward")
    assert [(one["predicate"], round(one["confidence"], 6)) for one in found["derived"]] == [
        ("is_strategic_account", 0.81),
        ("deserves", 0.729),
    ]
    assert (found["iterations"], found["converged"], found["persisted"]) == (2, True, False)
    assert cfo.do("fact_query")["total"] == 2
    assert cfo.do("infer_forward", persist=True)["count"] == 2
    assert cfo.do("infer_forward", persist=True)["count"] == 0
    assert cfo.do("fact_query", include_derived=False)["total"] == 2
    (fact,) = cfo.do("fact_query", predicate="deserves")["facts"]
    text = cfo.do("fact_explain", fact_id=fact["id"])["text"]
    assert "min(0.81) x 0.9" in text
    assert "min(0.9, 1) x 0.9" in text


def test_the_limit_on_iterations_is_reported(cfo: Member) -> None:
    acme(cfo)
    found = cfo.do("infer_forward", max_iterations=1)
    assert (found["count"], found["converged"]) == (1, False)
    assert "max_iterations" in found["text"]


def test_a_retraction_and_an_expiry_reach_what_was_derived(cfo: Member) -> None:
    status, _ = acme(cfo)
    cfo.do("infer_forward", persist=True)
    taken = cfo.do("fact_retract", fact_id=status)
    assert (taken["count"], len(taken["dependents"]), taken["updated"]) == (1, 2, [])
    assert cfo.do("fact_query")["total"] == 1
    say(cfo, "acme", "has_status", "enterprise", valid_until="2026-02-28")
    cfo.do("infer_forward", persist=True)
    (fact,) = cfo.do("fact_query", predicate="deserves")["facts"]
    assert fact["valid_until"] == "2026-02-28"
    cfo.world.later(days=10)
    assert cfo.do("infer_forward", persist=True)["dropped"]
    assert cfo.do("fact_query", predicate="deserves")["total"] == 0
    then = cfo.do("fact_query", predicate="deserves", known_at="2026-03-01")
    assert [one["id"] for one in then["facts"]] == [fact["id"]]


def test_a_supposition_is_told_and_not_written(cfo: Member) -> None:
    status, _ = acme(cfo)
    rival = [
        {"subject": "rival", "predicate": "has_status", "object": "enterprise", "confidence": 0.5},
        {"subject": "rival", "predicate": "subscription_value_usd", "object": "30000"},
    ]
    found = cfo.do("infer_forward", assume=rival, without=[status])
    changes = {f"{one['subject']} {one['predicate']}": one["change"] for one in found["changes"]}
    assert changes["rival deserves"] == "appears"
    assert changes["acme deserves"] == "vanishes"
    assert [one["subject"] for one in found["derived"]] == ["rival", "rival"]
    assert cfo.do("fact_query")["total"] == 2
    assert cfo.do("knowledge_infer", assume=rival)["count"] == 4
    assert cfo.refused("infer_forward", assume=rival, persist=True) == ("invalid_argument", "persist")
    assert cfo.refused("infer_forward", assume=[{"subject": "x"}]) == ("invalid_argument", "assume")
    assert cfo.refused("infer_forward", without=["F-9"])[0] == "unknown_id"


def test_backward_inference_proves_with_a_tree_or_names_the_gaps(cfo: Member) -> None:
    acme(cfo)
    say(cfo, "rival", "has_status", "enterprise")
    proved = cfo.do("infer_backward", goal_predicate="deserves", goal_subject="acme")
    assert (proved["status"], round(proved["confidence"], 6)) == ("PROVEN", 0.729)
    assert [len(proof["supports"][0]["supports"]) for proof in proved["proofs"]] == [2]
    assert len(proved["supporting_facts"]) == 2
    lacking = cfo.do("infer_backward", goal_predicate="is_strategic_account", goal_subject="rival")
    assert lacking["status"] == "POTENTIALLY_DERIVABLE"
    (gap,) = lacking["knowledge_gaps"]
    assert (gap["subject"], gap["predicate"], gap["operator"]) == ("rival", "subscription_value_usd", "gt")
    assert cfo.do("infer_backward", goal_predicate="colour")["status"] == "CANNOT_PROVE"


@pytest.mark.parametrize(
    "observation",
    ["rival deserves visit", {"subject": "rival", "predicate": "deserves"}, "Why does rival deserve a visit?"],
)
def test_an_observation_is_read_in_any_form(cfo: Member, observation: object) -> None:
    say(cfo, "rival", "has_status", "enterprise")
    found = cfo.do("infer_abductive", observation=observation)
    (one,) = found["hypotheses"]
    assert (one["rule_id"], one["score"], one["prior"], one["likelihood"]) == ("R-002", 0.0, 0.0, 0.9)
    assert found["next_question"]["predicate"] == "is_strategic_account"


def test_an_observation_that_names_nothing_known_is_refused(cfo: Member) -> None:
    assert cfo.refused("infer_abductive", observation="the sky is blue") == ("invalid_argument", "observation")


def test_a_question_is_answered_by_all_three(cfo: Member) -> None:
    acme(cfo)
    told = cfo.do("knowledge_explain", question="Is acme a strategic account?")
    assert (told["status"], round(told["confidence"], 6), len(told["facts"])) == ("PROVEN", 0.81, 2)
    assert {one["predicate"] for one in told["forward"]} == {"is_strategic_account", "deserves"}
    assert told["abductive"][0]["rule_id"] == "R-001"
    say(cfo, "rival", "has_status", "enterprise")
    lacking = cfo.do("knowledge_explain", question="Why is rival no strategic account?")
    assert lacking["status"] == "POTENTIALLY_DERIVABLE"
    assert lacking["next_question"]["predicate"] == "subscription_value_usd"
    assert "Nothing" in cfo.do("knowledge_explain", question="What is the weather?")["text"]


def test_knowledge_infer_is_one_door(cfo: Member) -> None:
    acme(cfo)
    assert cfo.do("knowledge_infer")["count"] == 2
    assert cfo.do("knowledge_infer", mode="backward", goal="acme deserves ?what")["proven"]
    assert cfo.do("knowledge_infer", mode="abductive", goal="acme deserves visit")["count"] == 1
    assert cfo.refused("knowledge_infer", mode="backward") == ("invalid_argument", "goal")


def test_one_rule_is_evaluated_whatever_its_type(cfo: Member) -> None:
    acme(cfo)
    found = cfo.do("rule_evaluate", rule_id="R-001")
    assert (found["holds"], found["matches"][0]["follows"]) == (True, "acme is_strategic_account true")
    assert found["matches"][0]["confidence"] == pytest.approx(0.81)
    assert not cfo.do("rule_evaluate", rule_id="R-001", context={"acme.has_status": "free"})["holds"]
    assert cfo.refused("rule_evaluate", rule_id="R-9") == ("unknown_id", "rule_id")


def test_what_a_rule_derived_goes_when_it_is_switched_off(cfo: Member) -> None:
    acme(cfo)
    cfo.do("infer_forward", persist=True)
    cfo.do("rule_toggle", rule_id="R-001", enabled=False)
    assert cfo.do("fact_query")["total"] == 2


def test_a_policy_that_fires_is_acted_on_once_for_the_same_facts(cfo: Member) -> None:
    policy = {
        "name": "Churn",
        "description": "Act on churn",
        "type": "policy",
        "conditions": [{"subject": "?p", "predicate": "churn_percent", "object": 5, "operator": "gt"}],
        "action": 'REQUEST cto "Look into the churn of ?p"',
        "escalate": True,
    }
    cfo.do("rule_create", **policy)
    say(cfo, "pro", "churn_percent", 6)
    told = cfo.do("policy_eval", perform=False)
    assert [deed["performed"] for deed in told["actions"][0]["deeds"]] == [False, False]
    for repeated in (False, True):
        message, decision = cfo.do("policy_eval")["actions"][0]["deeds"]
        assert (message["performed"], message["repeated"], decision["repeated"]) == (True, repeated, repeated)
    (received,) = cfo.services.inbox("cto").messages()
    assert (received.performative, received.content, received.sender) == (
        "REQUEST",
        "Look into the churn of pro",
        "cfo",
    )
    (asked,) = cfo.services.business("acme").decisions.pending()
    assert asked.subject == "Look into the churn of pro"
    cfo.do("policy_eval", context={"pro.churn_percent": 9})
    assert len(cfo.services.inbox("cto").messages()) == 1
    say(cfo, "starter", "churn_percent", 7)
    cfo.do("policy_eval")
    assert len(cfo.services.inbox("cto").messages()) == 2


def test_a_policy_that_names_nobody_says_so(cfo: Member) -> None:
    conditions = [{"predicate": "has_status", "object": "enterprise"}]
    base = {"description": "", "type": "policy", "conditions": conditions}
    cfo.do("rule_create", name="One", action="REQUEST nobody Look", **base)
    cfo.do("rule_create", name="Two", action="Look at it yourself", **base)
    cfo.do("rule_create", name="Three", action='ALERT "Look"', **base)
    acme(cfo)
    deeds = [action["deeds"][0] for action in cfo.do("policy_eval")["actions"]]
    assert [(deed["kind"], deed["performed"]) for deed in deeds] == [
        ("message", False),
        ("note", False),
        ("decision", True),
    ]
    assert "nobody" in deeds[0]["reason"]


RISK = {
    "name": "At risk",
    "description": "",
    "type": "inference",
    "conditions": [{"subject": "?customer", "predicate": "churn_score", "object": "0.5", "operator": "gt"}],
    "conclusion": {"subject": "?customer", "predicate": "at_risk", "object": "true"},
}


@pytest.mark.parametrize(
    "question",
    ["Is northwind at risk?", "northwind at_risk", "northwind at_risk yes", "northwind is at_risk", "northwind"],
)
def test_where_the_text_tells_that_something_follows_the_status_says_so_too(cfo: Member, question: str) -> None:
    cfo.do("rule_create", **RISK)
    say(cfo, "northwind", "churn_score", "0.8", 0.8)
    say(cfo, "northwind", "is", "big")
    told = cfo.do("knowledge_explain", question=question)
    assert "northwind at_risk true" in told["text"]
    assert (told["status"], told["confidence"]) == ("PROVEN", 0.72)


def test_what_does_not_follow_is_not_called_proven(cfo: Member) -> None:
    cfo.do("rule_create", **RISK)
    say(cfo, "northwind", "churn_score", "0.8", 0.8)
    say(cfo, "contoso", "churn_score", "0.1", 0.8)
    assert cfo.do("knowledge_explain", question="northwind at_risk no")["status"] != "PROVEN"
    assert cfo.do("knowledge_explain", question="Is contoso at risk?")["status"] == "POTENTIALLY_DERIVABLE"


def test_a_derived_confidence_stands_in_the_file_as_people_write_it(cfo: Member) -> None:
    cfo.do("rule_create", **RISK)
    say(cfo, "northwind", "churn_score", "0.8", 0.8)
    cfo.do("infer_forward", persist=True)
    cfo.services.checkpoint()
    text = (cfo.services.layout.agent("cfo") / "facts.json").read_text("utf-8")
    assert '"confidence": 0.72,' in text


def held(cfo: Member) -> None:
    cfo.do("rule_create", **RISK)
    for subject, predicate, value in [
        ("a", "is", "good"), ("northwind", "churn_score", "0.8"), ("globex", "supplier", "initech"),
        ("globex", "supplier", "hooli"), ("initech", "ceo", "Peter"), ("northwind", "located_in", "Berlin"),
        ("acme", "churn_rate", "5"), ("contoso", "at_risk", "no"), ("rent", "increases", "in May"),
        ("anna", "works_for", "globex"), ("the oven", "is", "broken"), ("tom", "parent", "liz"),
    ]:  # fmt: skip
        say(cfo, subject, predicate, value)


@pytest.mark.parametrize(
    ("question", "fact"),
    [
        ("why is a good?", "a is good"), ("Is it true that a is good?", "a is good"),
        ("Why is northwind at risk?", "northwind at_risk true"),
        ("What supports that northwind is at risk?", "northwind churn_score 0.8"),
        ("Who is at risk?", "northwind at_risk true"), ("Why is contoso not at risk?", "contoso at_risk no"),
        ("Who supplies globex?", "globex supplier hooli"), ("Does initech supply globex?", "globex supplier initech"),
        ("What does initech supply?", "globex supplier initech"),
        ("Who is the CEO of the supplier of globex?", "initech ceo Peter"),
        ("Where is northwind?", "northwind located_in Berlin"), ("What is our churn?", "acme churn_rate 5"),
        ("Is our churn above 4?", "acme churn_rate 5"), ("What do you know about initech?", "initech ceo Peter"),
        ("Is a good?", "a is good"), ("Is the oven broken?", "the oven is broken"),
        ("Where does Anna work?", "anna works_for globex"), ("Who does Anna work for?", "anna works_for globex"),
        ("Why is tom the parent of liz?", "tom parent liz"),
    ],
)  # fmt: skip
def test_a_question_whose_every_word_a_proof_has_is_proven_by_it(cfo: Member, question: str, fact: str) -> None:
    held(cfo)
    told = cfo.do("knowledge_explain", question=question)
    assert told["status"] == "PROVEN"
    assert fact in told["text"]
    assert "not answer" not in told["text"]


@pytest.mark.parametrize(
    ("question", "near"),
    [
        ("Why is a bad?", "a is good"), ("Is northwind not at risk?", "no, this is held"),
        ("Is contoso at risk?", "no, this is held"), ("Is our churn above 6?", "no, this is held"),
        ("Why did churn rise?", "acme churn_rate 5"),
        ("Should we raise prices for northwind?", "northwind churn_score 0.8"),
        ("Will northwind leave us?", "northwind churn_score 0.8"),
        ("How many customers does northwind have?", "northwind churn_score 0.8"),
        ("Is northwind in Paris?", "northwind located_in Berlin"),
        ("Does umbrella supply globex?", "globex supplier initech"),
        ("Does globex supply initech?", "globex supplier initech"),
        ("Is globex the supplier of initech?", "globex supplier initech"),
        ("Is everyone at risk?", "northwind at_risk true"), ("Is the oven good?", "the oven is broken"),
        ("Does Globex work for Anna?", "anna works_for globex"), ("Where does Globex work?", "anna works_for globex"),
        ("Who does Anna work with?", "anna works_for globex"), ("Is liz a parent of tom?", "tom parent liz"),
        ("What is the rent of northwind?", "northwind churn_score 0.8"),
        ("What is the weather in Berlin?", "northwind located_in Berlin"),
    ],
)  # fmt: skip
def test_what_leaves_a_word_of_the_question_open_is_named_as_no_answer(cfo: Member, question: str, near: str) -> None:
    held(cfo)
    told = cfo.do("knowledge_explain", question=question)
    assert (told["status"], told["confidence"]) == ("CANNOT_PROVE", 0)
    assert near in told["text"]
    assert "no, this is held" in told["text"] or "does not answer it" in told["text"]

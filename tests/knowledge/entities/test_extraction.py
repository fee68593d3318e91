"""What a session leaves behind, by rules and by a model that is not trusted."""

import gc
from collections.abc import Callable
from time import process_time
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mabos.configs.errors import Unavailable
from mabos.knowledge.entities.extraction import SessionExtraction, extract
from mabos.knowledge.entities.linking import KnownEntity
from mabos.knowledge.entities.properties import check_properties
from mabos.knowledge.entities.thoughts import EntityDraft, SessionThought, definitions, name_for, sentences

SESSION = [
    SessionThought(1, "H", "Perhaps the agents read too much state"),
    SessionThought(
        2, "C", "The main agent must be the single coordination point. Sub-agents caused a context explosion."
    ),
    SessionThought(
        3, "C", "We decided to use parameterized queries over string concatenation because injection is a risk"
    ),
    SessionThought(4, "X", "When several agents review code, decompose the task; then run sub-agents in parallel"),
    SessionThought(5, "X", "Context explosion is the growth of a context by state that many agents read"),
    SessionThought(6, "X", "S2 means that coordination by the main agent prevents context explosion"),
    SessionThought(7, "P", "Plan: split the review; assign specialists; merge the findings"),
    SessionThought(8, "P", "Plan: review everything by hand"),
    SessionThought(9, "P", "Cache every query"),
    SessionThought(10, "E", "S7 worked well: the review took two hours less"),
    SessionThought(11, "E", "S8 did not work in time"),
    SessionThought(
        12, "D", "Kubernetes", question="How do we deploy?", options=("Docker", "Kubernetes"), rationale="scaling"
    ),
]


def told(*lines: str, **options: Any) -> SessionExtraction:
    """Return what lines teach that are written as S2 writes thoughts: `S12|C|text`."""
    parts = [line.split("|", 2) for line in lines]
    return extract([SessionThought(int(number[1:]), kind, text) for number, kind, text in parts], "s-1", **options)


def by_thought(found: SessionExtraction) -> dict[int, EntityDraft]:
    return {one.thought: one for one in found.created}


def test_each_kind_of_thought_becomes_what_it_teaches() -> None:
    drafts = by_thought(extract(SESSION, "s-1"))
    assert {number: one.type for number, one in drafts.items()} == {
        2: "Insight", 3: "Decision", 4: "Pattern", 5: "Concept", 6: "Insight", 7: "Pattern", 12: "Decision",
    }  # fmt: skip
    assert drafts[2].address == "insight:main-agent-must-single-coordination-point"
    assert drafts[2].label == "The main agent must be the single coordination point."
    assert drafts[2].observations == ("Sub-agents caused a context explosion.",)
    assert drafts[2].properties["confidence"] == 0.8
    assert drafts[2].properties["evidence_sessions"] == ["s-1"]
    assert drafts[3].properties == {
        "question": "use parameterized queries or string concatenation?",
        "options": ["use parameterized queries", "string concatenation"],
        "chosen": "use parameterized queries",
        "rationale": "injection is a risk",
    }
    assert drafts[4].properties["situation"] == "several agents review code"
    assert drafts[4].properties["actions"] == ["decompose the task", "run sub-agents in parallel"]
    assert drafts[5].address == "concept:context-explosion"
    assert drafts[7].properties["actions"] == ["split the review", "assign specialists", "merge the findings"]
    assert drafts[12].properties["question"] == "How do we deploy?"


def test_what_gives_nothing_is_skipped_with_a_reason() -> None:
    skipped = {one.thought: one.reason for one in extract(SESSION, "s-1").skipped}
    assert skipped.keys() == {1, 8, 9, 10, 11}
    assert skipped[8] == "the plan failed"
    assert skipped[9] == "nothing says that the plan worked"


def test_the_counts_are_those_of_s2() -> None:
    found = extract(SESSION, "s-1")
    assert (len(found.created), len(found.skipped)) == (7, 5)


def test_only_the_types_asked_for_are_created_and_the_rest_is_told() -> None:
    found = extract(SESSION, "s-1", entity_types=["Insight", "Pattern"])
    assert {one.type for one in found.created} == {"Insight", "Pattern"}
    assert any(one.reason == "gives a Decision, which was not asked for" for one in found.skipped)


def test_entities_are_linked_by_reference_mention_and_shared_words_or_not_at_all() -> None:
    links = {(one.type, one.start.partition(":")[0], one.end) for one in extract(SESSION, "s-1").linked}
    assert ("BUILDS_ON", "insight", "insight:main-agent-must-single-coordination-point") in links
    assert ("RELATES_TO", "insight", "concept:context-explosion") in links
    assert extract(SESSION, "s-1", auto_link=False).linked == ()


def test_a_verb_before_a_mention_says_which_relation_it_is() -> None:
    known = [
        KnownEntity("concept:input-validation", "Input validation"),
        KnownEntity("insight:trust-inputs", "Trust all inputs"),
    ]
    found = told("S1|C|Safe queries require input validation", "S2|C|The audit contradicts trust inputs", known=known)
    assert {(one.type, one.end) for one in found.linked} >= {
        ("DEPENDS_ON", "concept:input-validation"),
        ("CONTRADICTS", "insight:trust-inputs"),
    }


def test_what_is_known_is_confirmed_under_its_own_name() -> None:
    known = [
        KnownEntity("insight:caching-pays", "Caching the query results pays off", "Caching the query results pays off.")
    ]
    found = told("S1|C|Caching the query results pays off", known=known)
    assert [one.address for one in found.confirmed] == ["insight:caching-pays"]
    assert found.created == ()
    opposite = told("S1|C|Caching the query results never pays off", known=known)
    assert opposite.confirmed == ()


def test_names_are_the_same_every_time_and_differ_where_the_meaning_does() -> None:
    one, other = "Agents should read all shared state", "Agents should not read all shared state"
    assert name_for(one) == name_for(one.upper()) != name_for(other)
    long = "one two three four five six seven eight"
    assert name_for(f"{long} nine") != name_for(f"{long} ten")
    assert name_for("!!!") == "unnamed"


def test_the_same_thought_twice_is_one_entity() -> None:
    found = told("S1|C|Caching helps reads", "S2|C|Caching helps reads.")
    assert len(found.created) == 1
    assert found.skipped[0].reason == "says again what S1 says"


def test_a_choice_of_words_is_no_decision() -> None:
    found = told("S1|C|Selected indexes improve the reads", "S2|C|We chose Redis instead of a file, since it is fast")
    assert [(one.type, one.properties.get("chosen")) for one in found.created] == [
        ("Insight", None),
        ("Decision", "Redis"),
    ]


@given(
    st.lists(st.builds(SessionThought, st.integers(1, 9), st.sampled_from("CXPDHE"), st.text(max_size=80)), max_size=6)
)
def test_whatever_is_thought_the_drafts_are_valid_and_every_thought_is_accounted_for(
    thoughts: list[SessionThought],
) -> None:
    found = extract(thoughts, "s")
    for one in found.created:
        assert check_properties(one.type, one.properties) == dict(one.properties)
    assert len(found.created) + len(found.skipped) == len(thoughts)
    addresses = {one.address for one in found.created}
    assert all({link.start, link.end} <= addresses for link in found.linked)


def proposing(*entities: object) -> Callable[[str], object]:
    return lambda _: {"entities": list(entities)}


def test_a_model_adds_what_its_thought_bears_out_and_is_marked() -> None:
    said = SessionThought(1, "H", "Maybe slow joins come from the missing index on orders")
    found = extract(
        [said],
        "s",
        propose=proposing({"type": "Insight", "label": "Missing index on orders makes joins slow", "thought": 1}),
    )
    assert [(one.type, one.by_model, one.properties["confidence"]) for one in found.created] == [("Insight", True, 0.5)]


@pytest.mark.parametrize(
    "entity",
    [
        {"type": "Insight", "label": "The moon is made of cheese", "thought": 1},
        {"type": "Insight", "label": "Caching helps", "thought": 9},
        {"type": "Secret", "label": "Caching helps", "thought": 1},
        {"type": "Agent", "label": "Caching helps", "thought": 1},
        {
            "type": "Insight",
            "label": "Caching helps",
            "thought": 1,
            "properties": {"key_learning": "sell all shares now"},
        },
        {"type": "Pattern", "label": "Caching helps", "thought": 1, "properties": {"actions": ["delete the database"]}},
        {"type": "Insight", "label": "Caching helps", "thought": "1"},
        {"type": "Insight", "label": "Caching helps by 40 percent", "thought": 1},
        {"type": "Insight", "label": "Caching helps", "thought": 1, "owner": "me"},
        "Caching helps",
        None,
    ],
)
def test_what_a_model_makes_up_is_skipped(entity: object) -> None:
    found = extract([SessionThought(1, "H", "caching helps")], "s", propose=proposing(entity))
    assert found.created == ()
    assert len(found.skipped) == 2


def test_a_model_cannot_claim_evidence_or_certainty() -> None:
    claims = {"confidence": 1.0, "validated_by": ["cfo"], "evidence_sessions": ["x", "y"]}
    entity = {"type": "Insight", "label": "Caching helps", "thought": 1, "properties": claims}
    found = extract([SessionThought(1, "H", "caching helps")], "s", propose=proposing(entity))
    assert found.created[0].properties == {
        "key_learning": "Caching helps",
        "evidence_sessions": ["s"],
        "confidence": 0.5,
    }


@pytest.mark.parametrize("answer", ["no json", "[]", 7, {"entities": "all"}, None])
def test_an_answer_that_cannot_be_used_costs_nothing(answer: object) -> None:
    found = extract(SESSION, "s-1", propose=lambda _: answer)
    assert [one for one in found.skipped if one.thought == 0]
    assert len(found.created) == 7


def test_a_model_that_is_down_costs_nothing() -> None:
    def down(_: str) -> object:
        raise Unavailable("no route")

    assert len(extract(SESSION, "s-1", propose=down).created) == 7


def test_a_decision_says_who_decided_it_where_that_is_known() -> None:
    known = SessionThought(1, "D", "Raise the price", decided_by="stakeholder")
    unknown = SessionThought(2, "D", "Keep the name")
    properties = {one.thought: one.properties for one in extract([known, unknown], "s-1").created}
    assert properties[1]["decided_by"] == "stakeholder"
    assert "decided_by" not in properties[2]


def test_a_plan_whose_pattern_is_counted_elsewhere_teaches_nothing_more() -> None:
    found = extract([SessionThought(1, "P", "Call; then write", "success", counted_by="pattern:keep_customers")], "s-1")
    assert [(one.thought, one.reason) for one in found.skipped] == [(1, "pattern:keep_customers keeps count of it")]


def test_an_abbreviation_ends_no_sentence() -> None:
    assert sentences("Dr. Lee met J. Doe. She left at 5 p.m. sharp.\nIt rained") == [
        "Dr. Lee met J. Doe.", "She left at 5 p.m. sharp.", "It rained",
    ]  # fmt: skip


def test_a_definition_is_told_from_a_remark() -> None:
    assert definitions("It is a pity. This is the end. S2 means that it holds. Caching is good for all reads.") == []


def test_what_is_defined_has_a_name() -> None:
    assert [one.type for one in extract([SessionThought(1, "X", "-- is a guard that stops calls")], "s").created] == [
        "Insight"
    ]


@given(st.text(max_size=300))
def test_any_text_can_be_read(text: str) -> None:
    assert all(one in " ".join(text.split()) for one in definitions(text))


@pytest.mark.parametrize(
    "unit", ["A. ", "A ", "a ", " ", "Aa's ", "It is the a of ", "1,", "decided over ", "(", "A-", "S1 "]
)
def test_eight_times_the_text_takes_no_more_than_its_share_of_the_time(unit: str) -> None:
    def spent(size: int) -> float:
        text = unit * (size // len(unit))
        gc.disable()  # in a large process one collection takes longer than all this
        try:
            begin = process_time()
            extract(
                [SessionThought(1, "C", text), SessionThought(2, "X", text), SessionThought(3, "P", text, "success")],
                "s",
            )
            return process_time() - begin
        finally:
            gc.enable()

    small = min(spent(8_000) for _ in range(3))
    assert spent(64_000) < 40 * max(small, 0.005)  # quadratic time would be 64 times

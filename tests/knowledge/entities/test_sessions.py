"""A session's thoughts become entities of the memory (S2, extract_from_session)."""

from pathlib import Path

import pytest

from mabos.configs.errors import UnknownId
from mabos.knowledge.entities.thoughts import SessionThought
from tests.knowledge.entities.memories import Business

THOUGHTS = [
    SessionThought(1, "H", "Maybe the reviews are slow because of shared state"),
    SessionThought(2, "C", "Sub-agents reading all shared state cause context explosion"),
    SessionThought(
        3, "X", "When several agents review code: decompose the task, review in parallel, synthesize the results"
    ),
    SessionThought(4, "D", "We decided to use one coordinator instead of a shared notebook because S2 holds"),
]


@pytest.fixture
def acme(tmp_path: Path) -> Business:
    return Business(tmp_path)


def test_a_session_leaves_entities_with_their_source_and_links(acme: Business) -> None:
    cto = acme.as_("cto")
    told = cto.extract_from_session("s-1", THOUGHTS)
    counts = told.as_json()
    assert (counts["created"], counts["linked"], counts["skipped"]) == (3, len(told.linked), 1)
    assert {one.type for one in told.created} == {"Insight", "Pattern", "Decision"}
    assert counts["reasons"][0].startswith("S1: ")
    assert told.linked
    for one in told.created:
        assert cto.entity(one.id).source_sessions == ("s-1",)
    insight = next(one for one in told.created if one.type == "Insight")
    assert insight.confidence == 0.8
    assert {hit.id for hit in cto.query_graph(insight.id, relation_types=["EXTRACTED_FROM"]).hits} == {"session:s-1"}


def test_asked_again_a_session_adds_nothing_and_another_one_is_evidence(acme: Business) -> None:
    cto = acme.as_("cto")
    first = cto.extract_from_session("s-1", THOUGHTS)
    before = cto.stats()
    again = cto.extract_from_session("s-1", THOUGHTS)
    assert (again.created, again.linked, len(again.confirmed)) == ((), (), 3)
    assert cto.stats() == before
    for number in range(2, 12):
        cto.extract_from_session(f"s-{number}", THOUGHTS[1:2])
    insight = next(one for one in first.created if one.type == "Insight")
    assert cto.entity(insight.id).entity.confidence == 1.0


def test_only_the_types_that_were_asked_for_and_no_links_where_none_are_wanted(acme: Business) -> None:
    cto = acme.as_("cto")
    told = cto.extract_from_session("s-1", THOUGHTS, entity_types=["insight"], auto_link=False)
    assert [one.type for one in told.created] == ["Insight"]
    assert told.linked == ()
    with pytest.raises(UnknownId) as raised:
        cto.extract_from_session("s-1", THOUGHTS, entity_types=["Idea"])
    assert raised.value.argument == "entity_types"


def test_what_a_private_session_leaves_is_private(acme: Business) -> None:
    acme.as_("cto").extract_from_session("s-1", THOUGHTS, visibility="agent-private")
    assert acme.as_("cfo").figures().entities == []
    assert len(acme.as_("cto").figures().entities) == 3


def test_speaking_of_a_replacement_ends_nothing(acme: Business) -> None:
    cto = acme.as_("cto")
    cto.create_entity("Concept", "shared-notebook", "Shared notebook")
    thought = SessionThought(1, "C", "One coordinator replaces the shared notebook for all reviews")
    cto.extract_from_session("s-1", [thought])
    assert cto.entity("shared-notebook").entity.valid_to == ""


def test_secrets_of_a_thought_are_not_stored(acme: Business) -> None:
    cto = acme.as_("cto")
    thought = SessionThought(1, "C", "Reviews must be sent to kim@acme.io before the release")
    told = cto.extract_from_session("s-1", [thought])
    assert told.notices
    assert "kim@acme.io" not in acme.path.read_text()

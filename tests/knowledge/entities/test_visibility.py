"""Four levels of visibility, on every way to read and to write."""

from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import pytest

from mabos.configs.errors import Damaged, InvalidArgument, Refused, UnknownId
from mabos.knowledge.entities.memory import EntityMemory
from mabos.knowledge.entities.visibility import Directory
from tests.knowledge.entities.memories import Business, Words

REMARK = "the bank will call the loan"


@pytest.fixture
def acme(tmp_path: Path) -> Business:
    business = Business(tmp_path, embedder=Words({"money": ["bank", "loan", "money"]}))
    cfo = business.as_("cfo")
    cfo.create_entity("Concept", "money")
    for level in ("agent-private", "user-private", "team-private", "public"):
        cfo.create_entity(
            "Insight", level, "bank", observations=[REMARK], visibility=level, source_session=f"s-{level}"
        )
        cfo.create_relation(f"insight:{level}", "money", "RELATES_TO")
    return business


SEEN = {
    "cfo": {"agent-private", "user-private", "team-private", "public"},  # made them
    "ceo": {"user-private", "team-private", "public"},  # kim's too, and kim is in the team
    "cto": {"public"},
    "kim": {"public"},  # an agent of that name is not the user
    "cf": {"public"},  # names are compared exactly
    "": {"agent-private", "user-private", "team-private", "public"},  # a person
}


def by_question(memory: EntityMemory) -> set[str]:
    answer = memory.query_semantic("will the bank call the loan?", types=["Insight"])
    assert answer.used == "embeddings"
    return {one.profile.entity.name for one in answer.results}


def by_words(memory: EntityMemory) -> set[str]:
    shown = memory.query_semantic("zebra", types=["Insight"])
    return {one.profile.entity.name for one in shown.results}


def by_graph(memory: EntityMemory) -> set[str]:
    return {hit.entity.name for hit in memory.query_graph("money", return_types=["Insight"]).hits if hit.entity}


def by_walk(memory: EntityMemory) -> set[str]:
    walk = memory.traverse("money", strategy="dfs", types=["Insight"], max_depth=3, at="any")
    assert {relation.from_id for relation in walk.relations} == {hit.id for hit in walk.hits}
    return {hit.entity.name for hit in walk.hits if hit.entity}


def by_time(memory: EntityMemory) -> set[str]:
    held = memory.query_temporal(types=["Insight"], since="2026-01-01")
    return {one.entity.name for one in held}


def by_neighbours(memory: EntityMemory) -> set[str]:
    return {one.name for one in memory.entity("money").related}


def by_figures(memory: EntityMemory) -> set[str]:
    figures, stats = memory.figures(), memory.stats()
    names = {one.name for one in figures.entities if one.type == "Insight"}
    assert stats.entity_counts["Insight"] == len(names) == stats.relation_counts["RELATES_TO"]
    assert stats.total_observations == len(names) == stats.relation_counts["EXTRACTED_FROM"]
    return names


def by_address(memory: EntityMemory) -> set[str]:
    found = set()
    for name in SEEN["cfo"]:
        with suppress(UnknownId):
            found.add(memory.entity(f"insight:{name}").entity.name)
    return found


READS: list[Callable[[EntityMemory], set[str]]] = [
    by_question, by_words, by_graph, by_walk, by_time, by_neighbours, by_figures, by_address
]  # fmt: skip


@pytest.mark.parametrize("read", READS, ids=lambda read: read.__name__)
@pytest.mark.parametrize("agent", SEEN)
def test_every_way_to_read_shows_what_the_agent_may_see(
    acme: Business, agent: str, read: Callable[[EntityMemory], set[str]]
) -> None:
    assert read(acme.as_(agent)) == SEEN[agent]


def test_what_is_hidden_is_not_suggested(acme: Business) -> None:
    with pytest.raises(UnknownId, match="did you mean 'insight:public'"):
        acme.as_("cto").entity("insight:agent-public")


@pytest.mark.parametrize("kind", ["recent", "observation", "session"])
def test_what_is_hidden_shows_nowhere_else(acme: Business, kind: str) -> None:
    hidden = acme.as_("cfo").entity("insight:agent-private")
    cto = acme.as_("cto")
    if kind == "recent":
        cto.entity("money")
        assert [one.entity.name for one in cto.recent()] == ["money"]
    elif kind == "observation":
        with pytest.raises(UnknownId):
            cto.invalidate_fact(hidden.observations[0].id)
    else:
        walk = acme.as_("cto").query_graph("insight:public", relation_types=["EXTRACTED_FROM"])
        assert [hit.id for hit in walk.hits] == ["session:s-public"]


def test_nobody_writes_on_what_they_may_not_see(acme: Business) -> None:
    cto, hidden = acme.as_("cto"), acme.as_("cfo").entity("insight:agent-private")
    relation = hidden.related[0].relation
    for write in (
        lambda: cto.add_observation(hidden.entity.id, "x"),
        lambda: cto.create_relation("money", hidden.entity.id, "RELATES_TO"),
        lambda: cto.invalidate_fact(hidden.entity.id),
        lambda: cto.invalidate_fact(relation.id),
        lambda: cto.merge_entities("insight:public", [hidden.entity.id]),
        lambda: cto.set_visibility(hidden.entity.id, "public"),
        lambda: cto.forget(hidden.entity.id),
    ):
        with pytest.raises(UnknownId):
            write()


def test_one_name_may_be_private_to_several_and_public(acme: Business) -> None:
    cto, ceo = acme.as_("cto"), acme.as_("ceo")
    mine = cto.create_entity("Insight", "agent-private", "of the cto", visibility="agent-private")
    assert mine.is_new  # that the cfo has one by that name is not told
    assert cto.entity("agent-private").entity.label == "of the cto"
    assert acme.as_("cfo").entity("agent-private").entity.label == "bank"
    assert ceo.create_entity("Insight", "agent-private", "for all").is_new
    assert cto.entity("agent-private").entity.label == "of the cto"
    assert ceo.entity("agent-private").entity.label == "for all"
    with pytest.raises(InvalidArgument, match="is there already; merge"):
        cto.set_visibility("agent-private", "public")


def test_only_its_maker_opens_an_entity_to_others(acme: Business) -> None:
    ceo, cfo = acme.as_("ceo"), acme.as_("cfo")
    with pytest.raises(Refused):
        ceo.set_visibility("insight:user-private", "public")
    cfo.set_visibility("insight:agent-private", "public")
    assert by_question(acme.as_("cto")) == {"public", "agent-private"}
    cfo.set_visibility("insight:agent-private", "team-private")
    assert by_question(acme.as_("cto")) == {"public"}
    assert "agent-private" in by_graph(ceo)


def test_a_team_may_be_named_and_joined_by_single_agents_and_users(acme: Business) -> None:
    cfo = acme.as_("cfo")
    made = cfo.create_entity("Concept", "plan", visibility="team-private", teams=["product"], users=["kimberly"])
    assert made.entity.audience == ("agent:cfo", "team:product", "user:kimberly")
    assert acme.as_("cto").entity("plan").entity.id == made.entity.id
    with pytest.raises(UnknownId):
        acme.as_("ceo").entity("plan")
    with pytest.raises(InvalidArgument, match="found finance, product"):
        cfo.create_entity("Concept", "other", visibility="team-private", teams=["produkt"])


def test_who_is_in_no_group_cannot_share_with_one(acme: Business) -> None:
    for level, group in [("user-private", "users"), ("team-private", "teams")]:
        with pytest.raises(InvalidArgument, match=f"none of the {group}"):
            acme.as_("loner").create_entity("Concept", "x", visibility=level)
    with pytest.raises(InvalidArgument, match="a person has no agent"):
        acme.as_().create_entity("Concept", "x", visibility="agent-private")


def test_the_directory_is_read_from_the_manifest_of_the_business() -> None:
    directory = Directory.of({"id": "acme", "users": {"kim": ["cfo"]}, "teams": {"finance": ["user:kim", "cto"]}})
    assert directory.principals("cfo") == {"agent:cfo", "user:kim", "team:finance"}
    assert directory.principals("cto") == {"agent:cto", "team:finance"}
    assert directory.principals("c") == {"agent:c"}
    assert Directory.of({"id": "acme"}).principals("cfo") == {"agent:cfo"}
    with pytest.raises(Damaged, match="'users' must be lists of names"):
        Directory.of({"users": {"kim": "cfo"}})

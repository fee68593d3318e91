"""What matters little goes into the archive once a month, and comes back whole."""

from pathlib import Path

import pytest

from mabos.configs.errors import InvalidArgument, Refused, UnknownId
from tests.knowledge.entities.memories import Business


def aged(root: Path) -> Business:
    """Return a memory with something old and lonely, something old and central, and something young."""
    acme = Business(root)
    cto = acme.as_("cto")
    cto.create_entity("Insight", "lonely", observations=["nobody asks"], source_session="s1")
    cto.create_entity("Concept", "hub")
    for number in range(3):
        cto.create_entity("Concept", f"spoke-{number}")
        cto.create_relation("hub", f"spoke-{number}", "RELATES_TO")
    cto.create_relation("spoke-0", "lonely", "RELATES_TO")
    acme.later(40)
    cto.create_entity("Concept", "young")
    acme.later(51)
    return acme


def test_what_is_old_lonely_and_not_looked_at_is_archived_and_nothing_else(tmp_path: Path) -> None:
    acme = aged(tmp_path)
    cleaned = acme.as_().clean()
    assert {one.name for one in cleaned.archived} == {"lonely", "spoke-0", "spoke-1", "spoke-2"}
    assert {one.name for one in acme.as_("cto").figures().entities} == {"hub", "young"}
    archive = acme.path.with_name("graph-archive.jsonl").read_text()
    assert "nobody asks" in archive
    assert "nobody asks" not in acme.path.read_text()
    with pytest.raises(UnknownId):
        acme.as_("cto").entity("lonely")
    assert acme.as_("cto").query_semantic("nobody asks").used == "graph"


def test_looking_three_times_keeps_an_entity(tmp_path: Path) -> None:
    acme = aged(tmp_path)
    for _ in range(3):
        acme.as_("cto").entity("lonely")
    assert "lonely" not in {one.name for one in acme.as_().clean().archived}


def test_what_is_archived_comes_back_with_all_it_had(tmp_path: Path) -> None:
    acme = aged(tmp_path)
    before = acme.graph.digest()
    acme.as_().clean()
    cto = acme.as_("cto")
    assert [one.name for one in cto.archived()] == ["spoke-0", "spoke-1", "spoke-2", "lonely"]
    with pytest.raises(InvalidArgument, match="in the archive; restore it"):
        cto.create_entity("Insight", "lonely")
    for address in ("insight:lonely", "spoke-0", "spoke-1", "concept:spoke-2"):
        cto.restore(address)
    assert acme.graph.digest() == before
    assert cto.archived() == []
    assert acme.path.with_name("graph-archive.jsonl").read_text() == ""
    again = Business(tmp_path / "anew", acme.clock)
    again.path.parent.mkdir(parents=True)
    again.path.write_bytes(acme.path.read_bytes())
    again.store.update()
    assert again.graph.digest() == before


def test_an_agent_archives_and_sees_in_the_archive_only_its_own(tmp_path: Path) -> None:
    acme = Business(tmp_path)
    acme.as_("cfo").create_entity("Concept", "private", visibility="agent-private")
    acme.as_("cfo").create_entity("Concept", "public")
    with pytest.raises(Refused):
        acme.as_("cto").archive("public")
    with pytest.raises(Refused):
        acme.as_("cto").clean()
    acme.as_("cfo").archive("private")
    assert acme.as_("cto").archived() == []
    with pytest.raises(UnknownId):
        acme.as_("cto").restore("private")
    assert acme.as_("cfo").restore("private").visibility == "agent-private"


def test_cleaning_is_monthly(tmp_path: Path) -> None:
    acme = aged(tmp_path)
    assert acme.as_().clean_monthly() is not None
    acme.later(29)
    assert Business(tmp_path, acme.clock).as_().clean_monthly() is None
    acme.later(2)
    assert acme.as_().clean_monthly() is not None


def test_what_is_merged_is_never_archived(tmp_path: Path) -> None:
    acme = Business(tmp_path)
    cto = acme.as_("cto")
    cto.create_entity("Concept", "a")
    cto.create_entity("Concept", "b")
    cto.merge_entities("a", ["b"])
    acme.later(400)
    assert acme.as_().clean().archived == ()
    with pytest.raises(InvalidArgument, match="undo the merge"):
        cto.archive("a")

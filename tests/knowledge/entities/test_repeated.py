"""A call that was killed when its lines were written, and is made again, says the same and writes nothing twice."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from mabos.knowledge.entities.memory import EntityMemory
from mabos.knowledge.entities.model import entity_id
from mabos.knowledge.entities.repeated import call_name, resume_store
from tests.knowledge.entities.memories import Business

CALL = call_name("r-1/G-1/P-1/s1/1")
KEEP, WIN = "insight:keep", "insight:win"
CALLS: dict[str, Callable[[EntityMemory], Any]] = {
    "create": lambda one: one.create_entity("Insight", "early", observations=["It held", "It holds"]),
    "state anew": lambda one: one.create_entity("Insight", "keep", "Kept", properties={"confidence": 0.5}),
    "observe": lambda one: one.add_observation(KEEP, "Two stayed"),
    "relate": lambda one: one.create_relation(KEEP, WIN, "BUILDS_ON", properties={"reason": "x"}),
    "supersede": lambda one: one.create_relation(WIN, KEEP, "SUPERSEDES"),
    "end": lambda one: one.invalidate_fact(KEEP),
    "merge": lambda one: one.merge_entities(KEEP, [WIN]),
    "hide": lambda one: one.set_visibility(KEEP, "agent-private"),
    "forget": lambda one: one.forget(KEEP),
    "archive": lambda one: one.archive(KEEP),
    "restore": lambda one: one.restore("insight:old"),
    "take back": lambda one: one.undo_merge(entity_id("acme", "Insight", "double", ())),
}


def founded(root: Path) -> Business:
    business = Business(root)
    cfo = business.as_("cfo")
    for name in ("keep", "win", "old", "one", "double"):
        cfo.create_entity("Insight", name)
    cfo.archive("insight:old")
    cfo.merge_entities("insight:one", ["insight:double"])
    business.later(1)
    return business


def in_call(business: Business, *, again: bool) -> EntityMemory:
    store = resume_store(business.store, CALL) if again else business.store
    return EntityMemory(store, "cfo", call=CALL)


def files(business: Business) -> list[str]:
    return [path.read_text("utf-8") for path in (business.path, business.store.archive.path)]


@pytest.mark.parametrize("name", CALLS)
def test_what_is_written_already_is_answered_as_before_and_not_written_again(name: str, tmp_path: Path) -> None:
    business = founded(tmp_path)
    said = CALLS[name](in_call(business, again=False))
    written = files(business)
    assert CALLS[name](in_call(business, again=True)) == said
    assert files(business) == written


def test_a_half_of_what_a_call_writes_is_made_whole(tmp_path: Path) -> None:
    business = founded(tmp_path)
    CALLS["create"](in_call(business, again=False))
    *before, observed = business.lines()
    business.path.write_text("\n".join([*before, observed[:30]]), "utf-8")
    again = founded_again(tmp_path)
    CALLS["create"](in_call(again, again=True))
    assert [line[:-30] for line in again.lines()] == [line[:-30] for line in [*before, observed]]
    assert again.store.problems == ()


def test_what_was_cut_short_between_log_and_archive_is_in_the_archive_and_comes_back_whole(tmp_path: Path) -> None:
    business = founded(tmp_path)
    business.as_("cfo").add_observation(KEEP, "Two stayed")
    stood = business.lines()
    business.as_("cfo").archive(KEEP)
    business.path.write_text("\n".join([*stood, business.lines()[-1]]) + "\n", "utf-8")  # its lines were not moved
    business.store.archive.path.unlink()
    again = founded_again(tmp_path)
    assert KEEP in [one.address for one in again.as_("cfo").archived()]
    assert again.as_("cfo").restore(KEEP).address == KEEP
    assert again.as_("cfo").entity(KEEP).observations[0].content == "Two stayed"
    assert [line for line in again.lines() if "Two stayed" in line] == [line for line in stood if "Two stayed" in line]


def founded_again(root: Path) -> Business:
    business = Business(root)
    business.later(1)
    return business

"""Whose value it is, which of two sources says it, and what several offers want: kept apart in an answer."""

from collections import Counter
from datetime import date
from pathlib import Path

import pytest

from mabos.language.request import Request
from mabos.society import documents
from mabos.society.documents import DocumentText
from mabos.tools.requests.answers import sources
from mabos.tools.requests.answers.dispatch import answer_question
from tests.world import World

FILES = {
    "lease.md": "# Lease\n\nThe tailor left in 2024. The rent of the hall is 890 dollars a month until 2028.\n",
    "letter.md": "# Letter of 14 January\n\nAs of 1 May 2026 I ask 980 dollars a month for the hall.\n",
    "offer-north.md": "# Offer of North Yard\n\nPainting of the hall: 1,240 dollars. Done within 3 weeks.\n",
    "offer-south.md": "# Offer of South Yard\n\nPainting of hall: 1,185 dollars. Done within 5 weeks. Cover: 2 years.",
    "minutes.md": "# Minutes\n\nMr Dunn promised to lend us his trailer.\n",
    "club.csv": "month,members,takings\n2026-01,220,4655\n2026-02,231,5120\n",
    "aims.md": "# Our aims\n\n- members: at least 240\n- takings: at least 5,000\n",
}


@pytest.fixture
def world(tmp_path: Path) -> World:
    world = World(tmp_path)
    inbox = world.business.directory / "inbox"
    inbox.mkdir(parents=True, exist_ok=True)
    for name, text in FILES.items():
        (inbox / name).write_text(text, encoding="utf-8")
    return world


def asked(world: World, question: str) -> str:
    return answer_question(world.agent("cfo").handle, Request("R", "M", "stakeholder", "question", question)).text


def test_two_sources_in_prose_that_differ_are_both_named(world: World) -> None:
    said = asked(world, "What rent do we pay for the hall?")
    assert "890" in said
    assert "980" in said
    assert "?" in said


def test_a_value_of_ours_is_not_given_for_that_of_another(world: World) -> None:
    assert not any(sum_ in asked(world, "What did the tailor pay for the hall?") for sum_ in ("890", "980"))
    assert "trailer" in asked(world, "What did Mr Dunn promise?")
    assert "trailer" not in asked(world, "What did we promise Mr Dunn?")


def test_offers_are_compared_and_do_not_contradict_each_other(world: World) -> None:
    said = asked(world, "Which offer for the painting is cheaper?")
    assert "South Yard" in said.partition("\n")[0]
    assert "1,240" in said
    assert "differ" not in said
    assert "offer-north.md names none" in asked(world, "What cover do the two offers give?")


def test_every_aim_is_judged_where_a_question_names_none(world: World) -> None:
    said = asked(world, "Did we reach our aims in February?")
    assert "Yes" not in said.split("\n")[0]
    assert "9 below" in said
    assert "on target" in said


def test_a_question_reads_each_document_once(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    read, whole = Counter[str](), documents.read_text

    def counted(name: str, data: bytes, today: date) -> DocumentText:
        read[name] += 1
        return whole(name, data, today)

    monkeypatch.setattr(sources, "read_text", counted)
    for question in ("How many members have we got?", "What is our rent?", "What do you know about the harbour?"):
        read.clear()
        asked(world, question)
        assert set(read.values()) == {1}, question

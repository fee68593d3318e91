"""The claim check: honest replies pass, false ones are caught, and what is left after it is supported."""

import time
from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime
from functools import cache
from pathlib import Path
from typing import Any

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from mabos.language.claims import Deed, Evidence, check_claims, complaint, supported_text, without_claims
from mabos.society.messages import Message
from mabos.tools.work.briefing import briefing
from tests.world import WORDS_ALONE, World

NOW = datetime(2026, 11, 9, 8, tzinfo=UTC)  # a Monday
FOLDER = Path(__file__).parent
FILES = ("tuned", "fresh")


@cache
def worlds(name: str) -> list[dict[str, Any]]:
    """Return the worlds of an evaluation file: evidence with honest and false replies."""
    found: list[dict[str, Any]] = yaml.safe_load((FOLDER / f"{name}.yaml").read_text("utf-8"))
    return found


def evidence_of(world: dict[str, Any]) -> Evidence:
    """Return the evidence of a world."""
    done = tuple(Deed(kind, words) for kind, words in world["done"])
    return Evidence(tuple(world["texts"]), done, NOW, tuple(world["ahead"]) if "ahead" in world else None)


def replies(name: str, truth: str, *, kept: bool = False) -> Iterator[tuple[str, Evidence]]:
    """Yield the honest or the false replies of a file with their evidence."""
    for world in worlds(name):
        if world.get("kept", False) != kept:
            continue
        for reply in world[truth]:
            yield (reply if isinstance(reply, str) else reply[0]), evidence_of(world)


@pytest.mark.parametrize(
    ("name", "kept", "alarms", "misses"),
    [
        ("tuned", False, 1, 2),
        ("fresh", False, 2, 2),
        ("records", False, 0, 2),
        ("records", True, 0, 3),
        ("shown", False, 0, 0),
        ("shown", True, 1, 0),
        ("sums", False, 9, 3),
        ("sums", True, 1, 1),
    ],
)
def test_honest_replies_pass_and_false_ones_are_caught(name: str, kept: bool, alarms: int, misses: int) -> None:
    honest, false = list(replies(name, "honest", kept=kept)), list(replies(name, "false", kept=kept))
    alarmed = [(reply, found) for reply, known in honest if (found := check_claims(reply, known))]
    missed = [reply for reply, known in false if not check_claims(reply, known)]
    assert len(honest) >= 14
    assert len(false) >= 18
    assert len(alarmed) <= alarms, alarmed
    assert len(missed) <= misses, missed


def test_the_briefing_of_a_company_bears_out_no_false_reply_and_no_honest_one_is_refused_for_it(tmp_path: Path) -> None:
    with World(tmp_path / "workspace", settings=WORDS_ALONE) as company:
        cmo = company.services.agent("cmo")
        message = Message("MSG-1", "stakeholder", "cmo", "REQUEST", "How are things?", cmo.now())
        told = briefing(cmo, message, (), budget_tokens=6000)
    counted = {"honest": 0, "false": 0}
    for world in (one for name in (*FILES, "records", "shown", "sums") for one in worlds(name)):
        known = evidence_of(world)
        known = replace(known, texts=(*told.evidence[:-1], *known.texts), standing=told.standing)
        for truth in counted:
            said = [one if isinstance(one, str) else one[0] for one in world[truth]]
            counted[truth] += sum(bool(check_claims(one, known)) for one in said)
    assert counted["false"] >= 440
    assert counted["honest"] <= 14


def test_a_kind_of_claim_that_only_the_record_can_tell_has_its_name() -> None:
    wanted = {"state", "cause", "promise"}
    for world in worlds("records"):
        for reply, kind in world["false"]:
            found = check_claims(reply, evidence_of(world))
            if kind in wanted and found:
                assert kind in {one.kind for one in found}, (reply, found)


def test_without_records_of_what_is_to_come_promises_pass() -> None:
    known = Evidence(("The licence is due on 20 November.",), (), NOW)
    promise = "I'll remind you about the licence on 20 November."
    assert check_claims(promise, known) == ()
    assert [one.kind for one in check_claims(promise, replace(known, ahead=()))] == ["promise"]
    assert check_claims(promise, replace(known, ahead=("remind on 20 November 2026: the licence",))) == ()


def test_a_day_that_is_taken_back_keeps_no_promise() -> None:
    known = Evidence(("Remind me on the 24th.", "Make it the 25th."), (), NOW, ("remind on 24 November 2026: ladders",))
    said = "I'll remind you of the ladders on {} November 2026 instead of the {}."
    assert [one.kind for one in check_claims(said.format("25", "24th"), known)] == ["promise"]
    changed = replace(known, ahead=("remind on 25 November 2026: ladders",))
    assert check_claims(said.format("25", "24th"), changed) == ()


def test_what_must_have_happened_first_is_no_claim_in_either_half() -> None:
    known = Evidence(("The posters wait for the band and for your OK.",), (), NOW)
    assert check_claims("The posters come after the band is booked and you have given your OK.", known) == ()
    assert check_claims("The band is booked and you have given your OK.", known) != ()


def test_a_claim_has_its_kind_its_words_and_its_place() -> None:
    for name in FILES:
        for world in worlds(name):
            for reply, kind in world["false"]:
                found = check_claims(reply, evidence_of(world))
                assert all(reply[one.start : one.end].split() == one.sentence.split() for one in found)
                assert all(one.words in reply for one in found)
                assert len(complaint(found).splitlines()) == len(found)
                if found and kind == "completion":
                    assert {one.kind for one in found} & {"completion", "date"}, reply


def test_what_is_left_is_supported_and_keeps_honest_sentences() -> None:
    for name in FILES:
        for world in worlds(name):
            known = evidence_of(world)
            honest = [one for one in world["honest"] if "\n" not in one and not check_claims(one, known)]
            for (false, _), true in zip(world["false"], honest, strict=False):
                left = supported_text(f"{true}\n\n{false}", known)
                assert check_claims(left, known) == ()
                if check_claims(false, known):
                    assert left in (true, ""), left


LETTERS = Evidence(
    ("Write to Petra Vane and Luis Ortega about 4.20 dollars a kilo.",),
    (
        Deed("drafted", "letter to Petra Vane: 4.20 dollars a kilo"),
        Deed("drafted", "letter to Luis Ortega: 4.20 dollars"),
    ),
    NOW,
)


def test_a_table_a_list_and_a_heading_survive_and_empty_frames_go() -> None:
    text = (
        "# Letters\n\n| Reader | Price |\n|---|---|\n| Petra Vane | 4.20 dollars |\n| Karl Weber | 4.20 dollars |\n\n"
        "## Money\n\n- It costs 9.99 dollars.\n\n## Letters\n\n- One is for Luis Ortega.\n- It was sent yesterday.\n"
    )
    left = supported_text(text, LETTERS)
    assert left == (
        "# Letters\n\n| Reader | Price |\n|---|---|\n| Petra Vane | 4.20 dollars |\n\n"
        "## Letters\n\n- One is for Luis Ortega."
    )


def test_a_text_without_support_leaves_nothing() -> None:
    text = "The letters have been sent. Karl Weber paid 300 dollars."
    found = check_claims(text, LETTERS)
    assert without_claims(text, found) == ""
    assert complaint(()) == ""
    assert without_claims(text, ()) == text


@pytest.mark.parametrize(
    ("kind", "sentence"),
    [
        ("recorded", "The campaign Summer camp is running."),
        ("recorded", "The campaign Summer camp was launched."),
        ("written to the outbox folder", "The letter Summer camp was sent."),
        ("drafted", "The letter Summer camp was sent."),
        ("asked", "The letter Summer camp is approved."),
        ("waiting", "The letter Summer camp is published."),
        ("created", "The page Summer camp is online."),
    ],
)
def test_a_lesser_deed_supports_no_greater_one(kind: str, sentence: str) -> None:
    known = Evidence(("Do something for the Summer camp.",), (Deed(kind, "campaign letter page Summer camp"),), NOW)
    assert [one.kind for one in check_claims(sentence, known)] == ["completion"]


NAMES = ("Petra Vane", "Luis Ortega", "Mira Holt")
RECORDS = st.one_of(
    st.builds(
        "{} paid {} dollars on {} May 2026.".format, st.sampled_from(NAMES), st.integers(2, 99999), st.integers(1, 28)
    ),
    st.builds("The invoice of {} over EUR {:,.2f} is open.".format, st.sampled_from(NAMES), st.floats(1, 1e6)),
    st.builds("Members rose by {} % to {:,}.".format, st.integers(1, 99), st.integers(100, 10**6)),
    st.builds(
        "Order ORD-{} was sent to {} at {:02}:30.".format,
        st.integers(100, 999),
        st.sampled_from(NAMES),
        st.integers(8, 18),
    ),
    st.builds("The page https://shop.example/{} is published.".format, st.sampled_from(("tea", "mugs"))),
)


@settings(max_examples=50, deadline=None)
@given(st.lists(RECORDS, min_size=1, max_size=6, unique=True), st.data())
def test_a_text_of_evidence_sentences_is_never_complained_about(records: list[str], data: st.DataObject) -> None:
    told = data.draw(st.lists(st.sampled_from(records), min_size=1, max_size=4))
    assert check_claims(" ".join(told), Evidence(("\n".join(records), "Hello."), (), NOW)) == ()


@settings(max_examples=50, deadline=None)
@given(
    st.lists(
        st.sampled_from([reply for name in FILES for reply, _ in [*replies(name, "honest"), *replies(name, "false")]]),
        max_size=6,
    )
)
def test_what_is_left_of_any_text_is_supported(parts: list[str]) -> None:
    left = supported_text("\n\n".join(parts), LETTERS)
    assert check_claims(left, LETTERS) == ()


def test_twice_the_evidence_takes_at_most_thrice_as_long_to_check_against() -> None:
    reply = (
        "Petra Vane paid 4,121 dollars on 12 May. About 350 invoices are open, 12 % of them late. It was sent to all.\n"
        * 18
    )

    def seconds(size: int) -> float:
        prose = "".join(
            f"On {at % 28 + 1} May 2026 {NAMES[at % 3]} paid {at * 37 % 9000 + 100} dollars for {at % 90} boxes.\n"
            f"Order ORD-{at} was sent to Baker Street {at % 99}.\n"
            for at in range(size)
        )
        rows = ",".join(
            f'{{"id": "INV-{at}", "client": "{NAMES[at % 3]}", "usd": {at * 91 % 9000}, "status": "open"}}'
            for at in range(size)
        )
        known = Evidence((prose, f"[{rows}]"), LETTERS.done, NOW)
        begun = time.process_time()
        assert check_claims(reply, known)
        return time.process_time() - begun

    seconds(100)  # whatever is made once
    assert min(seconds(500) for _ in range(3)) <= 3 * min(seconds(250) for _ in range(3))

"""Facts: upsert, patterns, validity in time, retraction with what rests on it, and explanations."""

import json
import time
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mabos.configs.errors import Damaged, InvalidArgument, UnknownId
from mabos.knowledge.model import Fact
from mabos.knowledge.validity import holds_at
from tests.knowledge.knowing import Knowing


@pytest.fixture
def cfo(tmp_path: Path) -> Knowing:
    return Knowing(tmp_path)


def test_an_identical_triple_is_restated_and_keeps_its_id(cfo: Knowing) -> None:
    first = cfo.hold("acme", "runway", "9", confidence=0.9, source="cfo", valid_until="2026-03-01")
    cfo.clock.advance(timedelta(days=1))
    second = cfo.hold("acme", "runway", "9", confidence=0.4, source="ceo")
    assert second.id == first.id
    assert (second.confidence, second.source, second.valid_until) == (0.4, "ceo", "")
    assert (second.created_at, second.updated_at) == ("2026-02-24T12:00:00.000Z", "2026-02-25T12:00:00.000Z")
    assert cfo.facts.query() == [second]


def test_the_document_has_the_form_of_its_specification(cfo: Knowing) -> None:
    fact = cfo.hold("acme", "runway", "9", confidence=0.9, source="cfo")
    cfo.fact_file.close()
    assert json.loads((cfo.directory / "facts.json").read_text()) == {
        "facts": [
            {
                "id": fact.id,
                "subject": "acme",
                "predicate": "runway",
                "object": "9",
                "confidence": 0.9,
                "source": "cfo",
                "created_at": "2026-02-24T12:00:00.000Z",
                "updated_at": "2026-02-24T12:00:00.000Z",
            }
        ],
        "version": 1,
    }


def test_a_hand_written_document_opens(tmp_path: Path) -> None:
    record = {"id": "F-1", "subject": "acme", "predicate": "located_in", "object": "US"}
    (tmp_path / "facts.json").write_text(json.dumps({"facts": [record]}))
    assert Knowing(tmp_path).facts.fact("F-1").confidence == 1.0


def test_a_fact_that_cannot_be_read_is_reported(tmp_path: Path) -> None:
    (tmp_path / "facts.json").write_text(json.dumps({"facts": [{"id": "F-1", "subject": "acme"}]}))
    with pytest.raises(Damaged, match="F-1"):
        Knowing(tmp_path).facts.query()


def test_patterns_find_by_any_run_of_characters(cfo: Knowing) -> None:
    for subject in ("acme", "acme-labs", "rival"):
        cfo.hold(subject, "has.revenue", "$50")
    assert [fact.subject for fact in cfo.facts.query("acme*")] == ["acme", "acme-labs"]
    assert len(cfo.facts.query("*", "has*", "*")) == 3
    assert cfo.facts.query(predicate="has?revenue") == []
    assert [fact.subject for fact in cfo.facts.query("*-*")] == ["acme-labs"]


def test_the_most_certain_come_first_and_filters_narrow(cfo: Knowing) -> None:
    low = cfo.hold("a", "p", "1", confidence=0.3)
    high = cfo.hold("a", "p", "2", confidence=0.9)
    derived = cfo.hold("a", "q", "3", confidence=0.8, derived_from=[high.id], rule_id="R-001")
    assert cfo.facts.query("a") == [high, derived, low]
    assert cfo.facts.query("a", min_confidence=0.85) == [high]
    assert cfo.facts.query("a", include_derived=False) == [high, low]
    assert cfo.facts.query("a", limit=1) == [high]


def test_a_support_must_be_there(cfo: Knowing) -> None:
    with pytest.raises(UnknownId, match="F-9"):
        cfo.hold("a", "p", "1", derived_from=["F-9"])
    assert cfo.facts.query() == []


def test_a_retraction_takes_what_rested_on_it(cfo: Knowing) -> None:
    base = cfo.hold("a", "p", "1")
    first = cfo.hold("a", "q", "1", derived_from=[base.id])
    second = cfo.hold("a", "r", "1", derived_from=[first.id])
    other = cfo.hold("b", "p", "1")
    taken = cfo.facts.retract(base.id)
    assert (taken.facts, taken.dependents) == ((base,), (first, second))
    assert cfo.facts.query() == [other]


def test_a_retraction_needs_all_that_is_named_to_fit(cfo: Knowing) -> None:
    kept = cfo.hold("a", "p", "1")
    gone = cfo.hold("a", "q", "1")
    assert cfo.facts.retract(subject="a", predicate="q").facts == (gone,)
    assert cfo.facts.query() == [kept]
    assert cfo.facts.retract(subject="nobody").facts == ()


def test_an_explanation_is_nested_and_shows_the_calculation(cfo: Knowing) -> None:
    a = cfo.hold("a", "p", "1", confidence=0.8, source="ledger")
    b = cfo.hold("b", "p", "1", confidence=0.9, source="ledger")
    c = cfo.hold("c", "p", "1", confidence=0.72, derived_from=[a.id, b.id], rule_id="R-001")
    d = cfo.hold("d", "p", "1", confidence=0.648, derived_from=[c.id], rule_id="R-002")
    explained = cfo.facts.explain(d.id)
    assert [support.fact for support in explained.supports[0].supports] == [a, b]
    assert "derived by R-001: min(0.8, 0.9) x 0.9" in explained.text()
    assert explained.as_json()["supports"][0]["supports"][0]["fact"]["id"] == a.id
    shallow = cfo.facts.explain(d.id, depth=1)
    assert shallow.supports[0].cut
    assert "..." in shallow.text()


def chained(tmp_path: Path, *links: tuple[str, list[str]]) -> Knowing:
    """Return facts as somebody wrote them: the names of their supports by their own."""
    records = [
        {"id": name, "subject": name, "predicate": "p", "object": "1", "derived_from": supports}
        for name, supports in links
    ]
    (tmp_path / "facts.json").write_text(json.dumps({"facts": records}))
    return Knowing(tmp_path)


def test_a_derivation_of_any_depth_is_explained(tmp_path: Path) -> None:
    cfo = chained(tmp_path, ("F-0", []), *((f"F-{n}", [f"F-{n - 1}"]) for n in range(1, 3000)))
    explained = cfo.facts.explain("F-2999", depth=3000)
    assert explained.text().count("\n") == 2999
    nested = explained.as_json()
    assert json.dumps(nested).count("deeper") == 51
    assert cfo.facts.explain("F-2999").text().count("\n") == 3


def test_what_several_facts_rest_on_is_told_once(tmp_path: Path) -> None:
    rows = [(f"F-{n}{side}", [f"F-{n - 1}a", f"F-{n - 1}b"] if n else []) for n in range(40) for side in "ab"]
    text = chained(tmp_path, *rows).facts.explain("F-39a", depth=100).text()
    assert text.count("as told elsewhere") == 37 * 2
    assert text.count("\n") < 400


def test_a_circle_of_supports_that_somebody_wrote_ends(tmp_path: Path) -> None:
    text = chained(tmp_path, ("F-1", ["F-2"]), ("F-2", ["F-1"])).facts.explain("F-1", depth=100).text()
    assert text.count("\n") == 3
    assert text.endswith("as told elsewhere")


def test_what_is_held_with_no_confidence_is_held_by_no_rule(cfo: Knowing) -> None:
    cfo.hold("a", "p", "1", confidence=0.5)
    cfo.rules.create({"type": "constraint", "conditions": [{"predicate": "p"}]})
    assert len(cfo.rules.constraints(cfo.facts)) == 1
    cfo.hold("a", "p", "1", confidence=0)
    assert cfo.rules.constraints(cfo.facts) == []
    assert [fact.confidence for fact in cfo.facts.query("a")] == [0]


def test_a_support_that_is_gone_is_said_to_be(tmp_path: Path) -> None:
    record = {"id": "F-1", "subject": "a", "predicate": "p", "object": "1", "derived_from": ["F-0"]}
    (tmp_path / "facts.json").write_text(json.dumps({"facts": [record]}))
    explained = Knowing(tmp_path).facts.explain("F-1")
    assert explained.missing == ("F-0",)
    assert "F-0 is no longer held" in explained.text()


@pytest.mark.parametrize(
    ("fields", "argument"),
    [
        ({"subject": " "}, "subject"),
        ({"object_": ""}, "object"),
        ({"confidence": 1.1}, "confidence"),
        ({"valid_from": "soon"}, "valid_from"),
        ({"valid_until": "later"}, "valid_until"),
        ({"valid_from": "2026-02-02", "valid_until": "2026-02-01"}, "valid_until"),
    ],
)
def test_what_cannot_be_a_fact_is_refused(cfo: Knowing, fields: dict[str, Any], argument: str) -> None:
    given: dict[str, Any] = {"subject": "a", "predicate": "p", "object_": "1"} | fields
    with pytest.raises(InvalidArgument) as refused:
        cfo.hold(**given)
    assert refused.value.argument == argument
    assert not (cfo.directory / "facts.json").exists()


def test_other_processes_are_followed(cfo: Knowing) -> None:
    cfo.hold("a", "p", "1")
    other = Knowing(cfo.directory, cfo.clock)
    theirs = other.hold("a", "p", "2")
    assert cfo.facts.query("a", "p", "2") == [theirs]
    other.facts.retract(theirs.id)
    assert cfo.facts.query("a", "p", "2") == []


def test_the_page_of_facts_is_written_when_they_changed(cfo: Knowing) -> None:
    cfo.facts.materialise(cfo.directory)
    assert not (cfo.directory / "memory").exists()
    fact = cfo.hold("acme", "runway", "9", confidence=0.9, source="cfo", valid_until="2026-03-01")
    cfo.facts.materialise(cfo.directory)
    page = cfo.directory / "memory/mabos-facts.md"
    assert page.read_text() == (
        "# MABOS Facts — cfo\n\n> Auto-materialized from facts.json. 1 facts, 0 of them derived.\n\n"
        f"## acme runway 9\n\n- **ID:** {fact.id}\n- **Confidence:** 0.9\n- **Source:** cfo\n"
        "- **Valid until:** 2026-03-01\n- **Updated:** 2026-02-24T12:00:00.000Z\n"
    )
    page.unlink()
    cfo.facts.materialise(cfo.directory)
    assert not page.exists()


def test_a_question_about_ten_thousand_facts_is_no_scan(tmp_path: Path) -> None:
    records = [
        {"id": f"F-{n}", "subject": f"s{n}", "predicate": "p", "object": str(n % 7), "created_at": "2026-01-01"}
        for n in range(10_000)
    ]
    (tmp_path / "facts.json").write_text(json.dumps({"facts": records}))
    facts = Knowing(tmp_path).facts
    facts.query("s1")
    started = time.perf_counter()
    for n in range(200):
        assert len(facts.query(f"s{n}", "p")) == 1
    one = (time.perf_counter() - started) / 200
    started = time.perf_counter()
    assert len(facts.query("s*", "p")) == 10_000
    assert one * 20 < time.perf_counter() - started


TERM = st.sampled_from(["a", "b", "c"])
TRIPLES = st.lists(st.tuples(TERM, TERM, TERM, st.sampled_from([0.2, 0.5, 1.0])), max_size=25)


@settings(max_examples=40, deadline=None)
@given(triples=TRIPLES, pattern=st.tuples(*[st.sampled_from(["", "*", "a", "b"])] * 3))
def test_asking_equals_scanning_and_the_last_statement_of_a_triple_stands(
    triples: list[tuple[str, str, str, float]], pattern: tuple[str, str, str], tmp_path_factory: pytest.TempPathFactory
) -> None:
    cfo = Knowing(tmp_path_factory.mktemp("facts"))
    stands = {}
    for *triple, confidence in triples:
        stands[tuple(triple)] = confidence
        cfo.hold(*triple, confidence=confidence)
    expected = {
        triple: confidence
        for triple, confidence in stands.items()
        if all(want in ("", "*", term) for want, term in zip(pattern, triple, strict=True))
    }
    for facts in (cfo.facts, cfo.reopened().facts):
        found = facts.query(*pattern)
        assert {fact.triple: fact.confidence for fact in found} == expected
        assert len(found) == len(expected)
        assert [fact.confidence for fact in found] == sorted((f.confidence for f in found), reverse=True)


DAY = st.dates(min_value=datetime(2026, 1, 1).date(), max_value=datetime(2026, 3, 1).date())  # noqa: DTZ001  # a date


@given(start=DAY, length=st.integers(0, 40), at=DAY, hour=st.integers(0, 23))
def test_a_fact_holds_from_its_first_day_to_the_end_of_its_last(
    start: object, length: int, at: object, hour: int
) -> None:
    first = datetime.fromisoformat(str(start)).replace(tzinfo=UTC)
    last = first + timedelta(days=length)
    moment = datetime.fromisoformat(str(at)).replace(tzinfo=UTC, hour=hour)
    fact = Fact("F-1", "a", "p", "1", valid_from=str(start), valid_until=last.date().isoformat())
    assert holds_at(fact, moment) == (first.date() <= moment.date() <= last.date())
    assert holds_at(Fact("F-1", "a", "p", "1", valid_from=str(start)), moment) == (moment >= first)
    assert holds_at(Fact("F-1", "a", "p", "1"), moment)

"""Each signal of the ranking by itself, and that it is silent where its data is absent."""

from math import isnan
from pathlib import Path

import pytest

from mabos.memory.findable import Findable
from mabos.memory.question import question
from mabos.memory.ranking import evidence, rank_texts
from mabos.memory.signals import LATER, SIGNALS, Evidence
from mabos.memory.weights import ranking_weights
from mabos.memory.words import Words
from tests.memory.factory import Remembering


def known(query: str, *texts: Findable) -> Evidence:
    words = Words(texts)
    return evidence(question(query, words.sources), words, None, None)


def told(name: str, query: str, *texts: Findable) -> dict[str, float]:
    evidence_of = known(query, *texts)
    scores = zip(evidence_of.candidates, SIGNALS[name](evidence_of).tolist(), strict=True)
    return {one: score for one, score in scores if not isnan(score)}


def test_every_shipped_weight_belongs_to_a_signal() -> None:
    assert set(ranking_weights().signals) == {*SIGNALS, *LATER}


@pytest.mark.parametrize("name", ["meaning", "context", "day", "date", "speaker", "recency"])
def test_signals_without_their_data_are_silent(name: str) -> None:
    assert told(name, "audit", Findable("a", "audit"), Findable("b", "audit of May")) == {}


def test_words_score_the_rarer_and_the_shorter_higher() -> None:
    found = told(
        "words", "audit churn", Findable("a", "audit churn"), Findable("b", "audit"), Findable("c", "audit x y z")
    )
    assert 1 == found["a"] > found["b"] > found["c"] > 0


def test_a_text_is_lifted_by_what_stands_directly_beside_it() -> None:
    texts = [
        Findable("a", "which dog is it?", at="2026-02-24T10:00:00.000Z"),
        Findable("b", "a brown one", at="2026-02-24T10:00:20.000Z"),
        Findable("c", "far away", at="2026-02-24T10:00:40.000Z"),
        Findable("d", "another day", at="2026-03-24T10:00:40.000Z"),
    ]
    assert set(told("neighbours", "dog", *texts)) == {"a", "b"}


def test_things_of_one_moment_are_no_neighbours() -> None:
    texts = [Findable(name, text, at="2026-02-24T10:00:00.000Z") for name, text in (("a", "dog"), ("b", "brown"))]
    assert set(told("neighbours", "dog", *texts)) == {"a"}


def test_a_day_counts_as_one_text() -> None:
    texts = [
        Findable("a", "dog show", at="2026-02-24T10:00:00.000Z"),
        Findable("b", "dog won", at="2026-02-24T10:00:00.000Z"),
        Findable("c", "dog ill", at="2026-02-25T10:00:00.000Z"),
    ]
    found = told("day", "dog show", *texts)
    assert found["a"] == found["b"] == 1 > found["c"] > 0


def lifted(query: str, *texts: Findable) -> set[str]:
    found = rank_texts(known(query, *texts), ranking_weights(), len(texts))
    return {one.id for one in found if one.why.get("mentioned", 0) > 0}


def test_what_one_of_the_best_calls_by_its_heading_is_lifted() -> None:
    asked = "from where has Comic Girl 19 a degree in comics?"
    texts = [
        Findable("girl", "Comic Girl 19: a degree in comics from the Savannah Colleges of Art, in 2009"),
        Findable("college", "Savannah College of Art (SCAD): a private school with degrees"),
        Findable("war", "College of War: a degree of danger"),
        Findable("it", "It was so: a degree in 2009"),
        Findable("sentence", "Degree. In 2009: a degree of doubt in comics"),
    ]
    assert lifted(asked, *texts) == {"college"}
    weights = ranking_weights()
    without = weights.model_copy(update={"signals": {**weights.signals, "mentioned": 0.0}})
    places = [
        [one.id for one in rank_texts(known(asked, *texts), each, 5)].index("college") for each in (weights, without)
    ]
    assert places[0] < places[1]


def test_a_heading_that_several_have_names_none_of_them_and_nothing_calls_itself() -> None:
    plan = Findable("plan", "Audit plan: the audit plan of May")
    assert lifted("audit plan", plan, Findable("b", "the audit plan")) == {"plan"}
    assert lifted("audit plan", plan, Findable("b", "the audit plan"), Findable("c", "Audit plan: of June")) == set()
    assert lifted("audit plan", plan, Findable("b", "an audit")) == set()


def test_a_named_date_fits_the_day_then_the_week_after_then_the_month() -> None:
    days = {
        "same": "2026-05-07",
        "next": "2026-05-08",
        "week": "2026-05-14",
        "month": "2026-05-30",
        "other": "2026-06-20",
    }
    texts = [Findable(name, "x", at=f"{day}T10:00:00.000Z") for name, day in days.items()]
    found = told("date", "x on 7 May 2026", *texts)
    assert 1 == found["same"] > found["next"] > found["week"] > found["month"] > 0
    assert "other" not in found


def test_a_named_date_brings_in_what_no_word_would() -> None:
    texts = [Findable("a", "signed", at="2026-05-07T10:00:00.000Z"), Findable("b", "x", at="2026-08-07T10:00:00.000Z")]
    assert known("what was decided on 7 May 2026?", *texts).candidates == ["a"]


@pytest.mark.parametrize("end", ["9999-12-31T23:59:59Z", "9999-12-31", "December 9999", "0001-01-01"])
def test_a_date_at_the_end_of_the_calendar_is_a_date(end: str) -> None:
    assert known(f"what holds until {end}?", Findable("a", "holds", at="2026-05-07T10:00:00.000Z")).candidates == ["a"]


def test_the_speaker_is_the_one_whom_the_question_names() -> None:
    texts = [Findable("a", "I like dogs", source="Ann"), Findable("b", "I like dogs", source="Bob")]
    assert told("speaker", "what does Ann like? dogs?", *texts) == {"a": 1.0}


def test_who_asks_tells_nothing() -> None:
    texts = [Findable("a", "a dog?"), Findable("b", "a dog? [shows a photo]"), Findable("c", "a dog.")]
    assert told("statement", "dog", *texts) == {"c": 1.0}


def test_the_later_is_ahead_among_equals() -> None:
    texts = [Findable(str(day), "dog", at=f"2026-02-0{day}T10:00:00.000Z") for day in range(1, 5)]
    assert told("recency", "dog", *texts) == {"1": 0, "2": pytest.approx(1 / 3), "3": pytest.approx(2 / 3), "4": 1}
    assert [found.id for found in rank_texts(known("dog", *texts), ranking_weights(), 9)] == ["4", "3", "2", "1"]


def test_every_hit_explains_its_whole_score(tmp_path: Path) -> None:
    mind = Remembering(tmp_path)
    mind.memory.store_many([{"content": f"dog number {number}", "importance": number / 9} for number in range(9)])
    for hit in mind.memory.recall("dog number 3"):
        assert sum(hit.why.values()) == pytest.approx(hit.score)
        assert set(hit.why) <= set(SIGNALS)


def test_a_part_of_a_month_is_meant_before_the_rest_of_it() -> None:
    texts = [Findable(day, "audit", at=f"2026-{day}T10:00:00.000Z") for day in ("05-04", "05-12", "05-30", "06-30")]
    late = told("date", "what was said in late May about the audit?", *texts)
    assert set(late) == {"05-04", "05-12", "05-30"}
    assert late["05-30"] == 1.0 > late["05-04"] == late["05-12"] > 0
    assert set(told("date", "what was said in May?", *texts).values()) == {told("date", "in May", *texts)["05-04"]}


def test_a_part_of_a_month_brings_in_what_no_word_would() -> None:
    texts = [Findable(day, "audit", at=f"2026-{day}T10:00:00.000Z") for day in ("05-04", "05-30", "12-31")]
    assert known("what happened in late May?", *texts).candidates == ["05-30"]
    assert known("what happened at the end of December?", *texts).candidates == ["12-31"]


def test_questions_are_not_put_back_where_the_question_is_what_somebody_asked() -> None:
    texts = [Findable("a", "Which papers must be signed?"), Findable("b", "The papers are signed")]
    assert set(told("statement", "which papers are signed", *texts)) == {"b"}
    assert told("statement", "what did HR ask about papers", *texts) == {}


def test_the_weaker_the_match_of_words_the_more_counts_who_said_it() -> None:
    texts = [Findable(f"t{number}", f"filler {number}") for number in range(400)]
    texts += [Findable("a", "audit churn runway", source="cto"), Findable("b", "audit x churn x runway x")]
    weak, strong = ("what did cto say about the audit", "what did cto say about audit churn runway")
    shares = []
    for query in (weak, strong):
        why = {one.id: one.why for one in rank_texts(known(query, *texts), ranking_weights(), 20)}["a"]
        shares.append(why["speaker"] / why["words"])
    assert shares[0] > shares[1]
    doubt = ranking_weights().doubt
    assert doubt.factor(0.0) == doubt.factor(doubt.fair_match) == 1.0
    assert doubt.factor(0.001) == doubt.most

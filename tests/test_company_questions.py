"""The retrieval set of our own kind keeps what it promises: gold that exists, paraphrases, balance, a frozen half."""

import json
from collections import Counter
from typing import Any

import pytest

from bench.retrieval_sets import COMPANY, FROZEN, company, frozen, is_frozen
from mabos.memory.stem import stem
from mabos.workspace.text import query_terms

ITEMS: dict[str, dict[str, Any]] = {
    item["id"]: item
    for path in sorted(COMPANY.glob("corpus-*.jsonl"))
    for item in map(json.loads, path.read_text(encoding="utf-8").splitlines())
}
QUESTIONS: list[dict[str, Any]] = [
    json.loads(line) for line in (COMPANY / "questions.jsonl").read_text(encoding="utf-8").splitlines()
]
MOST_SHARED = 0.6
"""Share of a question's words, as stems, that may stand in any one item that answers it."""


def test_the_test_half_is_the_one_that_was_frozen() -> None:
    assert frozen() == FROZEN


def test_there_are_300_questions_and_both_halves_are_large() -> None:
    halves = Counter(is_frozen(one["id"]) for one in QUESTIONS)
    assert len(QUESTIONS) >= 320
    assert min(halves.values()) >= 150
    assert len({one["id"] for one in QUESTIONS}) == len({one["query"] for one in QUESTIONS}) == len(QUESTIONS)
    asked = [query for half in (True, False) for store in company(frozen_half=half) for query in store.queries]
    assert len(asked) == len(QUESTIONS)


@pytest.mark.parametrize("run", "abc")
def test_every_answer_exists_in_the_company_that_is_asked(run: str) -> None:
    for question in (one for one in QUESTIONS if one["run"] == run):
        assert question["gold"], question["query"]
        assert all(one in ITEMS and one.startswith(run) for one in question["gold"]), question["query"]


def test_the_corpus_says_nothing_twice_and_stays_small() -> None:
    for run in "abc":
        texts = [item["text"] for item in ITEMS.values() if item["id"].startswith(run)]
        assert len(texts) == len(set(texts))
    assert 1500 <= len(ITEMS) <= 3000
    assert sum(path.stat().st_size for path in COMPANY.iterdir()) < 2_000_000


def test_questions_are_paraphrases_of_what_answers_them() -> None:
    shares = []
    for question in QUESTIONS:
        words = {stem(word) for word in query_terms(question["query"])}
        nearest = max(len(words & _stems(ITEMS[one]["text"])) / len(words) for one in question["gold"])
        assert nearest <= MOST_SHARED, question["query"]
        shares.append(nearest)
    assert sum(shares) / len(shares) < 0.25


def test_every_kind_agent_and_type_is_asked_about() -> None:
    kinds = Counter(one["kind"] for one in QUESTIONS)
    assert set(kinds) == {"single fact", "multi-hop", "time", "person", "why"}
    assert min(kinds.values()) >= 30
    answers = [ITEMS[one] for question in QUESTIONS for one in question["gold"]]
    agents, types = Counter(one["agent"] for one in answers), Counter(one["type"] for one in answers)
    assert len(agents) == 9
    assert max(agents.values()) <= 4 * min(agents.values())
    assert set(types) == {"decision", "event", "fact", "observation", "outcome"}
    assert min(types.values()) >= 30


def test_a_multi_hop_question_needs_several_items() -> None:
    assert all(len(one["gold"]) >= 2 for one in QUESTIONS if one["kind"] == "multi-hop")


def _stems(text: str) -> set[str]:
    return {stem(word) for word in query_terms(text)}

"""Pages take places for keywords by BM25 over their fields, and the history of places is kept."""

from pathlib import Path

from hypothesis import given, settings
from hypothesis import strategies as st

from mabos.memory.findable import Findable
from mabos.memory.stem import stem
from mabos.memory.words import Words
from mabos.society.pages import WebPage, open_rankings, rank_pages, read_page
from mabos.society.pages.keywords import KEPT, WEIGHTS, ranking
from mabos.workspace.sync import Sync


def pages(**texts: str) -> dict[str, WebPage]:
    return {name: read_page(f"{name}.html", text.encode()) for name, text in texts.items()}


def test_a_word_in_the_title_counts_more_than_in_the_text() -> None:
    found = rank_pages(
        pages(
            text="<title>Something</title><body><p>An invoice</p></body>",
            title="<title>An invoice</title><body><p>Something</p></body>",
            none="<title>Other</title><body><p>Things</p></body>",
        ),
        ["invoice"],
    )["invoice"]
    assert [one.page for one in found] == ["title", "text"]
    assert found[0].fields["title"] > found[1].fields["text"]
    assert found[0].score == sum(found[0].fields.values())


def test_words_are_cut_to_their_stems_and_stop_words_pass() -> None:
    corpus = pages(a="<body><p>Sending invoices to customers</p></body>", b="<body><p>The weather of today</p></body>")
    assert [one.page for one in rank_pages(corpus, ["the sent invoice"])["the sent invoice"]] == ["a"]


def test_a_score_is_what_memory_gives_the_same_texts() -> None:
    texts = {"a": "red red apple", "b": "green apple pie", "c": "blue sky"}
    found = rank_pages(pages(**{name: f"<body><p>{text}</p></body>" for name, text in texts.items()}), ["red apple"])
    words = Words(Findable(name, text) for name, text in texts.items())
    telling = words.telling([stem("red"), stem("apple")])
    entries = words.best(telling, 3)
    own, *_ = words.scores(telling, words.group(entries))
    assert [(one.page, one.score) for one in found["red apple"]] == [
        (entry.id, round(WEIGHTS["text"] * score, 4)) for entry, score in zip(entries, own.tolist(), strict=True)
    ]


def test_equal_pages_are_in_the_order_of_their_names() -> None:
    same = "<body><p>An apple</p></body>"
    assert [one.page for one in rank_pages(pages(b=same, a=same, c=same), ["apple"])["apple"]] == ["a", "b", "c"]


@settings(max_examples=40, deadline=None)
@given(
    st.dictionaries(st.sampled_from("abcdef"), st.lists(st.sampled_from(["apple", "pear", "fig", "oak"]), max_size=6)),
    st.lists(st.sampled_from(["apple", "pear", "fig", "oak", "zzz"]), min_size=1, max_size=3),
)
def test_exactly_the_pages_that_hold_a_word_have_places_from_one_on(
    texts: dict[str, list[str]], words: list[str]
) -> None:
    corpus = pages(**{name: f"<body><p>{' '.join(held)}</p></body>" for name, held in texts.items()})
    keyword = " ".join(words)
    found = rank_pages(corpus, [keyword])[keyword]
    assert {one.page for one in found} == {name for name, held in texts.items() if set(held) & set(words)}
    assert [one.place for one in found] == list(range(1, len(found) + 1))
    assert [one.score for one in found] == sorted((one.score for one in found), reverse=True)


def test_the_latest_looks_are_remembered(tmp_path: Path) -> None:
    known = open_rankings(tmp_path, Sync("off"))
    for number in range(KEPT + 5):
        known.keep([ranking("apple", f"2026-01-01T{number:04}", "site", [])])
    known.keep([ranking("pear", "2026-01-01T0000", "site", [])])
    assert next(one.at for one in known.history("apple", "site")) == "2026-01-01T0005"
    assert len(known.history("apple", "site")) == KEPT
    assert known.keywords() == ["apple", "pear"]

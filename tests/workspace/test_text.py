import pytest
from hypothesis import given
from hypothesis import strategies as st

from mabos.workspace.text import STOPWORDS, fold, one_line, query_terms, shorten, slug, terms


def test_words_are_lower_case_and_split_at_everything_else() -> None:
    assert terms("Runway_months: 9, isn't it? Größe") == ["runway", "months", "9", "isn", "t", "it", "größe"]


def test_a_query_keeps_its_meaningful_words_once() -> None:
    assert query_terms("How long will the money, the MONEY last?") == ["long", "money", "last"]


def test_a_query_of_stopwords_keeps_them() -> None:
    assert query_terms("what is it") == ["what", "is", "it"]


def test_stopwords_are_single_terms() -> None:
    assert all(terms(word) == [word] for word in STOPWORDS)


def test_a_text_is_put_on_one_line() -> None:
    assert one_line("  from\n\n here\tto   there ") == "from here to there"


@given(st.text(max_size=40), st.integers(1, 50), st.sampled_from(["…", " …", "..."]), st.booleans())
def test_a_shortened_text_has_at_most_the_limit_and_is_whole_where_it_fits(
    text: str, limit: int, mark: str, at_word: bool
) -> None:
    found = shorten(text, max(limit, len(mark)), mark=mark, at_word=at_word)
    assert found == text if len(text) <= max(limit, len(mark)) else found.endswith(mark)
    assert len(found) <= max(limit, len(mark))


def test_a_cut_at_a_word_leaves_whole_words_where_there_are_two() -> None:
    assert shorten("the runway is short", 14, mark=" …", at_word=True) == "the runway …"
    assert shorten("incomprehensible", 9, mark=" …", at_word=True) == "incompr …"


@pytest.mark.parametrize(
    ("text", "separator", "limit", "made"),
    [
        ("Größe & Co.", "-", 0, "größe-co"),
        ("net_burn (monthly)", "_", 0, "net_burn_monthly"),
        ("one two three", "-", 8, "one-two"),
        ("!?", "-", 9, ""),
    ],
)
def test_a_slug_is_the_words_of_a_text(text: str, separator: str, limit: int, made: str) -> None:
    assert slug(text, separator, limit=limit) == made


def test_folded_phrases_are_equal_whatever_their_case_and_punctuation() -> None:
    assert fold("Board_meeting:  MOVED!") == fold("board meeting moved") == "board meeting moved"
    assert fold("Straße") == fold("STRASSE")

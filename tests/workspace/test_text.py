from mabos.workspace.text import STOPWORDS, query_terms, terms


def test_words_are_lower_case_and_split_at_everything_else() -> None:
    assert terms("Runway_months: 9, isn't it? Größe") == ["runway", "months", "9", "isn", "t", "it", "größe"]


def test_a_query_keeps_its_meaningful_words_once() -> None:
    assert query_terms("How long will the money, the MONEY last?") == ["long", "money", "last"]


def test_a_query_of_stopwords_keeps_them() -> None:
    assert query_terms("what is it") == ["what", "is", "it"]


def test_stopwords_are_single_terms() -> None:
    assert all(terms(word) == [word] for word in STOPWORDS)

"""Stems are those of the text index, so that both find the same."""

import sqlite3

import pytest

from mabos.memory.stem import stem

TEXT = """
caresses ponies caress cats feed agreed plastered bled motoring sing conflated troubled sized hopping tanned
falling hissing fizzed failing filing happy sky relational conditional rational valenci hesitanci digitizer
conformabli radicalli differentli vileli analogousli vietnamization predication operator feudalism
decisiveness hopefulness callousness formaliti sensitiviti sensibiliti triplicate formative formalize
electriciti electrical hopeful goodness revival allowance inference airliner gyroscopic adjustable defensible
irritant replacement adjustment dependent adoption homologou communism activate angulariti homologous
effective bowdlerize probate rate cease controll roll runway churn enterprise pricing invoices auditors
agencies 1990s 24ths mp3s josé née naïveté garcía über y by yes s as is the yyy syzygy oed ing
"""
WORDS = TEXT.split()


@pytest.mark.parametrize("word", ["ærø", "24h", "x1", "日本語", "パン", "한국", "a" * 65])
def test_what_is_no_english_word_stays_as_it_is(word: str) -> None:
    assert stem(word) == word


def test_every_stem_is_the_one_of_sqlite() -> None:
    connection = sqlite3.connect(":memory:")
    connection.execute("CREATE VIRTUAL TABLE t USING fts5(x, tokenize='porter unicode61')")
    connection.execute("CREATE VIRTUAL TABLE v USING fts5vocab(t, 'instance')")
    connection.executemany("INSERT INTO t(rowid, x) VALUES (?, ?)", enumerate(WORDS))
    theirs = {WORDS[row]: term for term, row in connection.execute("SELECT term, doc FROM v")}
    assert {word: stem(word) for word in WORDS} == theirs

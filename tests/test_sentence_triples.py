"""What the rules that the entity benchmark measures read from sentences."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mabos.knowledge.entities.mentions import mentions
from mabos.knowledge.entities.triples import triples


def test_mentions_survive_the_beginnings_of_sentences() -> None:
    found = [(one.text, one.kind) for one in mentions("The Bank of England cut 3.5% on 2 May 2025, and it fell.")]
    assert found == [("Bank of England", "name"), ("3.5", "number"), ("2 May 2025", "date")]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Indianapolis is the capital of Indiana.", ("Indiana", "capital", "Indianapolis")),
        ("Texas's capital is Austin.", ("Texas", "capital", "Austin")),
        ("Apollo 12 was run by NASA.", ("Apollo 12", "run by", "NASA")),
        ("Lee joined Acme, which is based in Berlin.", ("Acme", "based in", "Berlin")),
        ("Lee was born in Rome. She joined Acme in 2020.", ("Lee", "joined", "Acme")),
        ("Alan Bean was born on March 15, 1932 in Wheeler.", ("Alan Bean", "born in", "Wheeler")),
        ("Auron was created by Walt Simonson and Karl Kesel.", ("Auron", "created by", "Karl Kesel")),
    ],
)
def test_plain_sentences_give_triples(text: str, expected: tuple[str, str, str]) -> None:
    assert expected in [(one.subject, one.relation, one.object) for one in triples(text)]


@given(st.text(max_size=300))
def test_any_text_can_be_read_and_every_mention_stands_where_it_is_said_to(text: str) -> None:
    assert all(text[one.start : one.end] == one.text for one in mentions(text))
    triples(text)

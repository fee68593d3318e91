"""What a person's message is read as, without a chat model: sentences, acts, conversation and rules."""

from datetime import UTC, datetime

import pytest

from mabos.language.interpreter import Context
from mabos.language.rule_interpreter import RuleInterpreter

NOW = datetime(2026, 11, 10, 9, tzinfo=UTC)
READER = RuleInterpreter()


def acts(text: str) -> list[str]:
    return [reading.act for reading in READER.read(text, Context(NOW))]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Good afternoon! Please have the posters ready by noon.", ["order"]),
        ("hiya, could u write to the tenants about the lift?", ["order"]),
        ("Hello there!", ["small_talk"]),
        ("takings last week?", ["question"]),
        ("The parcels are late again. Any idea why?", ["question"]),
        ("Never write to Kemp & Sons again.", ["standing"]),
        ("The fence is painted and the gate is hung.", ["report"]),
        ("Write to all tenants. Subject: Lift. Text: The lift is back on Monday.", ["order"]),
        ("Draft a letter to the members. Don't send it before I have read it.", ["order"]),
        ("Book a campaign 'Kites' for $40 a week; and book a campaign 'Boats' for $60 a week.", ["order", "order"]),
    ],
)
def test_a_message_is_read_as_what_it_does(text: str, expected: list[str]) -> None:
    assert acts(text) == expected

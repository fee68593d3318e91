"""Evaluation of the claim check on swapped numbers: each number of a true reply is replaced by another from its
records.

    python -m scripts.office_replay ../shared/deskwork --swaps    # play the recordings, then measure their replies
    python -m scripts.claim_swaps FILE                            # measure the replies of a file that --swaps wrote

A reply comes with the texts shown to the model. "False alarms" are claims found in unchanged replies, including those
that the model was asked to correct.
"""

import json
import random
import re
import sys
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from mabos.language.claims import Deed, Evidence, check_claims
from mabos.language.claims.index import index_of
from mabos.language.claims.reply import ReplyFigure, ReplyText

SEED = 7
_INSTRUCTIONS = re.compile(r"## How you work\n.*?(?=\n\n## |\Z)", re.DOTALL)
_DAY = re.compile(r"^Today is [^\n(]*\((\d{4}-\d\d-\d\d)\)", re.MULTILINE)


def shown_texts(messages: Sequence[Mapping[str, Any]]) -> list[str]:
    """Return the evidence shown to a model: records by part, people's words, tool results."""
    found = list[str]()
    for turn in messages:
        text = str(turn.get("content") or "")
        if turn["role"] != "assistant":
            found += re.split(r"\n\n(?=## )", _INSTRUCTIONS.sub("", re.sub(r"</?data>\n?", "", text)))
    return [one.strip() for one in found if one.strip()]


def day_of(texts: Sequence[str]) -> str:
    """Return the day on which a reply was written, of its briefing."""
    return next((found[1] for one in texts if (found := _DAY.search(one))), "2026-01-01")


def evidence_of(reply: Mapping[str, Any]) -> Evidence:
    """Return the evidence of a reply in the file."""
    year, month, day = map(int, reply["day"].split("-"))
    done = tuple(Deed("recorded", text) for text in reply["texts"] if text.startswith("Done"))
    return Evidence(tuple(reply["texts"]), done, datetime(year, month, day, 9, tzinfo=UTC))


def wrong_numbers(text: str, evidence: Evidence) -> list[str]:
    """Return the sentences of a reply with a number that the check rejects."""
    return [one.sentence for one in check_claims(text, evidence) if one.kind in ("number", "amount")]


def swapped(text: str, evidence: Evidence, chance: random.Random) -> Iterator[tuple[str, str]]:
    """Yield a reply with one number at a time replaced by another of its kind, and the sentence."""
    reply = ReplyText(text, evidence.now)
    known = [found for one in evidence.texts for found in index_of(one).numbers]
    for one in reply.figures:
        others = sorted({found.value for found in known if found.kind == one.figure.kind} - {*one.figure.values, 0, 1})
        if others and not one.figure.is_spelled and one.figure.values[0] > 1:
            yield (
                _replaced(text, reply, one, chance.choice(others)),
                f"{one.figure.words}: {reply.sentences[one.sentence].text}",
            )


def _replaced(text: str, reply: ReplyText, one: ReplyFigure, value: float) -> str:
    start = reply.sentences[one.sentence].start + one.figure.start
    words = re.sub(r"\d[\d.,]*\d|\d", lambda _: f"{value:,.10g}", one.figure.words, count=1)
    return f"{text[:start]}{words}{text[start + len(one.figure.words) :]}"


def measure(replies: Sequence[Mapping[str, Any]], *, is_told: bool = False) -> dict[str, int]:
    """Return how many swapped numbers are caught, and how many true numbers are rejected."""
    counted = {"replies": len(replies), "swapped": 0, "caught": 0, "sentences": 0, "false alarms": 0}
    for number, one in enumerate(replies):
        evidence, text = evidence_of(one), one["reply"]
        before = wrong_numbers(text, evidence)
        counted["sentences"] += len(ReplyText(text, evidence.now).sentences)
        counted["false alarms"] += len(before)
        if is_told:
            for sentence in before:
                print(f"refused  {sentence}")
        for changed, sentence in swapped(text, evidence, random.Random(SEED + number)):
            is_caught = len(wrong_numbers(changed, evidence)) > len(before)
            counted["swapped"] += 1
            counted["caught"] += is_caught
            if is_told and not is_caught:
                print(f"missed   {sentence}\n      -> {changed}"[:600])
    return counted


if __name__ == "__main__":
    print(measure(json.loads(Path(sys.argv[1]).read_text("utf-8")), is_told="-v" in sys.argv))

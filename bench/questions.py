"""Questions in ordinary words, answered by reasoning without a model: `python -m bench.questions`.

The set is bench/data/reasoning/questions.jsonl. All parts were inspected after they had been measured, and the trained
reader learned from those that it could answer. An answer is useful if its sentence has every correct figure, word and
choice; any other answer is misleading, as is an answer to a question without enough information.

    python -m bench.questions             # the table, by part
    python -m bench.questions --shapes    # by shape of question, of all parts
    python -m bench.questions --show a    # the questions of part a that were not answered usefully
"""

import json
import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from bench.measured import Line, exactly, timed
from bench.printed import options, shown
from mabos.knowledge.reasoning.questions.answers import QuestionReply, reply_to
from mabos.knowledge.reasoning.questions.forms import HeldFact, HeldSeries, Holdings

DATA = Path(__file__).parent / "data" / "reasoning"
USEFUL = 70.0
"""The share of the questions that can be answered, in per cent, which is to be answered usefully."""
Question = Mapping[str, Any]


def questions() -> list[Question]:
    """Return the questions with the requirements of a right answer."""
    return [json.loads(line) for line in (DATA / "questions.jsonl").read_text(encoding="utf-8").splitlines()]


def holdings() -> Holdings:
    """Return the records of the agent in the questions."""
    raw = json.loads((DATA / "figures.json").read_text(encoding="utf-8"))
    series = {
        name: HeldSeries(name, tuple(map(float, values)), f"metric {name}") for name, values in raw["series"].items()
    }
    return Holdings(series, tuple(HeldFact(f"F-{number}", *fact) for number, fact in enumerate(raw["facts"], 1)))


def judged(question: Question, reply: QuestionReply | None) -> str:
    """Return whether a reply is useful, refused or misleading."""
    if reply is None or not reply.answered:
        return "refused"
    return "useful" if not question.get("refuse") and _is_right(question, reply.answer) else "misleading"


def names_field(question: Question, reply: QuestionReply | None) -> bool:
    """Return whether the reply to a question without a figure names what is missing."""
    return reply is not None and not reply.answered and _has_all(question["must"], reply.text)


def _has_all(wanted: Sequence[str], text: str) -> bool:
    """Return whether a text has one wording of everything that is wanted."""
    return all(any(one.casefold() in text.casefold() for one in words.split("|")) for words in wanted)


def _is_right(question: Question, answer: str) -> bool:
    if must := question.get("must"):
        return _has_all(must, answer)
    if says := question.get("says"):
        flags = re.IGNORECASE | re.MULTILINE
        return bool(re.search(says, answer, flags)) and not re.search(question["never"], answer, flags)
    within = question.get("within_percent", 1) / 100
    said = [
        (float(one[1].replace(",", "")), one[2] == "%") for one in re.finditer(r"(-?\d[\d,]*(?:\.\d+)?)(%?)", answer)
    ]
    for wanted in question.get("numbers", ()):
        value, share = float(wanted.rstrip("%")), wanted.endswith("%")
        if not any(share == one_share and abs(one - value) <= within * abs(value) + 1e-9 for one, one_share in said):
            return False
    for word in question.get("words", ()):
        if not re.search(rf"(?<!\w){re.escape(word)}", answer, re.IGNORECASE):
            return False
    if right := question.get("choice"):
        places = [_place(name, answer) for name in (right, *question["rivals"])]
        return places[0] < min(places[1:])
    return True


def _place(name: str, answer: str) -> int:
    found = re.search(rf"(?<!\w){re.escape(name)}", answer, re.IGNORECASE)
    return found.start() if found else len(answer)


def lines(scale: int) -> Iterator[Line]:
    """Yield the results of each part's questions, and the cost of one."""
    every, held = questions(), holdings()
    for half in "abcdefghi":
        own = [one for one in every if one["half"] == half][::scale]
        lacking = [one for one in own if one.get("refuse") and "must" in one]
        if lacking:
            named = sum(names_field(one, reply_to(one["question"], held)) for one in lacking)
            yield Line(
                f"of {len(lacking)} of part {half} that lack a figure, refused by its name", exactly(named), unit=""
            )
        counts = Counter(judged(one, reply_to(one["question"], held)) for one in own)
        can = max(1, sum(not one.get("refuse") for one in own))
        yield Line(
            f"useful, of {can} of part {half} that can be answered",
            exactly(100 * counts["useful"] / can),
            least=USEFUL,
            unit="%",
        )
        yield Line(f"honest refusals of {len(own)} of part {half}", exactly(counts["refused"]), unit="")
        yield Line(f"misleading of {len(own)} of part {half}", exactly(counts["misleading"]), most=0, unit="")
    yield Line(
        "one question, read, solved and varied",
        timed(lambda turn: reply_to(every[turn % len(every)]["question"], held), max(1, len(every) // scale)),
        most=250,
    )


def by_shape() -> Iterator[str]:
    """Yield a row per shape of question: useful, refused, misleading, over all parts."""
    table: dict[str, Counter[str]] = defaultdict(Counter)
    held = holdings()
    for one in questions():
        table[one["id"].rpartition("-")[0]][judged(one, reply_to(one["question"], held))] += 1
    yield "| Shape | Questions | Useful | Refused | Misleading |\n| --- | ---: | ---: | ---: | ---: |"
    for shape, counts in table.items():
        yield f"| {shape} | {counts.total()} | {counts['useful']} | {counts['refused']} | {counts['misleading']} |"


def failures(half: str) -> Iterator[str]:
    """Yield the answerable questions of a part without a useful answer, with the reply."""
    held = holdings()
    for one in questions():
        reply = reply_to(one["question"], held)
        verdict = judged(one, reply)
        if one["half"] == half and verdict != "useful" and not (verdict == "refused" and one.get("refuse")):
            yield f"{one['id']} {verdict}: {one['question']}\n    {reply.text if reply else 'no shape'}"


def main() -> int:
    """Print what the command line asks for."""
    parser = options(__doc__)
    parser.add_argument("--shapes", action="store_true", help="a row for each shape of question")
    parser.add_argument("--show", choices=tuple("abcdefghi"), help="the questions of this part that were not answered")
    chosen = parser.parse_args()
    if chosen.shapes or chosen.show:
        print("\n".join(by_shape() if chosen.shapes else failures(chosen.show)))
        return 0
    return shown(lines(chosen.scale), as_json=chosen.json)


if __name__ == "__main__":
    raise SystemExit(main())

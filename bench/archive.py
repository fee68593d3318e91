"""Answers of the archive to questions about public conversations: `python -m bench.archive`.

Every dated part of a conversation of LoCoMo is saved as a task and archived by rule, through the operations. Each
answerable question is asked with the documented defaults of `mem:retrieve`. `part` and `turn` are the shares of
questions with a part, or a turn, of the evidence among the first five; `lines` is BM25 over the raw turns. The first
two conversations were used to choose the constants; the figures are of the others.
"""

import json
import re
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from bench.measured import Line, exactly
from bench.printed import printed
from bench.retrieval_sets import DATA
from mabos.knowledge.archive.retrieval import WordShares
from mabos.memory.stem import stem
from mabos.workspace.text import fold, query_terms
from tests.world import WORDS_ALONE, World

SEEN = 2
FIRST = 5


def parts(conversation: dict[str, Any]) -> list[list[dict[str, str]]]:
    """Return the dated parts of a conversation, each a list of turns."""
    keys = sorted((key for key in conversation if re.fullmatch(r"session_\d+", key)), key=lambda key: int(key[8:]))
    return [conversation[key] for key in keys]


def questions(row: dict[str, Any]) -> Iterator[tuple[str, set[str]]]:
    """Yield each answerable question, with the ids of the turns that answer it."""
    known = {turn["dia_id"] for part in parts(row["conversation"]) for turn in part}
    for one in row["qa"]:
        told = {f"D{a}:{b}" for entry in one["evidence"] for a, b in re.findall(r"D:?(\d+):0*(\d+)", entry)} & known
        if one["category"] != 5 and told:
            yield one["question"], told


def lines_of(turns: dict[str, str]) -> WordShares:
    """Return the raw turns for BM25."""
    bags = {}
    for id_, text in turns.items():
        words = [stem(word) for word in query_terms(text)]
        bags[id_] = {word: words.count(word) for word in words}
    return WordShares(bags)


def hits(found: set[str], told: set[str]) -> tuple[bool, bool]:
    """Return whether a part, and whether a turn, of the evidence was found."""
    return bool({one.split(":")[0] for one in found} & {one.split(":")[0] for one in told}), bool(found & told)


def asked(row: dict[str, Any], root: Path, *, words_alone: bool) -> Iterator[tuple[bool, tuple[bool, bool], Any]]:
    """Yield for each question whether it was answered, and the evidence found by the archive and by raw lines."""
    turns = {one["dia_id"]: f"{one['speaker']}: {one['text']}" for part in parts(row["conversation"]) for one in part}
    plain, folded = lines_of(turns), {id_: fold(text) for id_, text in turns.items()}
    with World.small(root, settings=WORDS_ALONE if words_alone else None) as world:
        cfo, parts_of = world.agent("cfo"), dict[str, str]()
        for number, part in enumerate(parts(row["conversation"]), 1):
            first = part[0]["speaker"]
            messages = [
                {"role": "user" if one["speaker"] == first else "assistant", "content": turns[one["dia_id"]]}
                for one in part
            ]
            task = {"systemPrompt": f"Part {number}", "completionStatus": "success", "messages": messages}
            task_id = cfo.do("ldg:task:save", task=task)["taskId"]
            parts_of[task_id] = f"D{number}:"
            cfo.do("mem:archive", taskId=task_id)
        for question, told in questions(row):
            nodes = cfo.do("mem:retrieve", query=question)["nodes"]
            found = {f"{parts_of[task]}0" for node in nodes for task in node["sources"]}
            for node in nodes:
                said = fold(node["content"].split(": ", 1)[-1])
                own = tuple(parts_of[task] for task in node["sources"])
                found |= {id_ for id_, text in folded.items() if id_.startswith(own) and said and said in text}
            best = sorted(plain.of(question).items(), key=lambda one: -one[1])[:FIRST]
            yield bool(nodes), hits(found, told), hits({id_ for id_, _ in best}, told)


def lines(scale: int) -> Iterator[Line]:
    """Yield the shares, with meaning and with words only."""
    path = DATA / "locomo" / "conversations.json"
    if not path.exists():
        yield Line("meaning: answered with the printed defaults", None, unit="", note=f"{path} is not there")
        return
    rows = json.loads(path.read_text(encoding="utf-8"))[SEEN:]
    for how in ("meaning", "words"):
        with TemporaryDirectory() as name:
            found = [
                one
                for number, row in enumerate(rows[: max(1, len(rows) // scale)])
                for one in asked(row, Path(name) / str(number), words_alone=how == "words")
            ]
        yield Line(
            f"{how}: answered with the printed defaults", exactly(sum(one for one, _, _ in found) / len(found)), unit=""
        )
        for at, what in enumerate(("part", "turn")):
            archive = sum(one[at] for _, one, _ in found) / len(found)
            raw = round(sum(one[at] for _, _, one in found) / len(found), 3)
            name = f"{how}: {what} of the evidence, archive"
            yield Line(name, exactly(archive), least=raw, unit="", beside="lines")
            if how == "meaning":
                yield Line(f"{what} of the evidence, lines", exactly(raw), unit="")


if __name__ == "__main__":
    raise SystemExit(printed(lines, __doc__))

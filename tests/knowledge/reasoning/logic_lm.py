"""The programs of Logic-LM (Pan et al. 2023) as problems: what GPT-4 wrote, read as data."""

import json
import re
from pathlib import Path
from typing import Any

DATA = Path(__file__).parents[4] / "shared" / "data" / "reasoning" / "deductive"
_ATOM = re.compile(r"\s*([\w'’-]+)\s*\(([^()]*)\)\s*")


def rows(name: str) -> list[dict[str, Any]]:
    """Return the questions of one of its sets, none where the set is not at hand."""
    path = DATA / f"logiclm_{name}_gpt4_programs.jsonl"
    return [json.loads(line) for line in path.read_text("utf-8").splitlines()] if path.exists() else []


def program(row: dict[str, Any]) -> str:
    """Return the program that was written for a question."""
    return str(row["raw_logic_programs"][0])


def horn(text: str) -> dict[str, Any]:
    """Return a program of facts, rules and a query as a problem; raises `ValueError` where it is none."""
    section, facts, rules, goals = "", [], [], []
    for line in text.splitlines():
        said = line.split(":::")[0].strip()
        if said.rstrip(":") in ("Predicates", "Facts", "Rules", "Query"):
            section = said.rstrip(":")
        elif said and section == "Facts":
            facts += _atoms(said)
        elif said and section == "Query":
            goals += _atoms(said)
        elif said and section == "Rules":
            body, arrow, head = said.partition(">>>")
            if not arrow:
                raise ValueError(said)
            rules += [{"if": _atoms(body), "then": one} for one in _atoms(head)]
    if not goals:
        raise ValueError("no query")
    return {"kind": "horn", "facts": facts, "rules": rules, "goal": goals[0]}


def _atoms(text: str) -> list[Any]:
    """Return the atoms of a conjunction; the last place of each says whether it is true."""
    found = []
    for part in text.split("&&"):
        match = _ATOM.fullmatch(part)
        if match is None:
            raise ValueError(part)
        *terms, truth = [term.strip() for term in match[2].split(",")]
        atom = [match[1], *(term.replace("$", "?") for term in terms)]
        found.append({"True": atom, "False": {"neg": atom}}[truth])
    return found

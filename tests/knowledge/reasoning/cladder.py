"""CLADder (Jin et al. 2023) as problems: its models with known truths, and its questions with what they give."""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import product
from pathlib import Path
from typing import Any

from tests.knowledge.reasoning.asking import ask

DATA = Path(__file__).parents[4] / "shared" / "data" / "reasoning" / "causal"
_TABLE = re.compile(r"p\((\w+)(?: \| ([\w, ]+))?\)", re.IGNORECASE)
STATES = ["1", "0"]


def rows(name: str) -> list[dict[str, Any]]:
    """Return the lines of one of its files, none where the set is not at hand."""
    path = DATA / f"cladder_{name}.jsonl"
    return [json.loads(line) for line in path.read_text("utf-8").splitlines()] if path.exists() else []


def arrows(structure: str) -> list[list[str]]:
    """Return the arrows of `X->V2,V2->Y`."""
    return [one.strip().split("->") for one in structure.split(",") if one.strip()]


def model(tables: Mapping[str, Any]) -> dict[str, Any]:
    """Return a causal model of tables like `p(Y | X, V2)`; the shares are of 1, its rows run from 0 to 1."""
    variables: dict[str, Any] = {}
    for key, table in tables.items():
        found = _TABLE.fullmatch(key)
        assert found is not None, key
        name, given = found[1], [one.strip() for one in (found[2] or "").split(",") if one.strip()]
        shares = [_cell(table, cell) for cell in product((1, 0), repeat=len(given))]
        variables[name] = {"states": STATES, "parents": given, "table": [[one, 1 - one] for one in shares]}
        for parent in given:
            variables.setdefault(parent, {"states": STATES, "table": [[0.5, 0.5]]})
    return {"kind": "causal_model", "variables": variables, "treatment": "X", "outcome": "Y"}


def _cell(table: Any, at: Sequence[int]) -> float:
    for one in at:
        table = table[one]
    return float(table[0] if isinstance(table, list) else table)


def truths(row: Mapping[str, Any]) -> Iterator[tuple[str, float, float | None]]:
    """Yield for each quantity of a model its name, its published truth and what the methods answer."""
    problem = model(row["params"])
    attributed = ask("counterfactual", problem).answer
    compared = ask("causal", problem).answer
    mine: dict[str, float | None] = {
        "ATE(Y | X)": ask("interventional", problem).answer.effect,
        "ETT(Y | X)": attributed.on_the_treated,
        "NDE(Y | X)": attributed.direct,
        "NIE(Y | X)": attributed.indirect,
        "P(Y=1 | X=1)": compared.seen[0],
        "P(Y=1 | X=0)": compared.seen[1],
        "P(Y=1)": compared.overall,
    }
    for name, truth in row["groundtruth"].items():
        if name in mine:
            yield name, truth, mine[name]
        else:
            asked = {**problem, "treatment": "Y" if name[2:4] == "X=" else "X", "outcome": name[2:-3]}
            yield name, truth, ask("causal", asked).answer.overall


def answered(row: Mapping[str, Any]) -> str:
    """Return yes or no: what the methods answer to a question with the structure that its record gives."""
    meta = row["meta"]
    kind = meta["query_type"]
    if kind == "backadj":
        return _method_one(row)
    if kind == "collider_bias":
        graph = {"kind": "causal_graph", "arrows": [["X", "V3"], ["Y", "V3"]], "treatment": "X", "outcome": "Y"}
        return "yes" if ask("causal", graph).answer.can_affect == meta["polarity"] else "no"
    beyond = _quantity(kind, meta) - (0.5 if kind == "marginal" else 0.0)
    return "yes" if (beyond if _asks_for_more(kind, meta) else -beyond) > 1e-9 else "no"


def _asks_for_more(kind: str, meta: Mapping[str, Any]) -> bool:
    """Return whether yes means that the quantity is positive. An effect on the treated is asked the other way round:
    would it be more likely had they not been."""
    more = bool(meta["polarity"]) == bool(meta.get("result", True))
    return not more if kind == "ett" else more


def _quantity(kind: str, meta: Mapping[str, Any]) -> float:
    given = meta["given_info"]
    if kind == "correlation":
        joint = [given["P(Y=1, X=1)"], 0.0, given["P(Y=1, X=0)"], 0.0]
        joint[1], joint[3] = given["P(X=1)"] - joint[0], 1 - given["P(X=1)"] - joint[2]
        return float(ask("causal", counted(["X", "Y"], joint, [["X", "Y"]])).answer.association)
    tables = {key.replace("P(", "p("): value for key, value in given.items()}
    if kind == "exp_away":
        problem = {**model(tables), "within": {"V3": "1"}}
        return float(ask("causal", problem).answer.association)
    problem = model(tables)
    if meta["graph_id"] == "frontdoor":
        joint = [one for x in (1, 0) for v in (1, 0) for one in _front(tables, x, v)]
        problem = counted(["X", "V3", "Y"], joint, [["X", "V3"], ["V3", "Y"]], confounded=[["X", "Y"]])
    if kind == "marginal":
        return float(ask("causal", problem).answer.overall)
    if kind == "ate":
        return float(ask("interventional", problem).answer.effect)
    answer = ask("counterfactual", problem).answer
    direct = "X" in problem["variables"]["Y"].get("parents", ()) and not meta["estimand"].startswith("P(")
    if kind == "nie":
        return float(answer.indirect if direct else answer.average)
    return float(answer.on_the_treated if kind == "ett" else answer.direct)


def _front(tables: Mapping[str, Any], x: int, v: int) -> tuple[float, float]:
    on = tables["p(V3 | X)"][x]
    share = 0.5 * (on if v else 1 - on)
    return share * tables["p(Y | X, V3)"][x][v], share * (1 - tables["p(Y | X, V3)"][x][v])


def counted(
    over: list[str], values: list[float], pairs: list[list[str]], confounded: Sequence[Sequence[str]] = ()
) -> dict[str, Any]:
    """Return a model of observed shares."""
    parents = {name: [a for a, b in pairs if b == name] for name in over}
    return {
        "kind": "causal_model",
        "variables": {name: {"states": STATES, "parents": parents[name]} for name in over},
        "confounded": [list(pair) for pair in confounded],
        "counts": {"over": over, "values": values},
        "treatment": "X",
        "outcome": "Y",
    }


GRAPHS = {
    "chain": "X->V2,V2->Y",
    "fork": "X->Y,V2->Y",
    "mediation": "X->V2,X->Y,V2->Y",
    "collision": "X->V3,Y->V3",
    "confounding": "V1->X,V1->Y,X->Y",
    "diamond": "X->V3,X->V2,V2->Y,V3->Y",
    "diamondcut": "V1->V3,V1->X,X->Y,V3->Y",
    "arrowhead": "X->V3,V2->V3,X->Y,V2->Y,V3->Y",
    "IV": "V1->X,V2->X,V1->Y,X->Y",
    "frontdoor": "V1->X,X->V3,V1->Y,V3->Y",
}


def _method_one(row: Mapping[str, Any]) -> str:
    """Return whether the first of two ways of adjusting is the right one (or, asked for, the second)."""
    meta = row["meta"]
    graph = {
        "kind": "causal_graph",
        "arrows": arrows(GRAPHS[meta["graph_id"]]),
        "treatment": "X",
        "outcome": "Y",
        "adjust": meta["given_info"],
    }
    (_, first), (_, second) = ask("causal", graph).answer.adjust
    better = first if first != second else len(meta["given_info"][0]) <= len(meta["given_info"][1])
    asks_first = "Method 1 than Method 2" in row["question"]
    return "yes" if better == asks_first else "no"

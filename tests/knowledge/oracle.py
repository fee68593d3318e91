"""What follows, computed another way: SQL over one table, every rule over everything until nothing changes."""

import sqlite3

from bench.inference_loads import Triples
from mabos.knowledge.model import Condition, Rule


def closure(facts: Triples, rules: tuple[Rule, ...]) -> Triples:
    """Return every triple that follows with its best confidence; comparisons are of plain numbers."""
    with sqlite3.connect(":memory:") as base:
        base.create_function("compares", 3, _compares, deterministic=True)
        base.execute("create table t (s text, p text, o text, c real, primary key (s, p, o)) without rowid")
        base.execute("create index by_object on t (p, o, s, c)")
        base.executemany("insert into t values (?, ?, ?, ?)", [(*triple, sure) for triple, sure in facts.items()])
        statements = [_statement(rule) for rule in rules]
        while sum(base.execute(*statement).rowcount for statement in statements):
            pass
        return {(s, p, o): c for s, p, o, c in base.execute("select s, p, o, c from t")}


def _statement(rule: Rule) -> tuple[str, list[str | float]]:
    assert rule.conclusion is not None
    places: dict[str, str] = {}
    tests: list[str] = []
    values: list[str | float] = []
    for number, condition in enumerate(rule.conditions):
        tests.append(f"t{number}.p = ?")
        values.append(condition.predicate)
        for column, term in (("s", condition.subject), ("o", condition.object if condition.operator == "eq" else "")):
            here = f"t{number}.{column}"
            if term.startswith("?"):
                if term in places:
                    tests.append(f"{places[term]} = {here}")
                places.setdefault(term, here)
            elif term:
                tests.append(f"{here} = ?")
                values.append(term)
    for number, condition in enumerate(rule.conditions):
        if condition.operator != "eq":
            _compared(number, condition, places, tests, values)
    heads = [places.get(term, "?") for term in (rule.conclusion.subject, rule.conclusion.object)]
    given = [term for term in (rule.conclusion.subject, rule.conclusion.object) if term not in places]
    columns = ", ".join(f"t{number}.c" for number in range(len(rule.conditions)))
    least = f"min({columns})" if len(rule.conditions) > 1 else columns
    tables = ", ".join(f"t t{number}" for number in range(len(rule.conditions)))
    subject, object_ = (head if head != "?" else "? || ''" for head in heads)
    sql = (
        f"insert into t select {subject} as a, ? as b, {object_} as d, max({least} * ?) from {tables}"  # noqa: S608
        f" where {' and '.join(tests)} group by a, b, d"
        " on conflict (s, p, o) do update set c = excluded.c where excluded.c > c + 1e-12"
    )
    first = [given[0]] if heads[0] == "?" else []
    last = [given[-1]] if heads[1] == "?" else []
    return sql, [*first, rule.conclusion.predicate, *last, rule.confidence_factor, *values]


def _compared(
    number: int, condition: Condition, places: dict[str, str], tests: list[str], values: list[str | float]
) -> None:
    if condition.object in places:
        tests.append(f"compares(?, t{number}.o, {places[condition.object]})")
        values.append(condition.operator)
    else:
        tests.append(f"compares(?, t{number}.o, ?)")
        values += [condition.operator, condition.object]


def _compares(operator: str, left: str, right: str) -> bool:
    try:
        a, b = float(left), float(right)
    except ValueError:
        return operator == "ne"
    return {"gt": a > b, "gte": a >= b, "lt": a < b, "lte": a <= b, "ne": a != b}[operator]

"""The product and an independent reading of the approval table answer alike (S3 section 10.4).

Each of the nine owners is asked about ten thousand random actions. Amounts lie at the edges of the table, a cent to
either side and split over several payments; around them stand payments that are no part of the sum.
"""

import ast
import inspect
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import asdict, replace
from datetime import UTC, datetime, timedelta
from functools import cache
from itertools import count, islice, product
from random import Random
from typing import Any, cast, get_args

import pytest

from mabos.society.expenses import Expense, Expenses
from mabos.society.governance import (
    ApprovalVerdict,
    Autonomy,
    FinancialPosition,
    ProposedAction,
    Risk,
    Rule,
    StakeholderProfile,
    Style,
    check,
)
from tests.society import approval_oracle
from tests.society.approval_oracle import Payment, Question, person_decides

ACTIONS = 10_000
STYLES = ("hands-on", "strategic-only", "exception-based")
RISKS = ("conservative", "moderate", "aggressive")
OWNERS = tuple(product(STYLES, RISKS))
NOW = datetime(2026, 2, 28, 9, 30, tzinfo=UTC)
DAY = timedelta(hours=24)
WITHIN = (timedelta(0), timedelta(minutes=1), timedelta(hours=12), timedelta(hours=23.5), DAY - timedelta.resolution)
BEYOND = (DAY, DAY + timedelta.resolution, timedelta(hours=24.5), timedelta(days=2), timedelta(days=40))
SPELLINGS: tuple[Callable[[str], str], ...] = (
    str,
    str.upper,
    str.title,
    lambda name: name.replace("_", " "),
    lambda name: name.replace("_", "-"),
    lambda name: name.replace("_", ""),
)
CASES: tuple[Callable[[str], str], ...] = (str, str.upper, str.lower, lambda name: name.replace("_", " - "))
CATEGORIES = ("marketing_spend", "marketing_spend_under_500", "contractor_invoices", "travel", "hiring")
COUNTERPARTIES = ("acme_print", "bolt_freight", "")
AGENTS = ("cfo", "cmo", "coo")
ENTRIES: tuple[tuple[str, ...], ...] = (
    (),
    ("marketing_spend_under_500", "contractor_invoices_under_1000"),
    ("marketing_spend_under_500", "marketing-spend-under-900"),
    ("Marketing Spend Under 50", "travel"),
    ("Contractor-Invoices", "hiring_under_3000"),
)
CAPS = (50_00, 500_00, 900_00, 1_000_00, 3_000_00)
THRESHOLDS = (0, 30, 99_99, 700_00, 1_000_10, 5_000_00, 123_456_78)
CONFIDENCES = (0.0, 0.3, 0.49, 0.5, 0.51, 0.6, 0.79, 0.8, 0.81, 1.0)


def questions(style: str, risk: str) -> Iterator[Question]:
    """Yield random actions without end, the same ones each time, for an owner of one style and one risk tolerance."""
    random = Random(f"{style} and {risk}")
    while True:
        threshold = random.choice(THRESHOLDS)
        cash = random.choice((None, 0, -10_00, 1_20, 4_000_04, 20_000_00, 300_000_00))
        tight = (cash or 0) * 3 // 10  # what is left is short of three months before a quarter of the cash is gone
        burn = random.choice((None, 0, -100_00, 10, 900_33, 5_000_00, tight, tight, tight))
        agent = random.choice(AGENTS)
        category = random.choice(SPELLINGS)(random.choice(CATEGORIES))
        counterparty = random.choice(SPELLINGS)(random.choice(COUNTERPARTIES))
        cents, *before = split(random, amount(random, threshold, cash, burn))
        yield Question(
            agent=agent,
            category=category,
            counterparty=counterparty,
            cents=cents,
            reversible=random.random() < 0.6,
            strategic=random.random() < 0.4,
            external=random.random() < 0.4,
            confidence=random.choice(CONFIDENCES),
            autonomy=random.choice(("none", "limited", "limited", "full", "full", "full")),
            threshold=threshold,
            style=style,
            risk=risk,
            auto_approved=random.choice(ENTRIES),
            cash=cash,
            burn=burn,
            now=NOW,
            payments=history(random, (agent, category, counterparty), before),
        )


def amount(random: Random, threshold: int, cash: int | None, burn: int | None) -> int:
    """Return cents at an edge of the table or a cent beside it, or now and then anything, or nothing."""
    edges = [threshold, threshold // 5, threshold // 2, random.choice(CAPS)]
    edges += [] if cash is None else [cash // 4, cash - 3 * (burn or 0)] * 2
    near = random.choice(edges) + random.choice((-1, 0, 0, 1))
    return max(0, random.choice((near, near, near, near, near, random.randint(0, 2 * threshold), 0)))


def split(random: Random, total: int) -> list[int]:
    """Return `total` as one to four parts: the action, and what was paid before it."""
    cuts = sorted(random.randint(0, total) for _ in range(random.choice((0, 0, 1, 2, 3))))
    return [high - low for low, high in zip([0, *cuts], [*cuts, total], strict=True)]


def history(random: Random, of: tuple[str, str, str], parts: list[int]) -> tuple[Payment, ...]:
    """Return payments of `parts` that count towards the sum, among others that differ in just one thing."""
    agent, category, counterparty = of[0], random.choice(CASES)(of[1]), random.choice(CASES)(of[2])
    payments = [Payment(agent, category, counterparty, cents, NOW - random.choice(WITHIN)) for cents in parts]
    for _ in range(random.choice((0, 1, 2, 4))):
        cents, at = random.choice((1, 20, 400_00, 5_000_00)), NOW - random.choice(WITHIN)
        match random.randrange(4):
            case 0:
                other = random.choice([name for name in AGENTS if name != agent])
                payments.append(Payment(other, category, counterparty, cents, at))
            case 1:
                payments.append(Payment(agent, f"{category}_abroad", counterparty, cents, at))
            case 2:
                payments.append(Payment(agent, category, f"{counterparty}_and_sons", cents, at))
            case _:
                payments.append(Payment(agent, category, counterparty, cents, NOW - random.choice(BEYOND)))
    random.shuffle(payments)
    return tuple(payments)


def dollars(cents: int | None) -> float | None:
    return None if cents is None else cents / 100


def verdict(asked: Question) -> ApprovalVerdict:
    """Return what the product says."""
    action = ProposedAction(
        agent_id=asked.agent, category=asked.category, cost=asked.cents / 100, reversible=asked.reversible,
        strategic=asked.strategic, external=asked.external, confidence=asked.confidence,
        counterparty=asked.counterparty,
    )  # fmt: skip
    expenses = Expenses()
    for number, paid in enumerate(asked.payments):
        if paid.agent == asked.agent:
            expenses.put(str(number), Expense(paid.at, paid.category, paid.counterparty, paid.cents / 100))
    spent = expenses.spent(asked.category, asked.counterparty, asked.now - DAY)
    standing = FinancialPosition(spent, dollars(asked.cash), dollars(asked.burn))
    owner = profile(asked.threshold, asked.style, asked.risk, asked.auto_approved)
    return check(action, owner, cast("Autonomy", asked.autonomy), standing)


@cache
def profile(threshold: int, style: str, risk: str, entries: tuple[str, ...]) -> StakeholderProfile:
    return StakeholderProfile(
        approval_threshold_usd=threshold / 100,
        decision_style=cast("Style", style),
        risk_tolerance=cast("Risk", risk),
        auto_approve_categories=entries,
    )


def told(asked: Question) -> str:
    """Return a case to read: what was asked, in cents, and both answers."""
    lines = [f"  {name}: {value}" for name, value in asdict(asked).items() if name != "payments"]
    lines += [
        f"  paid {p.cents} by {p.agent} for {p.category!r} to {p.counterparty!r}, {asked.now - p.at} before"
        for p in asked.payments
    ]
    answers = f"the table says {person_decides(asked)}, of {approval_oracle.summed(asked)} in all; {verdict(asked)}"
    return "\n".join(["whether a person decides:", *lines, answers])


@cache
def sample() -> tuple[tuple[Question, bool], ...]:
    """Return some actions of every owner in turn, each with what the product says."""
    rows = zip(*(islice(questions(*owner), 2_500) for owner in OWNERS), strict=True)
    return tuple((asked, verdict(asked).requires_approval) for row in rows for asked in row)


@pytest.mark.parametrize(("style", "risk"), OWNERS)
def test_the_product_answers_ten_thousand_random_actions_as_the_table_does(style: str, risk: str) -> None:
    asked = islice(questions(style, risk), ACTIONS)
    wrong = [each for each in asked if verdict(each).requires_approval != person_decides(each)]
    assert not wrong, f"{len(wrong)} of {ACTIONS} differ; the first: {told(wrong[0])}"


def test_the_random_actions_meet_both_answers_every_rule_and_split_spending() -> None:
    asked = [each for each, _ in sample()]
    rules = Counter(verdict(each).rule for each in asked)
    split_matters = sum(person_decides(each) != person_decides(replace(each, payments=())) for each in asked)
    of_the_table = [one for one in get_args(Rule) if one not in ("instruction", "initiative", "grounding", "grant")]
    assert min(rules[rule] for rule in of_the_table) > 0.01 * len(asked), rules
    assert split_matters > 0.02 * len(asked)


OPPOSITE: dict[type[ast.AST], ast.AST] = {
    ast.Lt: ast.LtE(), ast.LtE: ast.Lt(), ast.Gt: ast.GtE(), ast.GtE: ast.Gt(), ast.Eq: ast.NotEq(),
    ast.NotEq: ast.Eq(), ast.Is: ast.IsNot(), ast.IsNot: ast.Is(), ast.In: ast.NotIn(), ast.And: ast.Or(),
    ast.Or: ast.And(),
}  # fmt: skip


class Change(ast.NodeTransformer):
    """Changes one comparison, connective, number or answer of a program: the one of number `place`."""

    def __init__(self, place: int) -> None:
        self.place = place

    def visit(self, node: ast.AST) -> Any:
        if isinstance(node, ast.ClassDef):
            return node
        other = OPPOSITE.get(type(node))
        match node:
            case ast.Constant(value=bool(value)):
                other = ast.Constant(not value)
            case ast.Constant(value=int(value)):
                other = ast.Constant(value + 1)
            case ast.Constant(value=float(value)):
                other = ast.Constant(value * 1.01)
            case ast.UnaryOp(op=ast.Not()):
                other = node.operand
        if other is not None:
            self.place -= 1
            if self.place == -1:
                return other
        return self.generic_visit(node)


def mutants() -> Iterator[tuple[str, Callable[[Question], bool]]]:
    """Yield each oracle that differs from ours in one thing: the changed line, and what answers."""
    source = inspect.getsource(approval_oracle)
    for place in count():
        change = Change(place)
        tree = ast.fix_missing_locations(change.visit(ast.parse(source)))
        if change.place >= 0:
            return
        namespace: dict[str, Any] = {"__name__": approval_oracle.__name__}
        exec(compile(tree, "oracle", "exec"), namespace)  # noqa: S102 - our own source, with one change
        yield f"{place}: {difference(source, ast.unparse(tree))}", namespace["person_decides"]


def difference(source: str, other: str) -> str:
    """Return the lines of `other` that `source` has not, layout apart."""
    lines = ast.unparse(ast.parse(source)).splitlines()
    return "; ".join(line.strip() for line in other.splitlines() if line not in lines)


def differs(oracle: Callable[[Question], bool]) -> bool:
    """Return whether an oracle and the product disagree on an action of the sample, or the oracle breaks on one."""
    try:
        return any(oracle(asked) != answer for asked, answer in sample())
    except (TypeError, IndexError):
        return True


def test_no_rule_of_the_table_can_change_unnoticed() -> None:
    changes = dict(mutants())
    assert len(changes) > 40
    assert [program for program, oracle in changes.items() if not differs(oracle)] == []

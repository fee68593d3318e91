"""Questions in words: read into a method's form, answered, and refused where anything is missing or left out."""

from collections import Counter
from datetime import date
from itertools import permutations

import pytest

from bench.questions import holdings, judged, names_field, questions
from mabos.knowledge.reasoning.methods import METHODS
from mabos.knowledge.reasoning.questions import answers
from mabos.knowledge.reasoning.questions.answers import QuestionReply, reply_to
from mabos.knowledge.reasoning.questions.examples import QUESTIONS, method_rows
from mabos.knowledge.reasoning.questions.forms import HeldFact, HeldSeries, Holdings

FRAUD = (
    "1% of the mails are fraud. Our filter flags {hit} of the fraud and 9% of the honest "
    "ones. A mail was flagged{more}: how likely is it fraud?"
)
HELD = Holdings(
    {
        "sales": HeldSeries("sales", (40_000.0, 40_050.0, 39_950.0, 40_000.0, 33_280.0), "books.csv"),
        "orders": HeldSeries("orders", (800.0, 801.0, 799.0, 800.0, 640.0), "books.csv"),
        "basket": HeldSeries("basket", (50.0, 50.0, 50.0, 50.0, 52.0), "books.csv"),
        "cash": HeldSeries("cash", (90_000.0, 80_000.0, 70_000.0, 60_000.0), "bank.csv"),
        "visits": HeldSeries("visits", tuple(map(float, range(100, 220, 10))), "web.csv", "week"),
    },
    (HeldFact("F-1", "acme", "price", "100"), HeldFact("F-2", "bolt", "price", "90")),
)


def answered(question: str, held: Holdings = HELD) -> QuestionReply:
    reply = reply_to(question, held)
    assert reply is not None, question
    assert reply.answered, reply.text
    return reply


def refused(question: str, held: Holdings = HELD) -> QuestionReply:
    reply = reply_to(question, held)
    assert reply is not None, question
    assert not reply.answered, reply.text
    return reply


@pytest.mark.parametrize("method", QUESTIONS)
def test_the_example_of_a_method_is_answered_by_it(method: str) -> None:
    reply = answered(QUESTIONS[method])
    assert reply.method == method
    assert reply.result is not None
    assert reply.result.method == method


def test_every_method_is_listed_with_an_example() -> None:
    assert [row["method"] for row in method_rows()] == [one.name for one in METHODS]


def test_a_figure_of_the_question_is_the_figure_of_the_form() -> None:
    van = answered("Van: 12,000 to buy and 150 a month, or lease at 420 a month, over 3 years. which is cheaper?")
    assert (van.answer[:25], van.reading[:16]) == ("lease is cheaper by 2,280", "Van: once 12,000")
    sure = [answered(FRAUD.format(hit=hit, more="")).confidence for hit in ("90%", "45 percent", "9 out of 10")]
    assert sure == [pytest.approx(0.0917, abs=1e-4), pytest.approx(0.0481, abs=1e-4), pytest.approx(0.0917, abs=1e-4)]


@pytest.mark.parametrize(
    ("question", "left"),
    [
        (FRAUD.format(hit="90%", more=", and its sender is on our list of partners"), "list of partners"),
        ("We voted: 8 votes for the barn, 6 for the hotel. The chair counts triple. What wins?", "counts triple"),
        ("Each of 5 pumps fails with probability 2%, unless it is new. How likely is it that one or more fail?", "new"),
        ("What if we raise the price from 20 to 22 and lose 5% of our 1,000 customers and 300 in tax?", "300"),
        ("Ann is free from 9 to 11, Bob is free from 10 to 12. Not before 10:30. When can they meet for 1 hour?", "30"),
    ],
)
def test_a_question_is_not_answered_where_a_figure_or_clause_is_left_out(question: str, left: str) -> None:
    assert any(left in one for one in refused(question).unused)


@pytest.mark.parametrize(
    ("question", "method", "missing"),
    [
        (("5% of laptops are infected. A scan flags 90% of infected ones. One is flagged. "
"How likely is it infected?"), "bayesian", "false alarms"),
        (("The lamp fails if the bulb and the cable fail. The bulb fails with probability "
"4%. How likely is a failure?"), "root-cause", "cable"),
        ("The buyer pays at most 500. What should the price be?", "negotiation", "seller"),
        ("Fixed costs are 4,000 and the price is 25. When do we break even?", "interventional", "variable cost"),
        ("There are 84,000 euros left. For how long can we carry on?", "interventional", "in which time"),
        ("How many visits will we have in 3 months?", "pattern-recognition", "visits by month"),
        ("Sales were 20 and 25. What is next?", "pattern-recognition", "6 past values"),
    ],
)  # fmt: skip
def test_a_refusal_names_the_fields_that_one_method_misses(question: str, method: str, missing: str) -> None:
    reply = refused(question)
    assert reply.method == method
    assert any(missing in one for one in reply.missing)


@pytest.mark.parametrize(
    "order", [*permutations(["rent comes to 9,000 a month", "a cake sells at 30", "it costs 12 to make"])]
)
def test_figures_have_their_roles_in_any_order(order: tuple[str, ...]) -> None:
    assert answered(f"{'; '.join(order)}. How many cakes until we break even?").answer.startswith("500 units")


@pytest.mark.parametrize("question", ["", "Should we raise prices?", "Why is the sky blue?", "Thanks for the report!"])
def test_what_is_no_question_of_a_method_has_no_reply(question: str) -> None:
    assert reply_to(question, HELD) is None


def test_figures_and_facts_of_the_agent_fill_the_form_and_are_cited() -> None:
    cause = answered("Why did sales fall last month?")
    assert (cause.method, cause.answer.startswith("The fall of sales comes from orders")) == ("game-theory", True)
    assert cause.cites == ("books.csv",) * 3
    assert answered("How many months will our cash last at the current rate?").answer.startswith("6 months")
    cheaper = answered("Which is the cheaper supplier, Acme or Bolt?")
    assert (cheaper.answer.partition(":")[0], cheaper.cites) == ("Bolt", ("F-1", "F-2"))
    assert reply_to("Why did sales fall last month?") is None


def test_a_reply_says_what_would_change_it() -> None:
    close = answered(
        "Option A: 60% chance of 100, 40% of 0. Option B: 90% chance of 65, 10% of 0. Which one is better on average?"
    )
    assert close.answer.startswith("A")
    assert "would make it B" in close.changes


def test_what_the_rules_do_not_decide_is_said_to_be_open() -> None:
    reply = answered("If the server is down, the site is slow. The site is slow. Is the server down?")
    assert "does not follow" in reply.answer


@pytest.mark.parametrize(("asked", "ahead"), [("next month", 3), ("in December", 3), ("in 2 months", 4), ("next", 1)])
def test_a_forecast_counts_from_today_to_the_month_asked(asked: str, ahead: int) -> None:
    series = HeldSeries("revenue", tuple(map(float, range(100, 220, 10))), "books.csv", last=date(2026, 9, 28))
    reply = answered(f"What will revenue be {asked}?", Holdings({"revenue": series}, today=date(2026, 11, 29)))
    assert reply.result is not None
    assert reply.result.answer.forecast.value == pytest.approx(210 + 10 * ahead)
    assert "28 September 2026" in reply.reading


def test_one_letter_names_an_option_of_a_vote() -> None:
    assert answered("5 votes for A and 5 for B. Who won?").answer.startswith("A tie: A and B")
    assert answered("A got 4 votes and B got 7 votes. Who won?").answer.startswith("B wins")


def test_what_is_better_in_every_case_needs_no_probability() -> None:
    payoffs = QUESTIONS["decision-theory"].replace("200", "90").replace(" High demand has probability 0.5.", "")
    assert answered(payoffs).answer.startswith("Small: it is at least as good")


def test_no_answer_to_the_set_of_questions_misleads(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(answers, "_vary_figures", lambda *_: ())  # it takes most of the time, and no part in the answer
    held, useful, named = holdings(), Counter[bool](), 0
    for one, reply in ((one, reply_to(one["question"], held)) for one in questions()):
        verdict = judged(one, reply)
        assert verdict != "misleading", one["id"]
        useful[one["half"] == "h"] += verdict == "useful"
        named += one["half"] == "h" and "refuse" in one and names_field(one, reply)
    assert min(useful[False] - 240, useful[True] - 36, named - 13) >= 0, (useful, named)

"""What is used up is reserved first and settled after, and no budget is ever exceeded by what is reserved."""

from pathlib import Path
from threading import Barrier, Thread

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mabos.backends.chat import ChatMessage, Completion, NoModel, NotAsked, ScriptedModel, Usage
from mabos.backends.daily import DailyMeter
from mabos.backends.metering import (
    NOTHING,
    Allowance,
    BudgetExhausted,
    Meter,
    Metered,
    MeteredCall,
    ModelBudget,
    ModelPrice,
    Spent,
    Terms,
    reserve_allowances,
    within,
)
from mabos.configs.errors import Damaged, Unavailable

ASK = [ChatMessage("user", "word " * 8)]


TYPICAL = Usage(100, 50)


def answering(usage: Usage = TYPICAL) -> ScriptedModel:
    return ScriptedModel(lambda _: Completion("yes", usage=usage))


def test_every_call_is_counted_and_reported() -> None:
    seen: list[MeteredCall] = []
    model = Metered(answering(), terms=lambda: Terms(ModelPrice(1.0, 2.0)), report=seen.append)
    answer = model.complete(ASK, tag="plan")
    assert (model.meter.spent.model_calls, model.meter.spent.model_tokens) == (1, 150)
    assert model.meter.spent.model_usd == pytest.approx(0.0002)
    assert seen == [MeteredCall("plan", "scripted", answer.usage)]


@pytest.mark.parametrize(
    ("budget", "said"),
    [
        (ModelBudget(model_calls=1), "1 model calls"),
        (ModelBudget("cycle", model_tokens=1000), "one cycle is 1000 model tokens, 200 of it used"),
        (ModelBudget(model_usd=0.0009), "0.0009 dollars for models"),
    ],
)
def test_a_call_beyond_the_budget_is_refused_before_it_is_made(budget: ModelBudget, said: str) -> None:
    inner = answering(Usage(150, 50))
    model = Metered(inner, Meter(budget), terms=lambda: Terms(ModelPrice(1.0, 1.0)))
    model.complete(ASK)
    with pytest.raises(BudgetExhausted, match=said):
        model.complete(ASK)
    assert len(inner.calls) == 1


def test_a_call_that_might_take_longer_than_is_left_is_not_made() -> None:
    inner = answering()
    model = Metered(inner, Meter(ModelBudget(model_seconds=100)), terms=lambda: Terms(patience_s=60))
    model.complete(ASK)
    model.complete(ASK)  # the first was given back what it did not take
    model.meter.reserve(Spent(model_seconds=50))
    with pytest.raises(BudgetExhausted, match="100 model seconds"):
        model.complete(ASK)
    assert len(inner.calls) == 2


def test_a_limit_around_a_cycle_holds_besides_the_models_own() -> None:
    model, cycle = Metered(answering(), Meter(ModelBudget(model_calls=9))), Meter(ModelBudget("cycle", model_calls=1))
    with within(cycle), within(cycle):
        model.complete(ASK)
        with pytest.raises(BudgetExhausted):
            model.complete(ASK)
    assert cycle.spent.model_calls == 1
    assert model.meter.spent.model_calls == 1
    model.complete(ASK)


def test_a_failed_call_keeps_what_it_had_reserved() -> None:
    model = Metered(ScriptedModel([ValueError("down")]), Meter(ModelBudget(model_calls=1)))
    with pytest.raises(ValueError, match="down"):
        model.complete(ASK, max_tokens=70)
    assert model.meter.spent.model_tokens == 80
    with pytest.raises(BudgetExhausted):
        model.complete(ASK)


def test_a_call_that_comes_to_nothing_is_reported_with_why() -> None:
    seen: list[MeteredCall] = []
    model = Metered(ScriptedModel([Unavailable("model 'm' did not answer: too long")]), report=seen.append)
    with pytest.raises(Unavailable):
        model.complete(ASK, tag="a")
    told = {"tag": "a", "model": "scripted", "tokens": 0, "error": "model 'm' did not answer: too long"}
    assert [one.entry for one in seen] == [told]


def test_a_call_that_was_not_even_made_uses_nothing_up_and_is_not_reported() -> None:
    seen: list[MeteredCall] = []
    model = Metered(ScriptedModel([NotAsked("a moment ago it was away")]), report=seen.append)
    with pytest.raises(NotAsked):
        model.complete(ASK)
    assert (model.meter.spent, seen) == (NOTHING, [])


def test_a_model_that_is_not_there_uses_nothing_up() -> None:
    model = Metered(NoModel(), Meter(ModelBudget(model_calls=0)))
    with pytest.raises(Unavailable) as refused:
        model.complete(ASK)
    assert not isinstance(refused.value, BudgetExhausted)
    assert model.meter.spent == NOTHING


def test_the_innermost_listener_hears_of_a_call_and_the_outermost_of_a_refusal() -> None:
    heard: list[str] = []
    model = Metered(answering(), report=lambda made: heard.append(f"model {made.tag}"))
    model.complete(ASK, tag="a")
    with within(
        report=lambda made: heard.append(f"cycle {made.tag}"), refusal=lambda no: heard.append(f"no {no.what}")
    ):
        model.complete(ASK, tag="b")
        with within(report=lambda made: heard.append(f"tool {made.tag}")), within():
            model.complete(ASK, tag="c")
        with (
            within(Meter(ModelBudget(model_calls=0)), refusal=lambda _: heard.append("inner")),
            pytest.raises(BudgetExhausted),
        ):
            model.complete(ASK, tag="d")
    assert heard == ["model a", "cycle b", "tool c", "no model_calls"]


def test_where_one_allowance_refuses_none_has_taken_anything() -> None:
    rich, poor = Meter(ModelBudget(action_usd=100)), Meter(ModelBudget(action_usd=1))
    with pytest.raises(BudgetExhausted), within(rich, poor):
        reserve_allowances(Spent(action_usd=2))
    assert (rich.spent, poor.spent) == (NOTHING, NOTHING)


def test_where_one_allowance_cannot_be_read_none_has_taken_anything(tmp_path: Path) -> None:
    (tmp_path / "cfo.json").write_text("{")
    cycle, day = Meter(), DailyMeter(tmp_path / "cfo.json", ModelBudget("agent", action_usd=10), lambda: "2026-02-24")
    with pytest.raises(Damaged), within(cycle, day):
        reserve_allowances(Spent(action_usd=2))
    assert cycle.spent == NOTHING


def test_what_costs_nothing_is_done_where_no_dollar_is_left() -> None:
    broke = Meter(ModelBudget(action_usd=0))
    with within(broke):
        reserve_allowances(Spent(deeds=1))(Spent(deeds=1))
    assert broke.spent == Spent(deeds=1)


@pytest.mark.parametrize("kind", ["memory", "file"])
def test_reservations_made_at_the_same_moment_never_exceed_the_budget(tmp_path: Path, kind: str) -> None:
    budget = ModelBudget("agent", deeds=10, action_usd=10, model_usd=10, model_calls=10, model_tokens=10)
    meter = Meter(budget)
    daily = [DailyMeter(tmp_path / "cfo.json", budget, lambda: "2026-02-24") for _ in range(8)]
    together, taken = Barrier(8), list[Spent]()
    one = Spent(1, 1, 1, 1, 1)

    def take(allowance: Allowance) -> None:
        together.wait()
        for _ in range(4):
            try:
                allowance.reserve(one)
            except BudgetExhausted:
                continue
            taken.append(one)

    threads = [Thread(target=take, args=(daily[number] if kind == "file" else meter,)) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(taken) == 10
    assert (daily[0].spent() if kind == "file" else meter.spent) == Spent(10, 10, 10, 10, 10)


@given(parts=st.lists(st.tuples(st.integers(0, 40), st.integers(0, 40)), max_size=12), most=st.integers(0, 100))
def test_whatever_is_reserved_and_used_the_budget_holds(parts: list[tuple[int, int]], most: int) -> None:
    meter, open_ones = Meter(ModelBudget(model_tokens=most)), 0
    for asked, used in parts:
        try:
            settle = meter.reserve(Spent(model_tokens=asked))
        except BudgetExhausted:
            assert meter.spent.model_tokens + asked > most
            continue
        open_ones += min(asked, used)
        settle(Spent(model_tokens=min(asked, used)))
        assert meter.spent.model_tokens == open_ones <= most


def test_a_day_is_kept_in_a_file_and_the_next_begins_anew(tmp_path: Path) -> None:
    day = ["2026-02-24"]
    meter = DailyMeter(tmp_path / "cfo.json", ModelBudget("agent", action_usd=10), lambda: day[0])
    settle = meter.reserve(Spent(action_usd=8))
    again = DailyMeter(tmp_path / "cfo.json", ModelBudget("agent", action_usd=10), lambda: day[0])
    assert again == meter
    with pytest.raises(BudgetExhausted, match="one agent is 10 dollars for actions, 8 of it used"):
        again.reserve(Spent(action_usd=3))
    day[0] = "2026-02-25"
    again.reserve(Spent(action_usd=3))
    settle(Spent(action_usd=1))
    assert again.spent().action_usd == 3


def test_what_is_taken_as_the_day_ends_is_taken_from_one_day(tmp_path: Path) -> None:
    days = ["2026-02-24"]
    meter = DailyMeter(
        tmp_path / "cfo.json", ModelBudget("agent", action_usd=10), lambda: days.pop(0) if days[1:] else days[0]
    )
    meter.reserve(Spent(action_usd=8))
    days[:] = ["2026-02-24", *["2026-02-25"] * 9]  # midnight passes while it is reserved
    meter.reserve(Spent(action_usd=1))
    assert meter.spent() == NOTHING


@pytest.mark.parametrize(
    "content",
    ["{", "[]", "{}", '{"day": "2026-02-24", "spent": {"action_usd": "8"}}', '{"day": "2026-02-24", "spent": 8}'],
)
def test_a_file_that_cannot_be_read_allows_nothing(tmp_path: Path, content: str) -> None:
    (tmp_path / "cfo.json").write_text(content)
    meter = DailyMeter(tmp_path / "cfo.json", ModelBudget("agent", action_usd=10), lambda: "2026-02-24")
    with pytest.raises(Damaged, match=r"cfo\.json"):
        meter.reserve(Spent(action_usd=1))


def test_without_a_limit_no_file_is_made(tmp_path: Path) -> None:
    DailyMeter(tmp_path / "cfo.json", ModelBudget("agent"), lambda: "2026-02-24").reserve(Spent(action_usd=1))
    assert list(tmp_path.iterdir()) == []

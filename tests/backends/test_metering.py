import pytest

from backends.chat import ChatMessage, Completion, ScriptedModel, Usage
from backends.metering import Budget, BudgetExhausted, Meter, Metered, MeteredCall, Price, within

ASK = [ChatMessage("user", "word " * 8)]


TYPICAL = Usage(100, 50)


def answering(usage: Usage = TYPICAL) -> ScriptedModel:
    return ScriptedModel(lambda _: Completion("yes", usage=usage))


def test_every_call_is_counted_and_reported() -> None:
    seen: list[MeteredCall] = []
    model = Metered(answering(), price=Price(1.0, 2.0), report=seen.append)
    answer = model.complete(ASK, tag="plan")
    assert (model.meter.spent.calls, model.meter.spent.tokens) == (1, 150)
    assert model.meter.spent.usd == pytest.approx(0.0002)
    assert seen == [MeteredCall("plan", "scripted", answer.usage)]


@pytest.mark.parametrize(
    ("budget", "said"),
    [(Budget(calls=1), "1 calls"), (Budget(tokens=1000), "1000 tokens"), (Budget(usd=0.0001), "0.0001 dollars")],
)
def test_a_call_beyond_the_budget_is_refused_before_it_is_made(budget: Budget, said: str) -> None:
    inner = answering(Usage(150, 50))
    model = Metered(inner, Meter(budget), price=Price(1.0, 1.0))
    model.complete(ASK)
    with pytest.raises(BudgetExhausted, match=said):
        model.complete(ASK)
    assert len(inner.calls) == 1


def test_a_limit_around_a_cycle_holds_besides_the_models_own() -> None:
    model = Metered(answering(), Meter(Budget(calls=9)))
    with within(Budget(calls=1)) as cycle:
        model.complete(ASK)
        with pytest.raises(BudgetExhausted):
            model.complete(ASK)
    assert cycle.spent.calls == 1
    assert model.meter.spent.calls == 1
    model.complete(ASK)


def test_a_failed_call_counts_as_a_call() -> None:
    model = Metered(ScriptedModel([ValueError("down")]), Meter(Budget(calls=1)))
    with pytest.raises(ValueError, match="down"):
        model.complete(ASK)
    with pytest.raises(BudgetExhausted):
        model.complete(ASK)


def test_the_innermost_listener_hears_of_a_call() -> None:
    heard: list[str] = []
    model = Metered(answering(), report=lambda made: heard.append(f"model {made.tag}"))
    model.complete(ASK, tag="a")
    with within(Budget(), lambda made: heard.append(f"cycle {made.tag}")):
        model.complete(ASK, tag="b")
        with within(Budget(), lambda made: heard.append(f"tool {made.tag}")), within(Budget()):
            model.complete(ASK, tag="c")
    assert heard == ["model a", "cycle b", "tool c"]

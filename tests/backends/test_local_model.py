"""The real protocol against a real server: a small model's tokens, streams, grammar-bound JSON, and its death."""

from collections.abc import Iterator
from threading import Timer

import pytest
from pydantic import BaseModel, Field

from mabos.backends.chat import ChatMessage
from mabos.backends.metering import BudgetExhausted, Meter, Metered, MeteredCall, ModelBudget, ModelPrice, Terms
from mabos.backends.structured import complete_structured
from mabos.configs.errors import Unavailable
from tests.local_model import Served, served

pytestmark = pytest.mark.slow
ASK = [ChatMessage("system", "Answer in one short sentence."), ChatMessage("user", "Name a colour.")]
STORY = [ChatMessage("user", "Tell a very long story about a ship, with many chapters.")]


ENDLESS = {
    "type": "object",
    "properties": {"numbers": {"type": "array", "items": {"type": "integer"}, "minItems": 900}},
    "required": ["numbers"],
}
"""A form that takes any server long to fill in, whatever its model makes of the question."""


class Paint(BaseModel):
    colour: str = Field(max_length=20)
    coats: int = Field(ge=1, le=5)


@pytest.fixture(scope="module")
def server() -> Iterator[Served]:
    with served() as one:
        yield one


@pytest.mark.parametrize("stream", [False, True])
def test_real_tokens_come_back_and_are_counted_by_the_server(server: Served, stream: bool) -> None:
    answer = server.model(stream=stream).complete(ASK, max_tokens=8)
    assert answer.text.strip()
    assert answer.usage.input_tokens > 20, "the template's own tokens count too"
    assert 1 <= answer.usage.output_tokens <= 8


@pytest.mark.parametrize("stream", [False, True])
def test_an_answer_is_held_to_its_schema(server: Served, stream: bool) -> None:
    assert isinstance(complete_structured(server.model(stream=stream), ASK, Paint, max_tokens=200), Paint)


@pytest.mark.parametrize("stream", [False, True])
def test_an_answer_that_meets_the_limit_is_said_to_be_cut_short(server: Served, stream: bool) -> None:
    schema = Paint.model_json_schema()
    assert server.model(stream=stream).complete(STORY, schema=schema, max_tokens=3).cut_short
    assert server.model(stream=stream).complete(STORY, max_tokens=3).cut_short


def test_a_question_longer_than_the_model_reads_is_refused_with_the_servers_words(server: Served) -> None:
    with pytest.raises(Unavailable, match=r"it refuses the request .*context"):
        server.model().complete([ChatMessage("user", "word " * 6_000)])


@pytest.mark.parametrize("stream", [False, True])
def test_an_answer_that_takes_too_long_is_given_up_and_says_what_to_change(server: Served, stream: bool) -> None:
    with pytest.raises(Unavailable, match=r"longer than 0\.2 s; raise timeout_s"):
        server.model(timeout_s=0.2, stream=stream).complete(ASK, schema=ENDLESS, max_tokens=3_000)


def test_budgets_and_reports_hold_with_what_the_server_counted(server: Served) -> None:
    seen: list[MeteredCall] = []
    paid = Terms(ModelPrice(1.0, 1.0))
    model = Metered(server.model(), Meter(ModelBudget(model_tokens=200)), terms=lambda: paid, report=seen.append)
    model.complete(ASK, max_tokens=8, tag="paint")
    assert seen[0].entry["tokens"] == model.meter.spent.model_tokens > 20
    assert seen[0].entry["usd"] > 0
    with pytest.raises(BudgetExhausted):
        model.complete(ASK, max_tokens=190)


@pytest.mark.parametrize("stream", [False, True])
def test_a_server_that_dies_in_the_middle_of_an_answer_is_unavailable_and_no_half_answer_is_taken(stream: bool) -> None:
    with served() as dying:
        model = dying.model(stream=stream)
        model.complete(ASK, max_tokens=1)
        Timer(0.5, dying.process.kill).start()
        with pytest.raises(Unavailable, match="did not answer"):
            model.complete(ASK, schema=ENDLESS, max_tokens=3_500)
        with pytest.raises(Unavailable, match="next try in"):
            model.complete(ASK)

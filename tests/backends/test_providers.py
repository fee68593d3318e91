"""Every provider by its own package, against a server that speaks its wire format: the same behaviour of each."""

import json
import time
from contextlib import suppress
from importlib.util import find_spec
from typing import Any

import pytest

from mabos.backends.chat import ChatMessage, Completion, ToolSpec, Usage
from mabos.backends.langchain_model import LangChainModel
from mabos.backends.providers import profile_model
from mabos.configs.errors import InvalidArgument, Unavailable
from mabos.configs.models import ModelProfile
from tests.backends.dialects import (
    ANTHROPIC,
    AZURE,
    DIALECTS,
    GEMINI,
    OLLAMA,
    OPENAI,
    OPENROUTER,
    Dialect,
    Dying,
    Failing,
    Heard,
    Redirecting,
    Said,
    speaking,
)

ASK = [
    ChatMessage("system", "You are the CFO."),
    ChatMessage("user", "Raise the price of Pro to 49 dollars, and of Team to 9."),
]
PRICE = ToolSpec(
    "price_set",
    "Set the price of a product.",
    {
        "type": "object",
        "properties": {"product": {"type": "string"}, "usd": {"type": "number"}},
        "required": ["product", "usd"],
    },
)
FORM = {
    "type": "object",
    "properties": {"months": {"type": "integer"}, "why": {"type": "string", "maxLength": 400}},
    "required": ["months"],
}
USES = (
    ("toolu_1", "price_set", {"product": "Pro", "usd": 49}),
    ("toolu_2", "price_set", {"product": "Team", "usd": 9}),
)


def named(dialect: Dialect) -> Any:
    absent = find_spec(dialect.package) is None or find_spec("langchain") is None
    skipped = pytest.mark.skipif(absent, reason=f"{dialect.package} is not installed")
    return pytest.param(dialect, marks=skipped, id=dialect.provider.partition(":")[0])


each = pytest.mark.parametrize("dialect", [named(one) for one in DIALECTS])
both_ways = pytest.mark.parametrize("stream", [False, True])


def model(dialect: Dialect, heard: Heard, **over: Any) -> LangChainModel:
    at = f"{heard.url}{dialect.base}"
    fields: dict[str, Any] = {"provider": dialect.provider, "timeout_s": 5, "max_retries": 0, "thinking_tokens": 0}
    fields |= {"options": {**dialect.options, "base_url": at}} if dialect is OPENAI else {"base_url": at}
    fields |= {"options": dialect.options} if dialect is not OPENAI else {}
    return profile_model(ModelProfile(**(fields | over)), "sk-test")


def continued(answer: Completion, *results: str) -> list[ChatMessage]:
    pairs = zip(answer.tool_uses, results, strict=True)
    return [*ASK, answer.turn, *(ChatMessage("tool", result, tool_use_id=use.id) for use, result in pairs)]


@each
@both_ways
def test_an_answer_comes_with_its_tokens_and_is_asked_for_as_the_provider_wants_it(
    dialect: Dialect, stream: bool
) -> None:
    with speaking(dialect, Said("Nine months are left.")) as heard:
        answer = model(dialect, heard, stream=stream).complete(ASK, max_tokens=64)
    assert (answer.text, answer.cut_short, answer.tool_uses) == ("Nine months are left.", False, ())
    assert answer.usage == Usage(12, 5)
    (request,) = heard.requests
    assert request["path"].replace("/v1beta/", "/v1/") == dialect.paths[stream].replace("/v1beta/", "/v1/")
    assert dialect.limit(request["body"]) in (64, (None, 64), (64, None))
    if dialect is not OLLAMA:
        name, value = dialect.key
        assert request["headers"][name] == value
    assert "You are the CFO." in json.dumps(request["body"])


@each
@both_ways
def test_tools_are_used_side_by_side_and_their_results_go_back(dialect: Dialect, stream: bool) -> None:
    with speaking(dialect, Said("Let me see.", USES), Said("Both are set.")) as heard:
        asked = model(dialect, heard, stream=stream)
        first = asked.complete(ASK, tools=[PRICE])
        second = asked.complete(continued(first, "Pro costs 49", "Team: no such product"), tools=[PRICE])
    assert [(use.name, use.arguments, use.invalid) for use in first.tool_uses] == [
        ("price_set", {"product": "Pro", "usd": 49}, ""),
        ("price_set", {"product": "Team", "usd": 9}, ""),
    ]
    assert len({use.id for use in first.tool_uses}) == 2
    assert (first.text, first.cut_short) == ("Let me see.", False)
    assert (second.text, second.tool_uses) == ("Both are set.", ())
    assert [dialect.tools(body) for body in heard.bodies] == [["price_set"]] * 2
    results = dialect.results(heard.bodies[1])
    assert ["Pro costs 49" in results[0][1], "no such product" in results[1][1]] == [True, True]
    if dialect not in (OLLAMA, GEMINI):
        assert [identity for identity, _ in results] == [use.id for use in first.tool_uses]


@each
def test_text_is_heard_while_it_arrives(dialect: Dialect) -> None:
    pieces: list[str] = []
    with speaking(dialect, Said("Nine months are left.")) as heard:
        answer = model(dialect, heard).complete(ASK, on_text=pieces.append)
    assert "".join(pieces) == answer.text == "Nine months are left."
    assert len(pieces) > 1


@each
@both_ways
def test_an_answer_that_met_the_limit_is_cut_short(dialect: Dialect, stream: bool) -> None:
    with speaking(dialect, Said("Nine", USES[:1], cut=True)) as heard:
        answer = model(dialect, heard, stream=stream).complete(ASK, tools=[PRICE])
    assert answer.cut_short
    assert all(use.invalid for use in answer.tool_uses), "no half of an order is carried out"


@each
@pytest.mark.parametrize("share", [0.3, 0.6, 0.9])
def test_an_endpoint_that_dies_while_it_streams_never_gives_a_whole_answer(dialect: Dialect, share: float) -> None:
    said = Said("Nine months are left, and then the money is gone.", USES[:1])
    with speaking(dialect, Dying(said, share)) as heard:
        asked = model(dialect, heard, stream=True)
        with suppress(Unavailable):
            answer = asked.complete(ASK, tools=[PRICE])
            assert answer.cut_short
            assert all(use.invalid for use in answer.tool_uses)


@each
def test_an_endpoint_that_dies_in_the_middle_of_a_body_is_unavailable(dialect: Dialect) -> None:
    with (
        speaking(dialect, Dying(Said("Nine months."), 0.5)) as heard,
        pytest.raises(Unavailable, match="did not answer"),
    ):
        model(dialect, heard).complete(ASK)


@each
@both_ways
def test_too_many_calls_are_tried_again_when_the_server_says(dialect: Dialect, stream: bool) -> None:
    with speaking(dialect, Failing(429, "slow down", "1"), Said("Nine months.")) as heard:
        began = time.monotonic()
        answer = model(dialect, heard, max_retries=1, stream=stream).complete(ASK)
        took = time.monotonic() - began
    assert answer.text == "Nine months."
    assert len(heard.requests) == 2
    assert took >= 1.0


@each
def test_who_asks_for_a_long_pause_is_not_waited_for(dialect: Dialect) -> None:
    with (
        speaking(dialect, Failing(429, "slow down", "600")) as heard,
        pytest.raises(Unavailable, match="too many calls"),
    ):
        model(dialect, heard, max_retries=1, timeout_s=2).complete(ASK)
    assert len(heard.requests) == 1


@each
@pytest.mark.parametrize(
    ("status", "advice"),
    [(401, "needs another key"), (404, "no such model"), (400, "refuses the request"), (503, "try again later")],
)
def test_why_a_provider_does_not_answer_is_said_without_its_key(dialect: Dialect, status: int, advice: str) -> None:
    with speaking(dialect, Failing(status, "not with sk-test")) as heard, pytest.raises(Unavailable) as raised:
        model(dialect, heard).complete(ASK)
    assert advice in raised.value.message
    assert "sk-test" not in raised.value.message
    assert len(heard.requests) == 1


@each
def test_who_sends_on_to_another_address_gets_the_key_and_nobody_else(dialect: Dialect) -> None:
    with speaking(dialect, Said("from elsewhere")) as other:
        elsewhere = Redirecting(other.url.replace("127.0.0.1", "localhost"))
        with speaking(dialect, elsewhere) as heard, suppress(Unavailable):
            model(dialect, heard).complete(ASK)
    assert len(heard.requests) == 1
    assert "sk-test" not in json.dumps(other.requests)


@each
def test_a_form_is_asked_for_by_the_providers_own_means(dialect: Dialect) -> None:
    filled = {"months": 9, "why": "costs"}
    with speaking(dialect, Said(json.dumps(filled))) as heard:
        answer = model(dialect, heard).complete(ASK, schema=FORM, tag="runway")
    assert (answer.data, answer.tool_uses) == (filled, ())
    assert json.loads(answer.text) == filled
    body = json.dumps(heard.bodies[0])
    assert '"months"' in body
    assert "Answer with one JSON object" not in body


@each
def test_a_provider_that_takes_no_form_is_told_it_in_words_from_then_on(dialect: Dialect) -> None:
    refusal = Failing(400, "json_schema, response_format, response_schema and tool_choice are not supported")
    with speaking(dialect, refusal, Said('{"months": 9}')) as heard:
        asked = model(dialect, heard)
        answers = [asked.complete(ASK, schema=FORM, tag="runway").data for _ in range(2)]
    assert answers == [{"months": 9}] * 2
    assert ["Answer with one JSON object" in json.dumps(body) for body in heard.bodies] == [False, True, True]


@pytest.mark.parametrize("dialect", [named(one) for one in (OPENAI, ANTHROPIC, GEMINI)])
@both_ways
def test_tokens_out_of_the_cache_are_counted_apart(dialect: Dialect, stream: bool) -> None:
    with speaking(dialect, Said("Nine months.", cached=8)) as heard:
        usage = model(dialect, heard, stream=stream).complete(ASK).usage
    assert (usage.input_tokens, usage.cached_tokens) == (12, 8)


@pytest.mark.parametrize("dialect", [named(one) for one in (OPENAI, AZURE, OPENROUTER)])
def test_one_name_of_the_limit_is_sent(dialect: Dialect) -> None:
    with speaking(dialect, Said("Nine months.")) as heard:
        model(dialect, heard).complete(ASK, max_tokens=64)
        model(dialect, heard).complete(ASK, max_tokens=64, schema=FORM)
        model(dialect, heard).complete(ASK, max_tokens=64, tools=[PRICE])
    assert {dialect.limit(body) for body in heard.bodies} <= {(64, None), (None, 64)}


@each
def test_a_model_that_thinks_gets_tokens_for_it(dialect: Dialect) -> None:
    with speaking(dialect, Said("Nine months.")) as heard:
        model(dialect, heard, thinking_tokens=1000).complete(ASK, max_tokens=64)
    assert dialect.limit(heard.bodies[0]) in (1064, (None, 1064), (1064, None))


@pytest.mark.parametrize("dialect", [named(one) for one in (GEMINI,)])
@both_ways
def test_signed_thoughts_go_back_with_the_turn_also_when_its_ids_have_changed(dialect: Dialect, stream: bool) -> None:
    with speaking(dialect, Said("", USES[:1]), Said("Done.")) as heard:
        asked = model(dialect, heard, stream=stream)
        first = asked.complete(ASK, tools=[PRICE])
        use = first.tool_uses[0]
        kept = json.loads(json.dumps(dict(first.native)))
        renamed = type(use)("use-1", use.name, use.arguments)
        turn = ChatMessage("assistant", first.text, (renamed,), native=kept)
        asked.complete([*ASK, turn, ChatMessage("tool", "ok", tool_use_id="use-1")], tools=[PRICE])
    assert '"thoughtSignature": "c2lnbmVk"' in json.dumps(heard.bodies[1])


def test_a_provider_whose_package_is_missing_names_the_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("mabos.backends.providers.find_spec", {}.get)
    for provider, extra in (
        ("anthropic:claude-x", "anthropic"), ("google_genai:gemini-x", "google"), ("ollama:llama", "ollama"),
        ("openrouter:x/y", "openrouter"), ("azure_openai:d", "azure"), ("groq:x", "langchain"),
    ):  # fmt: skip
        with pytest.raises(InvalidArgument, match=rf"pip install 'mabos\[{extra}\]'"):
            profile_model(ModelProfile(provider=provider))
    assert profile_model(ModelProfile(provider="openai:gpt-4o-mini")).name == "gpt-4o-mini"


@pytest.mark.parametrize("dialect", [named(one) for one in (ANTHROPIC, GEMINI, AZURE, OPENROUTER)])
def test_a_key_that_is_not_set_is_named_and_nobody_is_asked(dialect: Dialect) -> None:
    with speaking(dialect, Said("yes")) as heard:
        keyless = profile_model(ModelProfile(provider=dialect.provider, base_url=heard.url, options=dialect.options))
        with pytest.raises(Unavailable, match="_API_KEY"):
            keyless.complete(ASK)
    assert heard.requests == []

import logging

import pytest

from mabos.backends.chat import (
    ChatMessage,
    Completion,
    ForbiddenModel,
    ForbiddenModelCall,
    NoModel,
    ScriptedCall,
    ScriptedModel,
    json_object,
)
from mabos.configs.errors import Unavailable

ASK = [ChatMessage("user", "How long will the money last?")]


def test_no_model_says_what_is_missing_and_logs_it_once(caplog: pytest.LogCaptureFixture) -> None:
    model = NoModel()
    with caplog.at_level(logging.WARNING):
        for _ in range(3):
            with pytest.raises(Unavailable, match="OPENAI_API_KEY"):
                model.complete(ASK)
    assert len(caplog.records) == 1


def test_a_forbidden_model_quotes_the_call_and_is_not_mistaken_for_an_outage() -> None:
    with pytest.raises(ForbiddenModelCall, match=r"percepts.*How long") as caught:
        ForbiddenModel().complete(ASK, tag="percepts")
    assert not isinstance(caught.value, Unavailable)


def test_a_script_answers_in_order_and_remembers_what_it_was_asked() -> None:
    model = ScriptedModel(["Nine months.", {"months": 9}, Completion("whole"), ValueError("as told")])
    assert model.complete(ASK, tag="first").text == "Nine months."
    assert model.complete(ASK, schema={"type": "object"}).data == {"months": 9}
    assert model.complete(ASK) == Completion("whole")
    with pytest.raises(ValueError, match="as told"):
        model.complete(ASK)
    with pytest.raises(Unavailable, match="4 replies has ended"):
        model.complete(ASK)
    assert model.calls[0] == ScriptedCall(tuple(ASK), None, 800, "first")


def test_a_script_may_be_a_function_of_the_call() -> None:
    model = ScriptedModel(lambda call: call.messages[-1].content.upper())
    assert model.complete(ASK).text == "HOW LONG WILL THE MONEY LAST?"
    assert model.complete(ASK).usage.tokens > 0


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ('{"a": 1}', {"a": 1}), ('```json\n{"a": 1}\n```', {"a": 1}), ("[1]", None), ("no", None), ("", None),
        ('{"a": NaN}', None), ('{"a": -Infinity}', None), ("[" * 100_000, None), ('{"a":' * 100_000, None),
    ],
)  # fmt: skip
def test_a_json_object_is_found_bare_or_fenced(text: str, found: object) -> None:
    assert json_object(text) == found

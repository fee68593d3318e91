from pydantic import BaseModel, Field

from mabos.backends.chat import ChatMessage, Completion, NoModel, ScriptedModel
from mabos.backends.structured import bound_schema, complete_structured

ASK = [ChatMessage("user", "What do you see?")]


class Percept(BaseModel):
    statement: str
    certainty: float = Field(ge=0, le=1)
    tags: list[str] = []


GOOD = {"statement": "Runway is nine months", "certainty": 0.9}


def test_a_good_answer_is_validated_and_asked_for_once() -> None:
    model = ScriptedModel([GOOD])
    assert complete_structured(model, ASK, Percept) == Percept(statement="Runway is nine months", certainty=0.9)
    assert len(model.calls) == 1


def test_a_bad_answer_is_sent_back_once_with_what_was_wrong() -> None:
    model = ScriptedModel([GOOD | {"certainty": 1000000000000}, GOOD])
    assert complete_structured(model, ASK, Percept) is not None
    assert "certainty: Input should be less than or equal to 1" in model.calls[1].messages[-1].content


def test_an_answer_cut_short_is_asked_for_again() -> None:
    model = ScriptedModel([Completion('{"statement": "on and on', cut_short=True), GOOD])
    assert complete_structured(model, ASK, Percept) is not None
    assert "cut off" in model.calls[1].messages[-1].content


def test_after_one_repair_there_is_no_answer() -> None:
    model = ScriptedModel(["prose", "more prose", GOOD])
    assert complete_structured(model, ASK, Percept) is None
    assert len(model.calls) == 2


def test_without_a_model_there_is_no_answer() -> None:
    assert complete_structured(NoModel(), ASK, Percept) is None


def test_every_string_and_list_of_the_schema_is_bounded() -> None:
    properties = bound_schema(Percept.model_json_schema())["properties"]
    assert properties["statement"]["maxLength"] == 400
    assert properties["tags"]["maxItems"] == 12
    assert properties["tags"]["items"]["maxLength"] == 400
    assert "maxLength" not in properties["certainty"]

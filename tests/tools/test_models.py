"""The models on the bus: what the workspace is configured for, counted, and told plainly where there is none."""

from collections.abc import Sequence
from pathlib import Path

from mabos.backends.chat import ScriptedModel
from tests.tools.offices import office

ASKED = {"messages": [{"role": "system", "content": "Extract."}, {"role": "user", "content": "Sales were $1.2M."}]}


def test_a_conversation_is_answered_and_the_fields_of_a_json_answer_stand_beside_its_text(tmp_path: Path) -> None:
    model = ScriptedModel(["Nine months.", {"nodes": [{"type": "fact"}], "edges": []}])
    world = office(tmp_path, model=model)
    assert world.do("model:llm", "cfo", **ASKED)["text"] == "Nine months."
    answer = world.do("model:llm", "cfo", **ASKED)
    assert (answer["nodes"], answer["edges"]) == ([{"type": "fact"}], [])
    assert [message.content for message in model.calls[0].messages] == ["Extract.", "Sales were $1.2M."]


def test_without_a_model_the_caller_is_told_how_to_have_one(tmp_path: Path) -> None:
    outcome = office(tmp_path).owner("cfo").call("model:llm", ASKED)
    assert (outcome.code, "models.active" in outcome.message) == ("unavailable", True)
    empty = office(tmp_path / "x").owner("cfo").call("model:llm", {"messages": []})
    assert (empty.code, empty.argument) == ("invalid_argument", "messages")


class Lengths:
    """An embedder whose vector is the length of the text."""

    fingerprint, dimensions = "lengths", 1

    def embed(self, texts: Sequence[str]) -> list[list[float]]:
        """Return one number for each text."""
        return [[float(len(text))] for text in texts]


def test_a_text_becomes_the_vector_of_the_workspace_s_embedder(tmp_path: Path) -> None:
    world = office(tmp_path, embedder=Lengths())
    answer = world.do("model:embed", "cfo", text="churn")
    assert answer == {"embedding": [5.0], "dimensions": 1, "model": "lengths"}

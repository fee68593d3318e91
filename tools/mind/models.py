"""The model operations on the agent bus (S4): the configured chat model and embedder."""

from typing import Any, Literal

from mabos.backends.chat import NOT_ASKED, ChatMessage, NoModel, json_object
from mabos.configs.errors import InvalidArgument, Unavailable
from mabos.configs.section import FrozenData
from mabos.tools.catalogue.declaration import Count, Text, Tool
from mabos.tools.runtime.services import Agent

_ADVICE = "no embedder is configured; set memory.embeddings in mabos.yaml"


class Turn(FrozenData):
    """One turn of a conversation with a model."""

    role: Literal["system", "user", "assistant"]
    content: Text


def llm(agent: Agent, *, messages: list[Turn], max_tokens: Count = 800) -> dict[str, Any]:
    """Ask the chat model; the call is counted against the agent's budget like any other.

    Where the answer is a JSON object, its fields stand beside `text`, as S4 reads them.

    Args:
        messages: The conversation so far: `role` (system, user, assistant) and `content`.
        max_tokens: The most tokens of the answer.
    """
    if not messages:
        message = "'messages' is empty; give at least one of the role 'user'"
        raise InvalidArgument(message, argument="messages")
    model = agent.services.model
    if model.name in NOT_ASKED:
        raise Unavailable(NoModel.advice)
    answer = model.complete([ChatMessage(one.role, one.content) for one in messages], max_tokens=max_tokens, tag="bus")
    told = {"text": answer.text, "model": model.name, "cut_short": answer.cut_short, "tokens": answer.usage.tokens}
    return {**(json_object(answer.text) or {}), **told}


def embed(agent: Agent, *, text: Text) -> dict[str, Any]:
    """Turn a text into the vector that the workspace's embedder gives it.

    Args:
        text: What the vector is of.
    """
    embedder = agent.services.embedder
    vectors = embedder.embed([text])
    if not vectors:
        raise Unavailable(_ADVICE)
    return {"embedding": vectors[0], "dimensions": len(vectors[0]), "model": embedder.fingerprint}


TOOLS = [
    Tool.of(llm, module="Agent bus", writes=False, called="model:llm"),
    Tool.of(embed, module="Agent bus", writes=False, called="model:embed"),
]

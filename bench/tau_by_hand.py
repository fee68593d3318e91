"""A model and a customer whose answers are handwritten files, so that a person can play the benchmark.

Each question is in `0001.ask.md`; it is answered by `0001.answer.md` (words), or by `0001.answer.json` (`{"name": ...,
"arguments": {...}}`, a tool call, or a list of them). A customer who writes nothing ends the talk.
"""

import json
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any, cast

from mabos.backends.chat import ChatMessage, Completion, OnText, ScriptedCall, ScriptedModel, ToolSpec, ToolUse
from mabos.tools.work.loop import TAG

_WAIT = 0.2


class ByHand:
    """A chat model and a customer that wait for files in `folder`."""

    name = "by-hand"
    opens = False

    def __init__(self, folder: Path) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        self.folder = folder
        self._asked = 0
        self._turns = 0
        self._answers = ScriptedModel(self._answer)

    def complete(
        self,
        messages: Sequence[ChatMessage],
        *,
        schema: Any = None,
        max_tokens: int = 800,
        tag: str = "",
        tools: Sequence[ToolSpec] = (),
        on_text: OnText | None = None,
    ) -> Completion:
        """Return the person's answer."""
        return self._answers.complete(
            messages, schema=schema, max_tokens=max_tokens, tag=tag, tools=tools, on_text=on_text
        )

    def customer(self, answer: str) -> str:
        """Return the customer's reaction to an answer; an empty text ends the conversation."""
        found = self._wait("customer", answer)
        return found if isinstance(found, str) else ""

    def show(self, name: str, text: str) -> None:
        """Write something to the folder."""
        (self.folder / f"{name}.md").write_text(text, "utf-8")

    def _answer(self, call: ScriptedCall) -> str | list[ToolUse]:
        if call.tag != TAG:
            return ""
        return cast("str | list[ToolUse]", self._wait("model", self._shown(call)))

    def _shown(self, call: ScriptedCall) -> str:
        """Return the turns that are new, and in the first round everything."""
        new = call.messages if len(call.messages) <= self._turns or not self._turns else call.messages[self._turns :]
        self._turns = len(call.messages)
        parts = [f"## {one.role}\n\n{one.content}" for one in new]
        if len(new) == len(call.messages):
            parts += [f"- {one.name}: {one.description} {json.dumps(one.parameters)}" for one in call.tools]
        return "\n\n".join(parts)

    def _wait(self, who: str, text: str) -> Any:
        self._asked += 1
        stem = f"{self._asked:04d}"
        self.show(f"{stem}.ask", f"# {who}\n\n{text}\n")
        as_text, as_json = self.folder / f"{stem}.answer.md", self.folder / f"{stem}.answer.json"
        while True:
            if as_json.exists():
                given = json.loads(as_json.read_text("utf-8"))
                uses = given if isinstance(given, list) else [given]
                return [ToolUse("", one["name"], one.get("arguments", {})) for one in uses]
            if as_text.exists():
                return as_text.read_text("utf-8").strip()
            time.sleep(_WAIT)

"""Recordings of models' answers in a file, and models that replay them: a run can be repeated without its model.

Chat models and an embedding endpoint are recorded alike; a local embedder is not, because it is deterministic. Calls
that differ only in ids and times are answered in the order in which they were recorded (`tape.py`). Known secrets are
removed from the answers, even for the recording run.
"""

import json
import time
from array import array
from base64 import b64decode, b64encode
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, replace
from functools import reduce
from pathlib import Path
from typing import Any, Unpack

from mabos.backends.chat import (
    MAX_TOKENS,
    CallOptions,
    ChatMessage,
    ChatModel,
    Completion,
    NotAsked,
    OnText,
    ToolUse,
    Usage,
    json_object,
)
from mabos.backends.embed_endpoint import TAG, Embedded, Vectorial
from mabos.backends.endpoint import STRUCK_OUT
from mabos.backends.metering import FREE, Terms, acting
from mabos.backends.tape import MissingRecord, RecordedFailure, Tape, TapedAnswers, TapedCall, TapedQuestion, TapeHead
from mabos.configs.errors import Unavailable

__all__ = ["MissingRecord", "RecordedFailure", "RecordedModel", "RecordedVectors", "Replayed", "ReplayedVectors"]

SHORTEST_SECRET = 8
"""Characters of the shortest text that is struck out: a shorter one would be found in words that give nothing away."""
Ask = Callable[[TapedCall], TapedCall]
_COUNTED = ("input_tokens", "output_tokens", "usd")
"""The fields that a line has for every call, even if 0."""


class _Recorder:
    """Puts calls on a tape, with their seconds and without secrets."""

    def __init__(self, tape: Tape, secrets: Iterable[str], seconds: Callable[[], float]) -> None:
        self._tape = tape
        self._secrets = [one for one in secrets if len(one) >= SHORTEST_SECRET]
        self._seconds = seconds

    def heard(self, question: TapedQuestion, tag: str, ask: Ask) -> TapedCall:
        """Return the result of `ask` once it is in the file; an unrecorded answer is not given."""
        call, began = TapedCall(question.digest, acting(), tag), self._seconds()
        try:
            call = ask(call)
        except Unavailable as error:
            said = self._without_secrets(error.message)
            call = replace(call, error=said, unasked=isinstance(error, NotAsked))
        kept = {name: self._without_secrets(getattr(call, name)) for name in ("text", "data", "tool_uses", "native")}
        call = replace(call, seconds=round(self._seconds() - began, 3), **kept)
        call = replace(call, places=question.places(call.said))
        self._tape.append(call)
        return call

    def stream(self, on_text: OnText | None) -> "_Stream | None":
        """Return a stream that passes pieces of an answer to `on_text` without secrets, or None without a listener."""
        return _Stream(on_text, self._without_secrets, max(map(len, self._secrets), default=1)) if on_text else None

    def _without_secrets(self, said: Any) -> Any:
        """Return an answer, text or JSON, with every secret struck out."""
        if isinstance(said, str):
            return reduce(lambda text, secret: text.replace(secret, STRUCK_OUT), self._secrets, said)
        if isinstance(said, Mapping):
            return {self._without_secrets(name): self._without_secrets(value) for name, value in said.items()}
        return [self._without_secrets(one) for one in said] if isinstance(said, list | tuple) else said


class _Stream:
    """Passes pieces of text on, holding back enough that no secret is split between pieces."""

    def __init__(self, on_text: OnText, clean: Callable[[str], str], longest: int) -> None:
        self._on_text, self._clean, self._keep = on_text, clean, longest - 1
        self._waiting = ""

    def __call__(self, piece: str) -> None:
        self._waiting = self._clean(self._waiting + piece)
        self._pass_on(len(self._waiting) - self._keep)

    def end(self) -> None:
        """Pass on the rest."""
        self._pass_on(len(self._waiting))

    def _pass_on(self, characters: int) -> None:
        if characters > 0:
            passed, self._waiting = self._waiting[:characters], self._waiting[characters:]
            self._on_text(passed)


class RecordedModel:
    """A model whose calls are appended to a file, after those of other runs and processes."""

    def __init__(
        self,
        model: ChatModel,
        to: Path | Tape,
        *,
        terms: Terms = FREE,
        secrets: Iterable[str] = (),
        seconds: Callable[[], float] = time.monotonic,
    ) -> None:
        self.model, self.terms = model, terms
        tape = to if isinstance(to, Tape) else Tape(to, TapeHead.at(model.name, terms))
        self._recorder = _Recorder(tape, secrets, seconds)

    @property
    def name(self) -> str:
        """The model's own name."""
        return self.model.name

    def complete(self, messages: Sequence[ChatMessage], **options: Unpack[CallOptions]) -> Completion:
        """Return the model's answer, without secrets, once it is in the file; if writing fails, so does the call."""
        stream = self._recorder.stream(options.get("on_text"))
        given: CallOptions = {**options, "on_text": stream}

        def ask(call: TapedCall) -> TapedCall:
            answer = self.model.complete(messages, **given)
            if stream:
                stream.end()
            kept = answer.data if answer.data != json_object(answer.text) else None
            return replace(
                call,
                text=answer.text,
                data=kept,
                usage={name: number for name, number in asdict(answer.usage).items() if number or name in _COUNTED},
                cut_short=answer.cut_short,
                tool_uses=tuple(asdict(use) for use in answer.tool_uses),
                native=answer.native,
            )

        call = self._recorder.heard(_build_question(messages, options), options.get("tag", ""), ask)
        return _completion(call, wants_data=options.get("schema") is not None)


class Replayed:
    """A model that answers from a recording only; an unrecorded call is an error.

    Its name and terms are those of the recorded model, so that ledgers and budgets match. The file is read at first
    use.
    """

    def __init__(self, answers: Path | TapedAnswers) -> None:
        self._answers = answers if isinstance(answers, TapedAnswers) else TapedAnswers(answers)

    @property
    def name(self) -> str:
        """The name of the model that was recorded."""
        return self._answers.head.recording_of

    @property
    def terms(self) -> Terms:
        """The recorded price and maximum duration of a call."""
        return self._answers.head.terms

    @property
    def unused(self) -> int:
        """The number of recorded calls not yet used; 0 after an identical run."""
        return self._answers.left

    @property
    def rest(self) -> str:
        """A note on unused answers of a finished run; "" if it used all, or needed no model."""
        told = self._answers
        if not told.is_read or not told.left:
            return ""
        return f"{told.left} of the {told.total} answers in {told.path} were not asked for: the recorded run did more"

    def complete(self, messages: Sequence[ChatMessage], **options: Unpack[CallOptions]) -> Completion:
        """Return the recorded answer to the same call; raises `MissingRecord` if no matching call is left."""
        call = self._answers.take(_build_question(messages, options), options.get("tag", ""))
        if (on_text := options.get("on_text")) and call.text:
            on_text(call.text)
        return _completion(call, wants_data=options.get("schema") is not None)


class RecordedVectors:
    """An embedding endpoint whose calls are all recorded in a file."""

    def __init__(
        self,
        source: Vectorial,
        tape: Tape,
        *,
        secrets: Iterable[str] = (),
        seconds: Callable[[], float] = time.monotonic,
    ) -> None:
        self._source = source
        self._recorder = _Recorder(tape, secrets, seconds)

    def vectors(self, texts: Sequence[str]) -> Embedded:
        """Return the endpoint's vectors, as exact as a file keeps them, once they are in the file."""

        def ask(call: TapedCall) -> TapedCall:
            found = self._source.vectors(texts)
            packed = tuple(b64encode(array("f", one).tobytes()).decode() for one in found.vectors)
            return replace(call, vectors=packed, usage={"input_tokens": found.tokens})

        return _read_embedding(self._recorder.heard(TapedQuestion.of(texts, tag=TAG), TAG, ask))


class ReplayedVectors:
    """Vectors from a recording; an unrecorded call is an error."""

    def __init__(self, answers: TapedAnswers) -> None:
        self._answers = answers

    def vectors(self, texts: Sequence[str]) -> Embedded:
        """Return the recorded vectors of the same texts; raises `MissingRecord` if there are none."""
        return _read_embedding(self._answers.take(TapedQuestion.of(texts, tag=TAG), TAG))


def _build_question(messages: Sequence[ChatMessage], options: CallOptions) -> TapedQuestion:
    """Return the question of a call; ids of tool uses change in every run, so their order replaces them."""
    tools = options.get("tools", ())
    roles = [one.role for one in messages]
    uses = [use for one in messages for use in one.tool_uses]
    order = {use.id: place for place, use in enumerate(uses)}
    texts = [one.content for one in messages]
    texts += [json.dumps([use.name, use.arguments, use.invalid], sort_keys=True) for use in uses]
    texts += [json.dumps(asdict(tool), sort_keys=True) for tool in tools]
    more: dict[str, Any] = {"tools": len(tools)} if tools else {}
    if any(one.tool_uses or one.tool_use_id for one in messages):
        more["turns"] = [[len(one.tool_uses), order.get(one.tool_use_id)] for one in messages]
    more |= {"schema": options.get("schema"), "max_tokens": options.get("max_tokens", MAX_TOKENS)}
    return TapedQuestion.of(texts, roles=roles, tag=options.get("tag", ""), **more)


def _completion(call: TapedCall, *, wants_data: bool) -> Completion:
    call.answered()
    data = call.data or (json_object(call.text) if wants_data else None)
    usage = Usage(**call.usage)  # type: ignore[arg-type]
    uses = tuple(ToolUse(**use) for use in call.tool_uses)
    return Completion(call.text, data, usage, call.cut_short, call.seconds, uses, call.native)


def _read_embedding(call: TapedCall) -> Embedded:
    call.answered()
    numbers = [list(array("f", b64decode(one))) for one in call.vectors]
    return Embedded(numbers, int(call.usage.get("input_tokens", 0)))

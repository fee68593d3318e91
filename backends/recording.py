"""A model's calls in a file, and a model that answers from it: a run with a model can be had again without one.

The first line of the file says which model it was and what it cost; each further line is one call: the digest of what
was asked, in whose name and what for, and what came back, be it an error. Calls that ask the same are answered in the
order in which they were recorded. What was asked is not kept, only its digest, and known secrets are struck out of the
answers, for the run that records too.
"""

import json
import os
import time
from collections import Counter, defaultdict, deque
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from functools import cached_property
from hashlib import sha256
from pathlib import Path
from threading import Lock
from typing import Any, TypeVar

from backends.chat import ChatMessage, ChatModel, Completion, ForbiddenModelCall, Usage, json_object
from backends.endpoint import STRUCK_OUT
from backends.metering import FREE, Price, Terms, acting
from configs.errors import Damaged, InvalidArgument, Unavailable, UnknownId
from workspace.locks import file_lock

SHORTEST_SECRET = 8
"""Characters of the shortest text that is struck out: a shorter one would be found in words that give nothing away."""
_FORM = 1
Line = TypeVar("Line", "_Head", "_Call")


class MissingRecord(ForbiddenModelCall):
    """A recording does not hold the answer to a call: the run that replays it has gone another way."""

    code = "recording_missing"


class RecordedFailure(Unavailable):
    """A call of a recorded run that came to nothing, after `seconds`."""

    def __init__(self, message: str, seconds: float) -> None:
        super().__init__(message)
        self.seconds = seconds


@dataclass(frozen=True, slots=True)
class _Head:
    """The first line: which model, and its terms."""

    recording_of: str
    form: int = _FORM
    input_usd: float = 0.0
    output_usd: float = 0.0
    patience_s: float = 0.0

    @property
    def terms(self) -> Terms:
        return Terms(Price(self.input_usd, self.output_usd), self.patience_s)


@dataclass(frozen=True, slots=True)
class _Call:
    """One further line: what was asked, as a digest, and what came of it; `error` is empty where it was answered."""

    request: str
    whose: str = ""
    tag: str = ""
    seconds: float = 0.0
    text: str = ""
    data: Mapping[str, Any] | None = None
    usage: Mapping[str, float] = field(default_factory=dict)
    cut_short: bool = False
    error: str = ""

    def completion(self, *, wants_data: bool) -> Completion:
        """Return what was answered; raises `RecordedFailure` where nothing was."""
        if self.error:
            raise RecordedFailure(self.error, self.seconds)
        data = self.data or (json_object(self.text) if wants_data else None)
        return Completion(self.text, data, Usage(**self.usage), self.cut_short, self.seconds)  # type: ignore[arg-type]


class Recorded:
    """A model whose every call goes into a file, after those that other runs and processes have put there."""

    def __init__(
        self,
        model: ChatModel,
        path: Path,
        *,
        terms: Terms = FREE,
        secrets: Iterable[str] = (),
        seconds: Callable[[], float] = time.monotonic,
    ) -> None:
        self.model, self.path, self.terms = model, path, terms
        self._is_ours = False
        self._secrets = [one for one in secrets if len(one) >= SHORTEST_SECRET]
        self._seconds = seconds

    @property
    def name(self) -> str:
        """The model's own name."""
        return self.model.name

    def complete(
        self,
        messages: Sequence[ChatMessage],
        *,
        schema: Mapping[str, Any] | None = None,
        max_tokens: int = 800,
        tag: str = "",
    ) -> Completion:
        """Return the model's answer, without secrets, once it is in the file; an answer that is not is not given."""
        request, began = _digest(messages, schema, max_tokens, tag), self._seconds()
        call = _Call(request, acting(), tag)
        try:
            answer = self.model.complete(messages, schema=schema, max_tokens=max_tokens, tag=tag)
        except Unavailable as error:
            call = replace(call, error=self._without_secrets(error.message))
        else:
            text = self._without_secrets(answer.text)
            kept = answer.data if answer.data != json_object(answer.text) else None
            call = replace(call, text=text, data=kept, usage=asdict(answer.usage), cut_short=answer.cut_short)
        call = replace(call, seconds=round(self._seconds() - began, 3))
        self._append(call)
        return call.completion(wants_data=schema is not None)

    def _without_secrets(self, text: str) -> str:
        for secret in self._secrets:
            text = text.replace(secret, STRUCK_OUT)
        return text

    def _append(self, call: _Call) -> None:
        """Add a line after the last whole one; the first call of all says which model it was."""
        self.path.parent.mkdir(parents=True, exist_ok=True)
        with file_lock(self.path), self.path.open("r+b") as file:
            end = file.seek(0, os.SEEK_END)
            if end and not self._is_ours:
                _same(self._head, _head_of(self.path, self.path.read_bytes()), self.path)
            if end:  # what a killed process wrote of a line is no call
                file.seek(end - 1)
                end = end if file.read(1) == b"\n" else self.path.read_bytes().rfind(b"\n") + 1
            file.truncate(end)
            file.seek(end)
            file.write((b"" if end else _line(self._head)) + _line(call))
        self._is_ours = True

    @cached_property
    def _head(self) -> _Head:
        price = self.terms.price
        return _Head(self.name, _FORM, price.input_usd, price.output_usd, self.terms.patience_s)


class Replayed:
    """A model that answers from a recording and asks nobody; what is not recorded is an error.

    Its name and terms are those of the model that was recorded, so that ledgers and budgets come out the same.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self._lock = Lock()
        head, calls = _read(path)
        self.name = head.recording_of
        self.terms = head.terms
        self._held = Counter((call.whose, call.tag) for call in calls)
        self._left: dict[tuple[str, str], deque[_Call]] = defaultdict(deque)
        for call in calls:
            self._left[call.whose, call.request].append(call)

    @property
    def unused(self) -> int:
        """How many recorded calls have not been asked for yet; 0 after a run that went the same way."""
        return sum(map(len, self._left.values()))

    def complete(
        self,
        messages: Sequence[ChatMessage],
        *,
        schema: Mapping[str, Any] | None = None,
        max_tokens: int = 800,
        tag: str = "",
    ) -> Completion:
        """Return what was answered to the same call; raises `MissingRecord` where there is no such call left."""
        whose = acting()
        with self._lock:
            left = self._left[whose, _digest(messages, schema, max_tokens, tag)]
            call = left.popleft() if left else None
        if call is None:
            raise MissingRecord(self._missing(whose, tag))
        return call.completion(wants_data=schema is not None)

    def _missing(self, whose: str, tag: str) -> str:
        kind = f"{tag or 'a call'!r} of {whose or 'nobody in particular'}"
        return (
            f"{self.path} holds no answer to this {kind} (it has {self._held[whose, tag]} such calls; none left asks "
            "the same): the workspace, its settings or the program differ from the recorded run; record anew"
        )


def _digest(messages: Sequence[ChatMessage], schema: Mapping[str, Any] | None, max_tokens: int, tag: str) -> str:
    asked = {"messages": [asdict(one) for one in messages], "schema": schema, "max_tokens": max_tokens, "tag": tag}
    return sha256(json.dumps(asked, sort_keys=True).encode()).hexdigest()


def _line(record: _Head | _Call) -> bytes:
    """Return a record as its line; fields that say nothing are left out."""
    said = {name: value for name, value in asdict(record).items() if value}
    return json.dumps(said).encode() + b"\n"


def _same(ours: _Head, theirs: _Head, path: Path) -> None:
    if ours != theirs:
        message = f"{path} is a recording of {theirs.recording_of!r} on other terms; give {ours.recording_of!r} another"
        raise InvalidArgument(f"{message} file, or delete this one", argument="models.record")


def _read(path: Path) -> tuple[_Head, list[_Call]]:
    """Return what a recording holds; raises `UnknownId` where there is none, `Damaged` where a line cannot be read."""
    try:
        raw = path.read_bytes()
    except FileNotFoundError:
        message = f"no recording at {path}; record one with MABOS_RECORD_MODEL={path}, or set models.replay to another"
        raise UnknownId(message, argument="models.replay") from None
    head = _head_of(path, raw)
    lines = raw.split(b"\n")[1:-1]  # after the last line end is nothing, or what a killed process wrote of a line
    return head, [_parsed(_Call, line, path, number) for number, line in enumerate(lines, 2)]


def _head_of(path: Path, raw: bytes) -> _Head:
    return _parsed(_Head, raw.partition(b"\n")[0], path, 1)


def _parsed(kind: type[Line], line: bytes, path: Path, number: int) -> Line:
    try:
        return kind(**json.loads(line))
    except (ValueError, TypeError) as error:
        raise Damaged(f"{path}:{number}: this is no line of a recording ({error}); record anew") from None

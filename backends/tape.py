"""The file of a recording: its model, and each call with its result; read at first use.

Its first line holds the model, the start time, and the price. Each further line is one call: the digest of the
question, the agent and purpose, and the answer or error. The question itself is not kept.

Ids and times of MABOS change in every run. They are left out of a digest. If an answer repeats one from its question,
the call records its position in the question. A replayed answer then uses the id or time at that position in the new
question.
"""

import json
import os
import re
from collections import Counter, defaultdict, deque
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, fields, replace
from functools import cached_property
from hashlib import sha256
from pathlib import Path
from threading import Lock
from typing import Any, TypeVar

from mabos.backends.chat import ForbiddenModelCall, NotAsked
from mabos.backends.metering import ModelPrice, Terms, acting
from mabos.configs.errors import Damaged, InvalidArgument, Unavailable
from mabos.workspace.locks import file_lock

_FORM = 2
_PASSING = re.compile(
    r"(?<![0-9a-f])(?:\d{13}-[0-9a-f]{4}"  # of an id: its moment and its digits
    r"|\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z"  # a moment as MABOS writes it
    r"|\d\d:\d\d(?= UTC\b)"  # a time of day as a briefing tells it
    r"|[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}"  # an id of the entity memory, made of names that may hold one
    r"|[0-9a-f]{4}(?=\.(?:md|html)\b))(?![0-9a-f])"  # what keeps two files of one title apart: the end of an id
)
"""Values that differ in every run."""
Line = TypeVar("Line", "TapeHead", "TapedCall")


class MissingRecord(ForbiddenModelCall):
    """A missing recording, or one without this call: the replayed run took another path."""

    code = "recording_missing"


class RecordedFailure(Unavailable):
    """A failed call of a recorded run, after `seconds`."""

    def __init__(self, message: str, seconds: float) -> None:
        super().__init__(message)
        self.seconds = seconds


@dataclass(frozen=True, slots=True)
class TapedQuestion:
    """A question in comparable form: its digest, and its ids and times in order."""

    digest: str
    passing: tuple[str, ...] = ()

    @classmethod
    def of(cls, texts: Sequence[str], **more: Any) -> "TapedQuestion":
        """Return the question made of `texts`, which may name ids and times, and of the other parameters."""
        passing = tuple(found for text in texts for found in _PASSING.findall(text))
        asked = {"texts": [_PASSING.sub("\0", text) for text in texts], **more}
        return cls(sha256(json.dumps(asked, sort_keys=True).encode()).hexdigest(), passing)

    def places(self, text: str) -> dict[str, int]:
        """Return the position in the question of each id and time that `text` shares with it."""
        return {one: self.passing.index(one) for one in _PASSING.findall(text) if one in self.passing}

    def told(self, text: str, places: Mapping[str, int]) -> str:
        """Return `text` with the ids and times now at `places`."""
        return _PASSING.sub(lambda found: self.passing[places[found[0]]] if found[0] in places else found[0], text)


@dataclass(frozen=True, slots=True)
class TapeHead:
    """The first line: the model, the start time, and its terms; a recording of vectors only names no model."""

    recording_of: str = ""
    form: int = _FORM
    began: str = ""
    input_usd: float = 0.0
    output_usd: float = 0.0
    patience_s: float = 0.0
    cached_usd: float | None = None
    cache_write_usd: float | None = None
    long_from: int | None = None
    long_input_usd: float | None = None
    long_output_usd: float | None = None
    unpriced: bool = False
    thinking_tokens: int = 0

    @classmethod
    def at(cls, name: str, terms: Terms, began: str = "") -> "TapeHead":
        """Return the head of a recording of the model `name` on these terms."""
        return cls(
            name,
            _FORM,
            began,
            patience_s=terms.patience_s,
            unpriced=not terms.is_priced,
            thinking_tokens=terms.thinking_tokens,
            **asdict(terms.price),
        )

    @property
    def terms(self) -> Terms:
        """The model's price, and the maximum duration of one call."""
        price = ModelPrice(**{one.name: getattr(self, one.name) for one in fields(ModelPrice)})
        return Terms(price, self.patience_s, not self.unpriced, self.thinking_tokens)


@dataclass(frozen=True, slots=True)
class TapedCall:
    """A later line: the digest of the question, and the result; `error` is empty for an answered call.

    `places` are the positions of ids and times that the answer shares with its question; vectors are float32 in base64.
    """

    request: str
    whose: str = ""
    tag: str = ""
    seconds: float = 0.0
    text: str = ""
    data: Mapping[str, Any] | None = None
    vectors: Sequence[str] = ()
    usage: Mapping[str, float] = field(default_factory=dict)
    cut_short: bool = False
    error: str = ""
    unasked: bool = False
    places: Mapping[str, int] = field(default_factory=dict)
    tool_uses: Sequence[Mapping[str, Any]] = ()
    native: Mapping[str, Any] = field(default_factory=dict)

    @property
    def said(self) -> str:
        """Return all text of the answer, including the arguments of its tool uses as JSON."""
        return f"{self.text}\n{json.dumps(self.tool_uses)}" if self.tool_uses else self.text

    def answered(self) -> None:
        """Raise `RecordedFailure` if the call failed, `NotAsked` if it was skipped."""
        if self.unasked:
            raise NotAsked(self.error)
        if self.error:
            raise RecordedFailure(self.error, self.seconds)

    def told(self, question: TapedQuestion) -> "TapedCall":
        """Return the call as the answer to a question with other ids and times."""
        if not self.places:
            return self

        def restore_value(held: Any) -> Any:
            return json.loads(question.told(json.dumps(held), self.places)) if held else held

        text = question.told(self.text, self.places)
        return replace(self, text=text, data=restore_value(self.data), tool_uses=restore_value(self.tool_uses))


class Tape:
    """A recording that calls are appended to, after those of other runs and processes."""

    def __init__(self, path: Path, head: TapeHead) -> None:
        self.path, self.head = path, head
        self._is_ours = False

    def append(self, call: TapedCall) -> None:
        """Append a call after the last complete line; the first call also writes the model.

        Raises `InvalidArgument` if the file belongs to another model or other terms.
        """
        self.path.parent.mkdir(parents=True, exist_ok=True)
        with file_lock(self.path), self.path.open("r+b") as file:
            end = file.seek(0, os.SEEK_END)
            if end:  # what a killed process wrote of a line is no call, and of the first line no head
                file.seek(end - 1)
                end = end if file.read(1) == b"\n" else self.path.read_bytes().rfind(b"\n") + 1
            if end and not self._is_ours:
                file.seek(0)
                self._compare(_head_of(self.path, file.readline()))
            file.truncate(end)
            file.seek(end)
            file.write((b"" if end else _line(self.head)) + _line(call))
        self._is_ours = True

    def _compare(self, theirs: TapeHead) -> None:
        if replace(theirs, began=self.head.began) != self.head:
            message = f"{self.path} is a recording of {theirs.recording_of!r} on other terms"
            advice = f"give {self.head.recording_of!r} another file, or delete this one"
            raise InvalidArgument(f"{message}; {advice}", argument="models.record")


class TapedAnswers:
    """The answers of a recording, each used once; the file is read at the first access.

    That raises `MissingRecord` if the file is missing, and `Damaged` if a line cannot be read.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self._lock = Lock()

    @property
    def head(self) -> TapeHead:
        """The recording's first line."""
        return self._read[0]

    @property
    def total(self) -> int:
        """The number of its calls."""
        return len(self._read[1])

    @property
    def left(self) -> int:
        """The number of calls not yet used; 0 after an identical run."""
        return sum(map(len, self._waiting.values()))

    @property
    def is_read(self) -> bool:
        """Return whether the file has been read."""
        return "_read" in self.__dict__

    def take(self, question: TapedQuestion, tag: str) -> TapedCall:
        """Return the recorded answer to the same question; raises `MissingRecord` if no matching call is left."""
        whose = acting()
        with self._lock:
            waiting = self._waiting.get((whose, question.digest))
            call = waiting.popleft() if waiting else None
        if call is None:
            raise MissingRecord(self._missing(whose, tag))
        return call.told(question)

    def _missing(self, whose: str, tag: str) -> str:
        held = Counter((call.whose, call.tag) for call in self._read[1])[whose, tag]
        kind = f"{tag or 'a call'!r} of {whose or 'nobody in particular'}"
        began = self.head.began
        day = f"; that run began at {began}: with MABOS_NOW={began} it is that day again" if began else ""
        return (
            f"{self.path} holds no answer to this {kind} (it has {held} such calls; none left asks the same): the "
            f"workspace, its settings, the day or the program differ from the recorded run; record again{day}"
        )

    @cached_property
    def _read(self) -> tuple[TapeHead, list[TapedCall]]:
        try:
            raw = self.path.read_bytes()
        except FileNotFoundError:
            advice = f"record one with MABOS_RECORD_MODEL={self.path}, or set models.replay to another"
            raise MissingRecord(f"no recording at {self.path}; {advice}", argument="models.replay") from None
        except OSError as error:
            message = f"{self.path} cannot be read ({error.strerror}); mend that, or set models.replay to another"
            raise MissingRecord(message, argument="models.replay") from None
        first, *lines = raw.split(b"\n")
        head = _head_of(self.path, first)
        del lines[-1:]  # after the last line end is nothing, or what a killed process wrote of a line
        return head, [_parse_line(TapedCall, line, self.path, number) for number, line in enumerate(lines, 2)]

    @cached_property
    def _waiting(self) -> dict[tuple[str, str], deque[TapedCall]]:
        found: dict[tuple[str, str], deque[TapedCall]] = defaultdict(deque)
        for call in self._read[1]:
            found[call.whose, call.request].append(call)
        return dict(found)


def _line(record: TapeHead | TapedCall) -> bytes:
    """Return a record as its line; fields that say nothing are left out, a price of 0 says something."""
    values = asdict(record)
    named = [(one.name, values[one.name], one.default is None) for one in fields(record)]
    said = {name: value for name, value, may_be_none in named if value or (may_be_none and value is not None)}
    return json.dumps(said).encode() + b"\n"


def _head_of(path: Path, line: bytes) -> TapeHead:
    head = _parse_line(TapeHead, line, path, 1)
    if head.form != _FORM:
        raise Damaged(f"{path}:1: this recording has format {head.form}, expected {_FORM}; record again")
    return head


def _parse_line(kind: type[Line], line: bytes, path: Path, number: int) -> Line:
    try:
        return kind(**json.loads(line))
    except (ValueError, TypeError) as error:
        raise Damaged(f"{path}:{number}: this is not a line of a recording ({error}); record again") from None

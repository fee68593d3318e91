"""The lines of `graph.jsonl`: one operation each, in S2's own form, and their order.

Every line ends in its `op`: the time of the write, a count within that time, and a digest of the rest. A writer uses a
higher one than any it has seen, so a line that answers another comes after it, whatever the clocks say. A line written
by hand needs none. `call` names the call with an effect key that wrote it (`repeated`).
"""

import re
from collections.abc import Mapping, Sequence
from datetime import datetime
from hashlib import blake2b
from typing import Annotated, Any, Literal, Self

import orjson
from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, TypeAdapter, ValidationError, model_validator

from mabos.configs.errors import InvalidArgument
from mabos.knowledge.entities.model import EntityType, Kind, RelationType, Visibility
from mabos.knowledge.entities.properties import check_properties
from mabos.workspace.clock import iso, parse_time

_COUNTS = 0xFFFF  # operations within one millisecond
_PREFIX = re.compile(r"[0-9a-f]{12}-[0-9a-f]{4}")
_OP = len('"op":"0123456789ab-0123-01234567"}')


def _moment(text: Any) -> Any:
    if not text:
        return ""
    try:
        if isinstance(text, str) and len(text) == 24 and text[19] == "." and text[23] == "Z":
            datetime.fromisoformat(text)  # in the one form in which MABOS writes time: it is only looked at
            return text
        return iso(parse_time(str(text)))
    except InvalidArgument as error:
        raise ValueError(error.message) from None
    except ValueError:
        raise ValueError(f"{text!r} is not a time; expected ISO 8601, as 2026-02-24T14:30:00Z") from None


def _text(value: Any) -> Any:
    return "" if value is None else value


def _field(name: str) -> Any:
    # With an alias for both at once, type checkers would want the arguments of constructors named by it.
    return Field(default="", validation_alias=name, serialization_alias=name)


Moment = Annotated[str, BeforeValidator(_moment)]
Text = Annotated[str, BeforeValidator(_text)]
Id = Annotated[str, Field(min_length=1)]


class _Line(BaseModel):
    model_config = ConfigDict(extra="ignore", validate_by_name=True, validate_by_alias=True, serialize_by_alias=True)
    op: str = ""
    at: Moment = ""
    by: Text = ""
    call: Text = ""


class EntityLine(_Line):
    """An entity or its update: labels and properties replace the earlier ones, sessions are added."""

    type: Literal["entity"] = "entity"
    id: Id
    name: Id
    entity_type: EntityType = Field(validation_alias="entityType", serialization_alias="entityType")
    label: Text = ""
    properties: Mapping[str, Any] = Field(default_factory=dict)
    source_session: Text = ""
    visibility: Visibility = "public"
    audience: Sequence[str] = ()
    at: Moment = _field("created_at")
    by: Text = _field("created_by")
    valid_from: Moment = ""
    valid_to: Moment = ""
    superseded_by: Text = ""

    @model_validator(mode="after")
    def _check(self) -> Self:
        try:
            check_properties(self.entity_type, self.properties)
        except InvalidArgument as error:
            raise ValueError(error.message) from None
        return self


class ObservationLine(_Line):
    """An observation of an entity."""

    type: Literal["observation"] = "observation"
    id: Id
    entity_id: Id
    content: Id
    source_session: Text = ""
    at: Moment = _field("added_at")
    by: Text = _field("added_by")
    valid_from: Moment = ""
    valid_to: Moment = ""


class RelationLine(_Line):
    """A relation of two entities."""

    type: Literal["relation"] = "relation"
    id: Id
    from_id: Id
    to_id: Id
    relation_type: RelationType = Field(validation_alias="relationType", serialization_alias="relationType")
    properties: Mapping[str, Any] = Field(default_factory=dict)
    at: Moment = _field("created_at")
    by: Text = _field("created_by")
    valid_from: Moment = ""
    valid_to: Moment = ""
    superseded_by: Text = ""


class InvalidateLine(_Line):
    """The end of an entity, observation or relation, and its replacement."""

    type: Literal["invalidate"] = "invalidate"
    target: Id
    kind: Kind
    valid_to: Moment = ""
    superseded_by: Text = ""
    reason: Text = ""


class MergeLine(_Line):
    """A merge of the entities `merged` into `keep`."""

    type: Literal["merge"] = "merge"
    id: Id
    keep: Id
    merged: Sequence[str]
    reason: Text = ""


class UnmergeLine(_Line):
    """The undoing of a merge."""

    type: Literal["unmerge"] = "unmerge"
    merge: Id
    reason: Text = ""


class VisibilityLine(_Line):
    """A new audience of an entity."""

    type: Literal["visibility"] = "visibility"
    entity_id: Id
    visibility: Visibility
    audience: Sequence[str] = ()


class TombstoneLine(_Line):
    """The deletion of an entity (with its observations and relations), an observation or a relation."""

    type: Literal["tombstone"] = "tombstone"
    target: Id
    kind: Kind
    reason: Text = ""


class ArchiveLine(_Line):
    """The archiving of an entity."""

    type: Literal["archive"] = "archive"
    entity_id: Id
    reason: Text = ""


class RestoreLine(_Line):
    """The return of an entity from the archive."""

    type: Literal["restore"] = "restore"
    entity_id: Id


Line = (
    EntityLine
    | ObservationLine
    | RelationLine
    | InvalidateLine
    | MergeLine
    | UnmergeLine
    | VisibilityLine
    | TombstoneLine
    | ArchiveLine
    | RestoreLine
)
_ANY: TypeAdapter[Line] = TypeAdapter(Annotated[Line, Field(discriminator="type")])


def decode_line(raw: bytes) -> Line:
    """Return the operation on a line; raises `ValueError` that names the fault."""
    try:
        line = _ANY.validate_json(raw)
    except ValidationError as error:
        first = error.errors()[0]
        place = ".".join(str(part) for part in first["loc"][1:])
        raise ValueError(f"{place}: {first['msg']}" if place else first["msg"]) from None
    op = _resolve_op(line, raw)
    if op != line.op:
        line.op = op
    return line


def encode_line(line: Line) -> bytes:
    """Return an operation as a line with its line end; raises `InvalidArgument` for non-JSON values."""
    content = {"type": line.type, **line.model_dump(exclude_defaults=True)}
    prefix = content.pop("op", "")[:17]
    try:
        body = orjson.dumps(content)
    except (TypeError, orjson.JSONEncodeError) as error:
        message = f"a property is not JSON: {error}; use text, numbers, booleans, lists and mappings with text keys"
        raise InvalidArgument(message, argument="properties") from error
    return b'%s,"op":"%s-%s"}\n' % (body[:-1], prefix.encode(), _digest(body))


def stamp_line(line: Line, last: str, milliseconds: int) -> bytes:
    """Give an operation the `op` that comes after `last`, and return it as a line."""
    line.op = following(last, milliseconds)
    raw = encode_line(line)
    line.op = raw[-29:-3].decode()
    return raw


def following(last: str, milliseconds: int) -> str:
    """Return the time and the count of an op after `last`, at `milliseconds` since 1970 or later."""
    before, count = (int(last[:12], 16), int(last[13:17], 16)) if last else (-1, 0)
    if milliseconds > before:
        return f"{milliseconds:012x}-0000"
    return f"{before:012x}-{count + 1:04x}" if count < _COUNTS else f"{before + 1:012x}-0000"


def body(line: Line) -> str:
    """Return a digest of an operation without its `op`, independent of the time of writing."""
    return encode_line(line)[-11:-3].decode()


def entity_of(line: Line) -> str:
    """Return the entity that a line describes; "" for a line of another kind."""
    if isinstance(line, EntityLine):
        return line.id
    return line.entity_id if isinstance(line, ObservationLine | VisibilityLine) else ""


def spoken_of(line: Line) -> set[str] | None:
    """Return the entities and observations whose text a line may change; None for any."""
    if isinstance(line, UnmergeLine | ArchiveLine | RestoreLine | TombstoneLine):
        return None
    if isinstance(line, EntityLine | ObservationLine):
        return {line.id}
    return {line.keep} if isinstance(line, MergeLine) else set()


def _resolve_op(line: Line, raw: bytes) -> str:
    # The digest is always of what stands there: of two lines that differ, one never hides the other.
    written = line.op
    if raw[-_OP - 1 : -_OP + 6] == b',"op":"' and len(written) == 26:
        return f"{written[:17]}-{_digest(raw[: -_OP - 1] + b'}').decode()}"
    at = int(parse_time(line.at).timestamp() * 1000) if line.at else 0
    prefix = written[:17] if _PREFIX.match(written) else following("", at)
    return f"{prefix}-{_digest(raw).decode()}"


def _digest(body: bytes) -> bytes:
    return blake2b(body, digest_size=4).hexdigest().encode()

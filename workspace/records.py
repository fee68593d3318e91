"""Stored records: a frozen dataclass, declared once, defines how it is read, checked, written and verified.

    @record("facts.json", "facts", noun="fact", optional=("source", "valid_from"))
    @dataclass(frozen=True, slots=True)
    class Fact:
        id: str
        subject: str
        confidence: Share = 1.0
        source: str = ""
        valid_from: Time = ""

    facts = View(declaration(Fact).open(directory, sync), Fact)      # see `workspace.view`
    facts.one("F-1")

Pydantic reads a record in one native pass. Only an invalid value costs a Python call, which tries to interpret what a
person wrote. Undeclared fields stay in the document.
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import MISSING, asdict, dataclass, fields, is_dataclass
from functools import cached_property
from operator import attrgetter
from pathlib import Path
from typing import Annotated, Any, Final, Generic, Literal, TypeVar, get_args, get_origin, get_type_hints

import orjson
from pydantic import AliasChoices, ConfigDict, TypeAdapter, ValidationError
from pydantic.fields import FieldInfo

from mabos.configs.errors import Damaged, InvalidArgument
from mabos.workspace.documents import Root, json_document
from mabos.workspace.operations import Codec
from mabos.workspace.regular import content
from mabos.workspace.store import Store
from mabos.workspace.sync import Sync

R = TypeVar("R")

_CONFIG: Final = ConfigDict(coerce_numbers_to_str=True, allow_inf_nan=False)
_SCALARS: Final = frozenset({str, int, float, bool, type(None)})
_WANTED: Final = {
    "string_type": "a text",
    "string_too_short": "a text that is not empty",
    "tuple_type": "a list",
    "dict_type": "an object",
    "mapping_type": "an object",
    "dataclass_type": "an object",
    "bool_type": "true or false",
    "int_parsing": "a whole number",
    "int_type": "a whole number",
    "int_from_float": "a whole number",
    "float_parsing": "a number",
    "float_type": "a number",
}
"""The expected value of a field, by pydantic's name of the error, in the words of JSON."""
_STUMBLES: Final = (InvalidArgument, ValueError, TypeError, LookupError, AttributeError, RecursionError)
"""The errors of reading a record with unexpected content; `ValidationError` is a `ValueError`."""


@dataclass(frozen=True, slots=True)
class Damage:
    """The reason why a record cannot be read; `field` is empty if the whole record is at fault."""

    source: str
    noun: str
    key: str
    field: str
    reason: str

    def __str__(self) -> str:
        what = f"{self.field} {self.reason}".strip()
        return f"{self.source}: {self.noun} {self.key!r}: {what}; correct it by hand"


@dataclass(frozen=True, slots=True)
class Document:
    """A JSON file with sections of records, in the folder of an agent, a business or the workspace.

    `codec` makes the codec of a file with a special format.
    """

    file: str
    sections: tuple[str, ...]
    root: Root = "object"
    codec: Callable[[], Codec] | None = None

    def open(self, directory: Path, sync: Sync, *, base: Path | None = None) -> Store:
        """Return the store of this file in `directory`; nothing is written before the first commit."""
        path = directory / self.file
        if self.codec is None:
            return json_document(path, self.sections, sync=sync, root=self.root, base=base)
        return Store(path.parent, self.codec(), journal=f"{path.stem}.journal.jsonl", sync=sync, base=base)


@dataclass(frozen=True, eq=False)
class Declaration(Generic[R]):
    """The declaration of one kind of record; see `record`. `document` is None if each record has its own file."""

    kind: type[R]
    file: str
    collections: tuple[str, ...]
    noun: str
    document: Document | None
    argument: str
    optional: frozenset[str]
    unwritten: frozenset[str]
    tolerates: frozenset[str]
    unpack: Callable[[Mapping[str, Any]], Mapping[str, Any]] | None
    pack: Callable[[R], dict[str, Any]] | None
    check: Callable[[R], None] | None

    def open(self, directory: Path, sync: Sync, *, base: Path | None = None) -> Store:
        """Return the store of these records in `directory`."""
        if self.document is None:
            raise InvalidArgument(f"{self.file} holds one {self.noun}; read it with `read_file`", argument="file")
        return self.document.open(directory, sync, base=base)

    def read(self, key: str, record: Any, *, source: str = "") -> R:
        """Return the record stored under `key`; raises `Damaged`, naming file, record and field."""
        try:
            return self._read(key, record, self.tolerates)
        except _STUMBLES as error:
            raise Damaged(str(self._damage(key, error, source))) from None

    def problem(self, key: str, record: Any, *, source: str = "") -> Damage | None:
        """Return the problem of a record, even if `read` falls back to a default; None if it has none."""
        try:
            self._read(key, record, frozenset())
        except _STUMBLES as error:
            return self._damage(key, error, source)
        return None

    def write(self, item: R, before: Mapping[str, Any] | None = None) -> dict[str, Any]:
        """Return the stored form of a record; undeclared fields of `before` are kept."""
        if self.pack is not None:
            written = self.pack(item)
        else:
            written = {
                name: value if type(value) in _SCALARS else as_json(value)
                for name, value in zip(self._names_written, self._values(item), strict=True)
                if value or name not in self._left_out
            }
        if not before:
            return written
        kept = {name: value for name, value in before.items() if name in written or name not in self._known_names}
        return {**kept, **written}

    def _read(self, key: str, record: Any, tolerated: frozenset[str]) -> R:
        given = self._prepare_record(key, record)
        try:
            found = self._validate(given)
        except ValidationError as error:
            found = self._validate(self._mend_record(given, error, tolerated))
        if self.check is not None:
            self.check(found)
        return found

    def _prepare_record(self, key: str, record: Any) -> Any:
        """Return the record to validate, with its key as id and without null fields."""
        if self.unpack is not None and isinstance(record, Mapping):
            record = self.unpack(record)
        if type(record) is not dict:
            return record
        if self._ids and record.get(self._ids[0]) != (named := key if self._is_keyed else self._id(key, record)):
            stated = record.get(self._ids[0])
            if not (isinstance(stated, str) and key.startswith(f"{stated}#")):  # that is a record the file has twice
                record = {**record, self._ids[0]: named}
        if None in record.values():
            return {name: value for name, value in record.items() if value is not None or name in self.closed}
        return record

    def _id(self, key: str, record: Mapping[str, Any]) -> Any:
        """Return the id of a record: one it states under another name, else its key; a file may state its own."""
        stated = self._ids[1:] if self.document is not None else (*self._ids[1:], self._ids[0])
        return next((record[name] for name in stated if record.get(name) is not None), key)

    def _mend_record(self, given: Any, error: ValidationError, tolerated: frozenset[str]) -> Any:
        """Return a record without tolerable faults: empty texts, and damage that is tolerated."""
        if not isinstance(given, dict):
            return given
        mended = dict(given)
        for name in {str(one["loc"][0]) for one in error.errors(include_url=False) if one["loc"]}:
            if name not in mended:
                continue
            if mended[name] == "" and name in self._defaulted_fields and name not in self.closed:
                del mended[name]
            elif name in tolerated:
                value = mended.pop(name)
                if name in self._texts:
                    mended[name] = str(value)
        return mended

    def _damage(self, key: str, error: Exception, source: str) -> Damage:
        source = source or Path(self.file).name
        if not isinstance(error, ValidationError):
            return Damage(source, self.noun, key, "", _lower_first(str(error)))
        wrong = error.errors(include_url=False)
        first = [one for one in wrong if one["loc"][:1] == wrong[0]["loc"][:1]][-1]
        where = ".".join(str(part) for part in first["loc"] if part != "")
        if first["type"] == "missing":
            return Damage(source, self.noun, key, where, "is missing")
        if first["type"] == "value_error":
            return Damage(
                source, self.noun, key, f"{where}:" if where else "", _lower_first(str(first["ctx"]["error"]))
            )
        wanted = _WANTED.get(first["type"]) or first["msg"].replace("Input should be ", "", 1)
        return Damage(source, self.noun, key, where, f"is {first['input']!r:.60} and should be {wanted}")

    # --- what follows from the class, worked out at the first use

    @cached_property
    def _validate(self) -> Callable[[Any], R]:
        return TypeAdapter(self.kind).validator.validate_python  # takes a millisecond to build

    @cached_property
    def _hints(self) -> Mapping[str, Any]:
        return get_type_hints(self.kind, include_extras=True)

    @cached_property
    def names(self) -> Mapping[str, tuple[str, ...]]:
        """The stored names of each field; the first one is written."""
        return {one.name: _stored_names(one.name, self._hints[one.name]) for one in _fields(self.kind)}

    @cached_property
    def _written_names(self) -> tuple[str, ...]:
        return tuple(name for name in self.names if name not in self.unwritten)

    @cached_property
    def _names_written(self) -> tuple[str, ...]:
        return tuple(self.names[name][0] for name in self._written_names)

    @cached_property
    def _left_out(self) -> frozenset[str]:
        return frozenset(self.names[name][0] for name in self.optional)

    @cached_property
    def _values(self) -> Callable[[R], tuple[Any, ...]]:
        return attrgetter(*self._written_names)

    @cached_property
    def _known_names(self) -> frozenset[str]:
        return frozenset(name for names in self.names.values() for name in names)

    @cached_property
    def _ids(self) -> tuple[str, ...]:
        return self.names.get("id", ())

    @cached_property
    def _is_keyed(self) -> bool:
        return self.document is not None and len(self._ids) == 1

    @cached_property
    def closed(self) -> frozenset[str]:
        """The fields with a closed set of values, as a status; a null or empty text there is damage."""
        found = (names for name, names in self.names.items() if get_origin(_bare(self._hints[name])) is Literal)
        return frozenset(name for names in found for name in names)

    @cached_property
    def _texts(self) -> frozenset[str]:
        found = (names for name, names in self.names.items() if _bare(self._hints[name]) is str)
        return frozenset(name for names in found for name in names)

    @cached_property
    def _defaulted_fields(self) -> frozenset[str]:
        found = (one for one in _fields(self.kind) if (one.default, one.default_factory) != (MISSING, MISSING))
        return frozenset(name for one in found for name in self.names[one.name])


_DECLARATIONS: dict[type, Declaration[Any]] = {}


def record(  # what may be declared of a record; all but the file and the noun have defaults
    place: Document | str,
    *collections: str,
    noun: str,
    argument: str = "",
    optional: Iterable[str] = (),
    unwritten: Iterable[str] = (),
    tolerates: Iterable[str] = (),
    unpack: Callable[[Mapping[str, Any]], Mapping[str, Any]] | None = None,
    pack: Callable[[Any], dict[str, Any]] | None = None,
    check: Callable[[Any], None] | None = None,
) -> Callable[[type[R]], type[R]]:
    """Declare a frozen dataclass as the records of `collections` of a document, or of one file each without any.

    `place` is the file relative to the folder of its agent or business, or a `Document` with several kinds. `noun`
    names a record in messages, `argument` the id in a call. Empty `optional` fields are left out, `unwritten` ones
    always. If fields in `tolerates` are damaged, they are read as text or as their default, and only `mabos verify`
    reports them. `unpack` and `pack` convert between the document's form and the fields if names alone do not. `check`
    raises `InvalidArgument` or `ValueError` for fields that do not go together.
    """

    def declare(kind: type[R]) -> type[R]:
        document = place if isinstance(place, Document) else Document(place, collections) if collections else None
        kind.__pydantic_config__ = _CONFIG  # type: ignore[attr-defined]  # where pydantic looks for it
        _DECLARATIONS[kind] = Declaration(
            kind=kind,
            file=place if isinstance(place, str) else place.file,
            collections=collections,
            noun=noun,
            document=document,
            argument=argument or f"{noun.rpartition(' ')[2]}_id",
            optional=frozenset(optional),
            unwritten=frozenset(unwritten),
            tolerates=frozenset(tolerates),
            unpack=unpack,
            pack=pack,
            check=check,
        )
        return kind

    return declare


def declaration(kind: type[R]) -> Declaration[R]:
    """Return the declaration of `kind`; raises `InvalidArgument` if there is none."""
    try:
        return _DECLARATIONS[kind]
    except KeyError:
        raise InvalidArgument(f"{kind.__name__} is not declared; use `mabos.workspace.records.record`") from None


def declarations() -> tuple[Declaration[Any], ...]:
    """Return all declarations in imported modules."""
    return tuple(_DECLARATIONS.values())


def read_file(path: Path, kind: type[R]) -> R:
    """Return the only record in a file; raises `FileNotFoundError`, or `Damaged` with the file's name."""
    try:
        found = orjson.loads(content(path))
    except orjson.JSONDecodeError as error:
        raise Damaged(f"{path}:{error.lineno}: not JSON ({error.msg}); correct it by hand") from None
    declared = declaration(kind)
    made = declared.read(path.stem, found, source=str(path))
    if "*" in declared.file and (stated := getattr(made, "id", path.stem)) != path.stem:
        message = f"is {stated!r} and should be {path.stem!r}, as the file is called"
        raise Damaged(str(Damage(str(path), declared.noun, path.stem, "id", message)))
    return made


def as_json(value: Any) -> Any:
    """Return a value as JSON: dataclasses become objects, tuples become lists."""
    if isinstance(value, tuple | list):
        return [item if type(item) in _SCALARS else as_json(item) for item in value]
    if isinstance(value, Mapping):
        return {str(key): item if type(item) in _SCALARS else as_json(item) for key, item in value.items()}
    if is_dataclass(value) and not isinstance(value, type):
        known = _DECLARATIONS.get(type(value))
        return as_json(asdict(value)) if known is None else known.write(value)
    return value


def _fields(kind: type[Any]) -> tuple[Any, ...]:
    return fields(kind)


def _stored_names(name: str, hint: Any) -> tuple[str, ...]:
    for note in get_args(hint)[1:] if get_origin(hint) is Annotated else ():
        if isinstance(note, FieldInfo) and isinstance(note.validation_alias, AliasChoices):
            return tuple(map(str, note.validation_alias.choices))
    return (name,)


def _bare(hint: Any) -> Any:
    return get_args(hint)[0] if get_origin(hint) is Annotated else hint


def _lower_first(text: str) -> str:
    return text[:1].lower() + text[1:]

"""Every declared record: read, written and viewed alike, whatever a person, an editor or a disk left in its file.

A new record type needs no test of its own here: the suite finds each module of the product that declares one.
"""

import importlib
import json
import re
from collections import abc
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import MISSING, fields, is_dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from types import NoneType, UnionType
from typing import Annotated, Any, Literal, Union, get_args, get_origin, get_type_hints

import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from mabos.configs.errors import Damaged
from mabos.interfaces.soundness import RECORD_MODULES
from mabos.workspace.field_types import Count, Filled, Flag, LooseTime, Share, Texts, Time
from mabos.workspace.records import Declaration, declarations
from mabos.workspace.store import Put, Store
from mabos.workspace.sync import Sync
from mabos.workspace.view import View

ROOT = Path(__file__).parents[2]
FOLDERS = ("backends", "memory", "knowledge", "mind", "society", "tools", "nodes", "graphs", "interfaces")
TEXT = st.text(max_size=12)
FOREIGN = "added_by_hand"
ANYTHING = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(10**12), 10**12)
    | st.floats(allow_nan=False, allow_infinity=False)
    | TEXT,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXT, inner, max_size=3),
    max_leaves=4,
)
TIMES = st.sampled_from(["", "2026-02-24", "2026-02-24T14:30:00.000Z", "2026-02-29T00:00:00+01:00"])
KNOWN: Mapping[Any, st.SearchStrategy[Any]] = {
    Time: TIMES,
    LooseTime: TIMES,
    Share: st.floats(0, 1),
    Count: st.integers(0, 99),
    Filled: st.text(min_size=1, max_size=12),
    Flag: st.booleans(),
    Texts: st.lists(TEXT, max_size=3),
    str: TEXT,
    int: st.integers(0, 10**6),
    float: st.floats(0, 10**6),
    bool: st.booleans(),
}
"""What generates the JSON of a field of this type."""
FEW = settings(
    max_examples=15,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much, HealthCheck.data_too_large],
)


def declared() -> list[Declaration[Any]]:
    """Return the declarations of the product."""
    for module in sorted(modules()):
        importlib.import_module(module)
    return [one for one in declarations() if one.kind.__module__.startswith("mabos.")]


def modules() -> Iterator[str]:
    """Yield the modules of the product that declare records."""
    for folder in FOLDERS:
        for path in (ROOT / folder).rglob("*.py"):
            if re.search(r"^@record\(", path.read_text("utf-8"), re.MULTILINE):
                yield "mabos." + ".".join(path.relative_to(ROOT).with_suffix("").parts)


EVERY = declared()
every_kind = pytest.mark.parametrize("kind", EVERY, ids=lambda one: one.kind.__name__)
every_view = pytest.mark.parametrize(
    "kind", [one for one in EVERY if one.document is not None], ids=lambda one: one.kind.__name__
)


def names(kind: Declaration[Any]) -> Mapping[str, str]:
    """Return the name in the document of each field."""
    return {field: stored[0] for field, stored in kind.names.items()}


def valid(kind: Declaration[Any]) -> st.SearchStrategy[dict[str, Any]]:
    """Return what generates the flat form of sound records."""
    hints = get_type_hints(kind.kind, include_extras=True)
    required, optional = dict[str, Any](), dict[str, Any]()
    for one in fields(kind.kind):
        is_required = one.default is MISSING and one.default_factory is MISSING
        (required if is_required else optional)[names(kind)[one.name]] = values(hints[one.name])
    key = names(kind).get("id")
    if key is not None:
        required[key] = st.from_regex(r"[A-Z]{1,4}-[0-9]{1,4}", fullmatch=True)
    return st.fixed_dictionaries(required, optional=optional)


def values(hint: Any) -> st.SearchStrategy[Any]:
    """Return what generates the JSON of a field."""
    if hint in KNOWN:
        return KNOWN[hint]
    origin, inner = get_origin(hint), get_args(hint)
    if is_dataclass(hint):
        own = get_type_hints(hint, include_extras=True)
        return st.fixed_dictionaries({one.name: values(own[one.name]) for one in fields(hint)})
    if origin in (Union, UnionType):
        return st.one_of(*(st.none() if one is NoneType else values(one) for one in inner))
    made: Mapping[Any, Callable[[], st.SearchStrategy[Any]]] = {
        Annotated: lambda: values(inner[0]),
        Literal: lambda: st.sampled_from(inner),
        tuple: lambda: st.lists(values(inner[0]), max_size=3),
        abc.Mapping: lambda: st.dictionaries(TEXT, values(inner[1]), max_size=3),
    }
    return made[origin]() if origin in made else st.integers(0, 9) | TEXT


def sound(kind: Declaration[Any], data: st.DataObject) -> tuple[str, dict[str, Any], Any]:
    """Return a key, a record in the form of the document, and what it is read as."""
    shape = SHAPES.get(kind.kind.__name__)
    given = data.draw(valid(kind) if shape is None else shape)
    key = str(given.get(names(kind).get("id", "id"), "R-1"))
    try:
        item = kind.read(key, given)
    except Damaged:
        assume(False)
    written = kind.write(item)
    return str(written.get("id", key)), written, item  # the id of some follows from what they say


SIDE = st.lists(TEXT, max_size=3) | st.dictionaries(TEXT, ANYTHING, max_size=3)
CONDITIONS = st.lists(
    st.fixed_dictionaries({"predicate": st.sampled_from("pq"), "object": TEXT}), min_size=1, max_size=3
)
SHAPES: Mapping[str, st.SearchStrategy[dict[str, Any]]] = {
    "Case": st.fixed_dictionaries(
        {
            "id": st.from_regex(r"C-[0-9]{1,3}", fullmatch=True),
            "situation": st.fixed_dictionaries({"beliefs": SIDE, "desires": SIDE, "context": TEXT}),
            "solution": st.dictionaries(TEXT, ANYTHING, max_size=2),
            "outcome": st.fixed_dictionaries({"status": st.sampled_from(["success", "failure"]), "revenue": ANYTHING}),
            "stored_at": TIMES,
        }
    ),
    "Rule": st.fixed_dictionaries(
        {
            "id": st.from_regex(r"R-[0-9]{1,3}", fullmatch=True),
            "name": TEXT,
            "type": st.just("policy"),
            "conditions": CONDITIONS,
            "action": st.text(min_size=1, max_size=12).filter(lambda text: "?" not in text),
            "escalate": st.booleans(),
        },
        optional={"enabled": st.booleans(), "domain": TEXT, "created_at": TIMES},
    ),
}
"""What generates the form in the document of records that are unpacked from it."""


def test_verify_knows_every_module_that_declares_records() -> None:
    assert set(RECORD_MODULES) == set(modules())


@every_kind
@FEW
@given(data=st.data())
def test_what_is_written_is_read_again(kind: Declaration[Any], data: st.DataObject) -> None:
    key, written, item = sound(kind, data)
    assert json.loads(json.dumps(written)) == written
    again = kind.read(key, written)
    assert kind.write(again) == written
    assert again == item or kind.unwritten


@every_kind
@FEW
@given(data=st.data(), foreign=ANYTHING)
def test_what_a_person_added_to_a_record_stays(kind: Declaration[Any], data: st.DataObject, foreign: Any) -> None:
    key, written, item = sound(kind, data)
    before = {**written, FOREIGN: foreign}
    assert kind.read(key, before) == kind.read(key, written)
    assert json.dumps(kind.write(item, before)) == json.dumps(before)


@every_kind
@FEW
@given(data=st.data())
def test_a_null_is_the_same_as_a_missing_field_but_no_status(kind: Declaration[Any], data: st.DataObject) -> None:
    key, written, _ = sound(kind, data)
    name = data.draw(st.sampled_from(sorted(written)))
    if name in kind.closed - kind.tolerates:
        assert isinstance(outcome(kind, key, {**written, name: None}), str)
        return
    assert outcome(kind, key, {**written, name: None}) == outcome(
        kind, key, {field: value for field, value in written.items() if field != name}
    )


def outcome(kind: Declaration[Any], key: str, record: Any) -> Any:
    """Return what a record is read as, or what is said of its damage."""
    try:
        return kind.read(key, record)
    except Damaged as damaged:
        return damaged.message


@every_kind
@FEW
@given(data=st.data(), wrong=ANYTHING)
def test_damage_names_the_file_the_record_and_what_to_do(
    kind: Declaration[Any], data: st.DataObject, wrong: Any
) -> None:
    key, written, _ = sound(kind, data)
    name = data.draw(st.sampled_from(sorted(written)))
    for record in (
        wrong,
        {**written, name: wrong},
        {field: value for field, value in written.items() if field != name},
    ):
        told = outcome(kind, key, record)
        if isinstance(told, str):
            assert told.startswith(f"{Path(kind.file).name}: {kind.noun} {key!r}: ")
            assert told.endswith("by hand")
            assert kind.problem(key, record) is not None
        else:
            assert isinstance(told, kind.kind)
            assert kind.write(kind.read(key, kind.write(told))) == kind.write(told)


@every_view
@settings(FEW, max_examples=8)
@given(data=st.data(), wrong=ANYTHING)
def test_one_damaged_record_is_refused_or_left_out_and_forgotten_when_it_is_mended(
    kind: Declaration[Any], data: st.DataObject, wrong: Any
) -> None:
    key, written, _ = sound(kind, data)
    name = data.draw(st.sampled_from(sorted(written.keys() - {"id"})))
    mangled = {**written, name: wrong}
    with opened(kind) as store:
        collection = kind.collections[0]
        strict, lenient = View(store, kind.kind), View(store, kind.kind, skips=True)
        store.commit([Put(collection, key, mangled)])
        told = outcome(kind, key, mangled)
        for _ in range(2):
            if isinstance(told, str):
                with pytest.raises(Damaged, match=re.escape(told)):
                    strict.all()
                assert lenient.all() == ()
            else:
                assert strict.all() == lenient.all() == (told,)
        assert bool(lenient.problems()) == (kind.problem(key, mangled) is not None)
        store.commit([Put(collection, key, written)])
        assert strict.all() == lenient.all() == (kind.read(key, written),)
        assert strict.find(key) == View(store, kind.kind).find(key) == lenient.one(key)
        assert lenient.problems() == ()


@contextmanager
def opened(kind: Declaration[Any]) -> Iterator[Store]:
    """Give a store of a kind in a folder of its own."""
    with TemporaryDirectory() as folder:
        yield kind.open(Path(folder), Sync("off"))

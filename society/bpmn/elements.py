"""The XML elements of a BPMN file: their namespaces, lookup by id, insertion, and allowed text."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from mabos.configs.errors import InvalidArgument

if TYPE_CHECKING:
    from lxml.etree import _Element


BPMN = "http://www.omg.org/spec/BPMN/20100524/MODEL"
DIAGRAM = "http://www.omg.org/spec/BPMN/20100524/DI"
POINTS = "http://www.omg.org/spec/DD/20100524/DC"
LINES = "http://www.omg.org/spec/DD/20100524/DI"
OWN = "urn:mabos:bpmn"
"""The namespace of the attributes by which MABOS performs a node."""


def tag(name: str, namespace: str = BPMN) -> str:
    """Return the full name of an element or attribute."""
    return f"{{{namespace}}}{name}"


DEFINITIONS = tag("definitions")


def local(full: object) -> str:
    """Return the name of an element without its namespace; "" for other nodes, like a comment."""
    return full.rpartition("}")[2] if isinstance(full, str) else ""


_WRITABLE = re.compile("[\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]*")
_ID = re.compile(r"[^\W\d][\w.-]*")


def is_there(root: _Element, element_id: str) -> bool:
    """Return whether an element of the file has this id."""
    return any(one.get("id") == element_id for one in root.iter() if isinstance(one.tag, str))


def check_id(root: _Element, element_id: str, argument: str) -> None:
    """Raise `InvalidArgument` for an id that is taken, or invalid in BPMN."""
    if not _ID.fullmatch(element_id):
        message = f"{element_id!r} is not a valid BPMN id; begin with a letter or '_', then also use 0-9 - ."
        raise InvalidArgument(message, argument=argument)
    if is_there(root, element_id):
        raise InvalidArgument(f"an element {element_id!r} already exists; choose another id", argument=argument)


def put(parent: _Element, kind: str, /, **attributes: str) -> _Element:
    """Return a new BPMN element, the last in its parent."""
    from lxml import etree

    for name, value in attributes.items():
        writable(value, name)
    return etree.SubElement(parent, tag(kind), attributes)


def writable(text: str, argument: str) -> str:
    """Return a text if it is valid in XML; otherwise raise `InvalidArgument`."""
    if not _WRITABLE.fullmatch(text):
        raise InvalidArgument(f"{text!r:.60} contains a character that XML does not allow", argument=argument)
    return text


def by_id(root: _Element, element_id: str) -> _Element:
    """Return the element with an id that is known to exist."""
    return next(one for one in root.iter() if isinstance(one.tag, str) and one.get("id") == element_id)


def collaboration(root: _Element) -> _Element:
    """Return the collaboration, which holds pools and messages; create it if missing."""
    found = root.find(tag("collaboration"))
    if found is None:
        found = put(root, "collaboration", id="Collaboration_1")
        root.insert(0, found)
    return found

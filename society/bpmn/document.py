"""A BPMN 2.0 file: read with error reports, preserved in full, and written back.

document = read(raw, "sales.bpmn")
document.model.nodes["Task_1"].name
path.write_bytes(document.xml())
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

from mabos.configs.errors import Damaged, InvalidArgument
from mabos.society.bpmn.elements import BPMN, DEFINITIONS, DIAGRAM, LINES, POINTS
from mabos.society.bpmn.model import WorkflowModel
from mabos.society.bpmn.reading import model_of

if TYPE_CHECKING:
    from lxml.etree import _Element

_MOST = 32 * 1024 * 1024  # bytes of a file that are read at all
_USUAL = {"bpmn": BPMN, "bpmn2": BPMN, "bpmndi": DIAGRAM, "dc": POINTS, "di": LINES}
_ENCODING = re.compile(r"""\ufeff?<\?xml\b[^>]*\bencoding\s*=\s*["']([\w.-]+)["']""")
_OPENING = re.compile(rb"<(?:[\w.-]+:)?definitions\b")


@dataclass(frozen=True, eq=False)
class WorkflowDocument:
    """A BPMN file: its elements, which are never changed in place, and their meaning."""

    root: _Element
    name: str = ""

    @cached_property
    def model(self) -> WorkflowModel:
        """The model of the file; raises `Damaged` for a duplicate id or a flow that leads nowhere."""
        return model_of(self.root, self.name)

    def xml(self) -> bytes:
        """Return the file with all its original content."""
        from lxml import etree

        tree = self.root.getroottree()
        encoding = tree.docinfo.encoding or "UTF-8"
        alone: Any = tree.docinfo.standalone  # None where the file says nothing of it
        return bytes(etree.tostring(tree, xml_declaration=True, encoding=encoding, standalone=alone))


def read(raw: bytes, name: str = "workflow.bpmn") -> WorkflowDocument:
    """Return the contents of a file; raises `Damaged` with file and line if it is not BPMN 2.0.

    Entities are not resolved and nothing is fetched, so an outside file cannot refer to files of this machine.
    """
    from lxml import etree

    if len(raw) > _MOST:
        raise Damaged(f"{name}: {len(raw):,} bytes; at most {_MOST:,} are read")
    try:
        root = _parse_xml(raw)
    except etree.XMLSyntaxError as error:
        raise Damaged(f"{name}:{error.lineno or 1}: not valid XML ({error.msg}); export it again") from error
    if root.getroottree().docinfo.internalDTD is not None:
        raise Damaged(f"{name}:1: it declares a document type; remove the line, which BPMN does not need")
    if root.tag != DEFINITIONS:
        told = f"the outermost element is {str(root.tag)!r}; that of BPMN 2.0 is {DEFINITIONS!r}"
        raise Damaged(f"{name}:{root.sourceline or 1}: {told}")
    return WorkflowDocument(root, name)


def encode_text(text: str) -> bytes:
    """Return a file received as text, in its own declared encoding."""
    named = _ENCODING.match(text)
    try:
        return text.encode(named[1] if named else "utf-8")
    except (LookupError, UnicodeEncodeError) as error:
        message = f"the text cannot be written in the encoding that it names ({error}); name UTF-8"
        raise InvalidArgument(message, argument="bpmn") from None


def _parse_xml(raw: bytes) -> _Element:
    """Return the outermost element; an undeclared common prefix gets its usual meaning."""
    from lxml import etree

    parser = etree.XMLParser(resolve_entities=False, no_network=True, load_dtd=False, huge_tree=False)
    try:
        return etree.fromstring(raw, parser)
    except etree.XMLSyntaxError as error:
        undeclared = re.match(r"Namespace prefix ([\w.-]+) ", error.msg or "")
        if undeclared is None or undeclared[1] not in _USUAL or f"xmlns:{undeclared[1]}=".encode() in raw:
            raise
        said = f' xmlns:{undeclared[1]}="{_USUAL[undeclared[1]]}"'.encode()
        declared = _OPENING.sub(lambda found: found[0] + said, raw, count=1)
        if declared == raw:  # another element stands outermost, or it is written in an encoding of two bytes
            raise
        return _parse_xml(declared)

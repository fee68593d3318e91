"""The surroundings of a process's flow: pools, and the data and notes attached to its nodes."""

from __future__ import annotations

from copy import deepcopy
from typing import TYPE_CHECKING

from mabos.configs.errors import Damaged, InvalidArgument
from mabos.society.bpmn.document import WorkflowDocument
from mabos.society.bpmn.elements import by_id, check_id, collaboration, put, tag

if TYPE_CHECKING:
    from lxml.etree import _Element

_INPUT = "_input"
_BEFORE_DATA = ("documentation", "extensionElements", "incoming", "outgoing", "ioSpecification", "property")


def add_pool(document: WorkflowDocument, pool_id: str, name: str = "") -> WorkflowDocument:
    """Return the document with another pool: the first encloses the process, later ones are black boxes.

    A black box gets its own process with its first node.
    """
    check_id(document.root, pool_id, "node_id")
    root = deepcopy(document.root)
    holder = collaboration(root)
    pools = holder.findall(tag("participant"))
    pool = put(holder, "participant", id=pool_id, **({"name": name} if name else {}))
    holder.insert(holder.index(pools[-1]) + 1 if pools else 0, pool)
    processes = root.findall(tag("process"))
    if not pools and processes:
        pool.set("processRef", processes[0].get("id", ""))
    return WorkflowDocument(root, document.name)


def process_of_pool(root: _Element, pool: _Element) -> _Element:
    """Return the process of a pool, created if necessary."""
    known = pool.get("processRef", "").rpartition(":")[2]
    if known:
        found = next((one for one in root.findall(tag("process")) if one.get("id") == known), None)
        if found is None:
            told = f"the pool {pool.get('id')!r} names the process {known!r}, which is not in the file"
            raise Damaged(f"{told}; put it there, or remove processRef")
        return found
    made = put(root, "process", id=f"{pool.get('id')}_process", isExecutable="true")
    last = root.findall(tag("process"))[-2:]  # the standard wants diagrams behind all of them
    if len(last) == 2:
        root.insert(root.index(last[0]) + 1, made)
    pool.set("processRef", made.get("id", ""))
    return made


def associate(document: WorkflowDocument, link_id: str, source: str, target: str) -> WorkflowDocument:
    """Return the document with data that a node reads or writes, or a note attached to its subject."""
    model = document.model
    check_id(document.root, link_id, "flow_id")
    root = deepcopy(document.root)
    if source in model.notes or target in model.notes:
        node = target if source in model.notes else source
        scope = model.nodes[node].scope if node in model.nodes else ""
        holder = by_id(root, scope) if scope else collaboration(root)
        put(holder, "association", id=link_id, sourceRef=source, targetRef=target)
        return WorkflowDocument(root, document.name)
    node = target if source in model.data else source
    if node not in model.nodes or model.nodes[node].type.endswith("Gateway"):
        message = f"{node!r} reads and writes no data; only tasks, sub-processes and events do"
        raise InvalidArgument(message, argument="to" if node == target else "from")
    _put_data(by_id(root, node), link_id, source, target, reads=node == target)
    return WorkflowDocument(root, document.name)


def input_of(one: _Element) -> str:
    """Return the data association with an element as input, as `associate` writes it; "" for any other."""
    return one.get("id", "").removesuffix(_INPUT) if one.tag == tag("property") else ""


def _put_data(node: _Element, link_id: str, source: str, target: str, *, reads: bool) -> None:
    """Write a data association where the standard wants it: behind the node's flows, inputs before outputs."""
    before = [tag(one) for one in (*_BEFORE_DATA, "dataInputAssociation")]
    before += [] if reads else [tag("dataOutputAssociation")]
    link = put(node, "dataInputAssociation" if reads else "dataOutputAssociation", id=link_id)
    if reads:
        # An input ends at a property of its node; tools that draw it want one that stands for the node itself.
        place = put(node, "property", id=f"{link_id}{_INPUT}", name="__targetRef_placeholder")
        node.insert(sum(one.tag in before[:5] for one in node if one is not place), place)
        put(link, "sourceRef").text = source
        put(link, "targetRef").text = place.get("id")
    else:
        put(link, "targetRef").text = target
    node.insert(sum(one.tag in before for one in node if one is not link), link)

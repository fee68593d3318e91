"""Memory: store, recall, consolidate, checkpoint, and the fill level of the stores (S0 section 16)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

from mabos.backends.graph.model import NodeCondition
from mabos.backends.graph.records import record_uid
from mabos.configs.errors import Unavailable
from mabos.memory.checkpoints import Checkpoint
from mabos.memory.consolidation import Promotion
from mabos.memory.model import MemoryHit, MemoryType, StoreName, as_record
from mabos.memory.narrative import of_group
from mabos.tools.catalogue.declaration import Count, Fraction, Text, Tool
from mabos.tools.graph.standing import WITHOUT
from mabos.tools.runtime.services import Agent

StoreFilter = Literal["working", "short_term", "long_term", "all"]


def memory_store_item(
    agent: Agent,
    *,
    content: Text,
    importance: Fraction,
    type_: MemoryType = "observation",
    source: str = "manual",
    tags: list[str] | None = None,
    store: StoreName = "short_term",
    tier: StoreName | None = None,
    supersedes: list[str] | None = None,
) -> dict[str, Any]:
    """Remember something; what is remembered already, by content and type, is returned as it is.

    Args:
        content: What to remember, in plain words.
        importance: From 0 to 1; 0.6 and more is kept for good.
        type: What kind of experience it is.
        source: Where it comes from.
        tags: Words to group and find it by.
        store: Where to put it; short-term forgets after two hours what does not deserve to be kept.
        tier: Another name for `store`.
        supersedes: Ids of memories that this one corrects; they are kept, and recalled no more.
    """
    item = agent.memory.store(
        content,
        type=type_,
        importance=importance,
        source=source,
        tags=tags or (),
        store=tier or store,
        supersedes=supersedes or (),
    )
    where = agent.memory.store_of(item.id)
    return {
        "memory_id": item.id,
        "store": where,
        "item": as_record(item),
        "text": f"Stored {item.id} in {where}: {item.content}",
    }


def memory_recall(
    agent: Agent,
    *,
    query: str = "",
    type_: MemoryType | None = None,
    store: StoreFilter = "all",
    limit: Count = 20,
    min_importance: Fraction = 0.0,
    recursive_depth: int = 0,
    merged: bool | None = None,
) -> dict[str, Any]:
    """Search what is remembered, best first; without a query, what is important and recent.

    Answers also how it was found: `mode` is full (words and meaning), text (words alone) or scan, `notice` says
    what was out of reach, and `why` what each score is made of.

    Args:
        query: Any words of it.
        type: Only this kind.
        store: Only this store.
        limit: The most answers.
        min_importance: Only what is at least this important.
        recursive_depth: Passes (at most 3) that follow tags and rare words from what was found.
        merged: Also ask the Neo4j for what another machine wrote, listed last; left out, where one is set up.
    """
    hits = agent.memory.recall(
        query,
        limit=limit,
        type=type_ or "",
        store=store,
        min_importance=min_importance,
        recursive_depth=recursive_depth,
    )
    lines = [_line(hit, with_depth=recursive_depth > 0) for hit in hits]
    if not hits:
        lines = [f"Nothing is remembered about that; it was searched {hits.how}."]
    elif hits.mode == "scan" or hits.notice:
        lines.append(f"Found {hits.how}.")
    items, notice = [_serialize_hit(hit) for hit in hits], hits.notice
    if agent.services.copies_graphs if merged is None else merged:
        others, missing = elsewhere(
            agent, query, limit - len(items), type_=type_ or "", store=store, min_importance=min_importance
        )
        items += others
        lines += [f"- **{one['id']}** [neo4j] [{one['type']}] — {one['content']}" for one in others]
        notice = "; ".join(filter(None, [notice, missing]))
    return {"items": items, "count": len(items), "mode": hits.mode, "notice": notice, "text": "\n".join(lines)}


def memory_consolidate(
    agent: Agent,
    *,
    min_importance: Fraction = 0.6,
    min_access_count: int = 2,
    dry_run: bool = False,
    summarize: bool = True,
) -> dict[str, Any]:
    """Promote what is important or often recalled to long-term memory, related items merged into one.

    Args:
        min_importance: What is at least this important is promoted.
        min_access_count: What was recalled at least this often is promoted.
        dry_run: Tell what would happen, and change nothing.
        summarize: Merge items whose tags overlap; otherwise each is promoted as it is.
    """
    told = None if dry_run else of_group(agent.services.model)
    done = agent.memory.consolidate(min_importance, min_access_count, dry_run, summarize, summarise=told)
    candidates = sum(len(promotion.sources) for promotion in done.promotions)
    became = "would become" if dry_run else "became"
    return {
        "candidates": candidates,
        "consolidated": 0 if dry_run else len(done.promoted),
        "dry_run": dry_run,
        "groups": [_group(promotion) for promotion in done.promotions],
        "items": [as_record(item) for item in done.promoted],
        "text": f"{candidates} memories {became} {len(done.promotions)} long-term ones.",
    }


def memory_checkpoint(
    agent: Agent,
    *,
    context: Text,
    decisions: list[str] | None = None,
    findings: list[str] | None = None,
    next_steps: list[str] | None = None,
    open_questions: list[str] | None = None,
) -> dict[str, Any]:
    """Write a session checkpoint: what was being done, decided, found, planned and left open.

    Args:
        context: What the agent is working on.
        decisions: Active decisions.
        findings: Key findings.
        next_steps: What to go on with.
        open_questions: What is not resolved.
    """
    checkpoint = Checkpoint(context, decisions or (), findings or (), next_steps or (), open_questions or ())
    path = agent.memory.checkpoint(checkpoint)
    name = path.relative_to(agent.memory.directory).as_posix()
    return {"path": name, "content": path.read_text(encoding="utf-8"), "text": f"Checkpoint written to {name}."}


def memory_status(agent: Agent) -> dict[str, Any]:
    """Return how many items each store holds, and the newest ones."""
    status = agent.memory.status()
    newest = agent.memory.recent()
    counts = ", ".join(f"{status[name]} {name}" for name in ("working", "short_term", "long_term"))
    return {**status, "recent": [as_record(item) for item in newest], "text": f"{counts}."}


def _serialize_hit(hit: MemoryHit) -> dict[str, Any]:
    where = {"path": hit.path, "line": hit.line} if hit.item is None else {**as_record(hit.item), "store": hit.store}
    why = {signal: round(share, 4) for signal, share in hit.why.items()}
    relevance = None if hit.relevance is None else round(hit.relevance, 2)
    told = {"content": hit.content, "score": round(hit.score, 4), "relevance": relevance, "depth": hit.depth}
    return {**where, **told, "why": why}


def _line(hit: MemoryHit, *, with_depth: bool) -> str:
    """Return a hit in the output format of S0 section 9; an ordinary recall has no depth to tell."""
    if hit.item is None:
        return f"- **{hit.path}:{hit.line}** — {hit.content}"
    depth = f", depth: {hit.depth}" if with_depth else ""
    via = " (via refinement)" if hit.depth else ""
    head = f"- **{hit.item.id}** [{hit.store}] [{hit.item.type}] (imp: {hit.item.importance:g}{depth})"
    return f"{head} — {hit.content}{via}"


def _group(promotion: Promotion) -> dict[str, Any]:
    return {
        "sources": [source.id for source in promotion.sources],
        "content": promotion.item.content,
        "importance": promotion.item.importance,
        "tags": list(promotion.item.tags),
    }


TOOLS = [
    Tool.of(memory_store_item, module="Memory", writes=True),
    Tool.of(memory_recall, module="Memory", writes=False),
    Tool.of(memory_consolidate, module="Memory", writes=True),
    Tool.of(memory_checkpoint, module="Memory", writes=True),
    Tool.of(memory_status, module="Memory", writes=False),
]


if TYPE_CHECKING:
    from mabos.backends.graph.model import Node
    from mabos.tools.runtime.services import Agent


def elsewhere(
    agent: Agent, query: str, limit: int, *, type_: str, store: str, min_importance: float
) -> tuple[list[dict[str, Any]], str]:
    """Return this agent's memories written by other machines, best first, and why none could be queried, or "".

    The copy is queried, never trusted: memories in the agent's own files are reported from them alone.
    """
    copy = agent.services.graph(agent.business_id).copy
    if copy is None:
        return [], f"not merged: {WITHOUT}"
    own = record_uid(agent.id, "")
    try:
        if query:
            found = [one.node for one in copy.tier.search(query, ["memory_item"], limit=8 * limit)]
        else:
            found = copy.tier.find(["memory_item"], [NodeCondition("store", "=", "long_term")], limit=8 * limit)
    except Unavailable as error:
        return [], f"not merged: {error.message}"
    wanted = (
        node
        for node in found
        if node.uid.startswith(own)
        and type_ in ("", node.properties.get("kind"))
        and store in ("all", node.properties.get("store"))
        and float(node.properties.get("importance", 0.0)) >= min_importance
        and str(node.properties.get("id", "")) not in agent.memory
    )
    return [_item_elsewhere(node) for node, _ in zip(wanted, range(limit), strict=False)], ""


def _item_elsewhere(node: Node) -> dict[str, Any]:
    known = dict(node.properties)
    return {**known, "type": known.pop("kind", "observation"), "content": node.text, "by": "neo4j"}

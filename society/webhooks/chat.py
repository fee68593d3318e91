"""Interpretation of Slack events: messages to the agent they name, else the chief executive, never as beliefs."""

import re

from mabos.society.webhooks.events import CHALLENGE, WebhookEvent
from mabos.society.webhooks.meaning import AgentNotice, EventMeaning

_NAMED = re.compile(r"\s*(?:<@\w+>\s*)?@?(?P<role>[a-z]+)\s*[:,]\s*(?P<text>.+)", re.IGNORECASE | re.DOTALL)
_LONGEST = 4_000
OTHERWISE = "ceo"


def interpret_event(event: WebhookEvent, roles: frozenset[str]) -> EventMeaning:
    """Return the meaning of a Slack event for a company with these roles."""
    if event.kind == CHALLENGE:
        return EventMeaning()
    told = event.content
    text = str(told.get("text") or "").strip()[:_LONGEST]
    if event.kind not in ("message", "app_mention") or told.get("subtype"):
        return EventMeaning(why_kept=f"nothing here follows from {told.get('subtype') or event.kind}")
    if told.get("bot_id") or not text:
        return EventMeaning(why_kept="a program wrote it, or nobody anything")
    named = _NAMED.match(text)
    role = named["role"].lower() if named and named["role"].lower() in roles else OTHERWISE
    where, who = str(told.get("channel") or "a channel"), str(told.get("user") or "somebody")
    return EventMeaning(told=(AgentNotice(role, f"Slack, {where}, {who}: {text}"),))

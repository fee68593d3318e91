"""CRM: contacts, deals and their stages, and what a lead is worth (TOOLS.md, CRM)."""

from tools.declaration import Tool

TOOLS: list[Tool] = []

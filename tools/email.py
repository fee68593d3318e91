"""Mail to customers: one letter or a campaign (TOOLS.md, Email)."""

from tools.declaration import Tool

TOOLS: list[Tool] = []

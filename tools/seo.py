"""Search: what is wrong with pages, and where they rank (TOOLS.md, SEO analytics)."""

from tools.declaration import Tool

TOOLS: list[Tool] = []

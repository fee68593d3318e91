"""An MCP server's description of its tools, and its answers to calls: untrusted data."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True, slots=True)
class ListedTool:
    """A tool as a server describes it."""

    name: str
    title: str
    description: str
    input_schema: Mapping[str, Any]
    hints: Mapping[str, bool] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class ToolAnswer:
    """A server's answer to a call: its text, and its structured answer if it gave one."""

    text: str
    structured: Any = None
    is_error: bool = False

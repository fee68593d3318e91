"""Settings of the MCP servers whose tools agents may use: connection, and treatment of their tools by governance."""

from collections.abc import Mapping
from typing import Annotated, Final, Literal, Self
from urllib.parse import urlsplit

from pydantic import Field, model_validator

from mabos.configs.section import Count, SettingsSection

ToolClass = Literal["read", "write", "outward", "ask", "hidden"]
"""The treatment of a tool by governance.

`read` changes nothing. `write` changes something that can be put right. `outward` leaves the company or is final, so
that the owner's profile decides. `ask` asks the owner about each call. `hidden` is not offered.
"""
SERVER_NAME: Final = r"^[a-z][a-z0-9_]{0,29}$"
ServerName = Annotated[str, Field(pattern=SERVER_NAME)]


class ToolServerSettings(SettingsSection):
    """An MCP server: a program that speaks over standard input and output, or a streamable HTTP address.

    Secrets stay in the environment: `env_from` names the variables passed to a program, `token_env` the one with the
    bearer token for an address. The first pattern of `tools` that matches a tool's name decides its class.
    """

    command: tuple[str, ...] = ()
    url: str = ""
    env: Mapping[str, str] = {}
    env_from: tuple[str, ...] = ()
    token_env: str = ""
    tools: Mapping[str, ToolClass] = {}
    trust_hints: bool = False
    agents: tuple[str, ...] = ()
    connect_s: float = Field(default=45, gt=0, le=600)
    timeout_s: float = Field(default=30, gt=0, le=3600)
    answer_kb: Count = 64
    calls_a_day: Annotated[int, Field(ge=0)] | None = None
    cost_usd: float = Field(default=0, ge=0, le=1e9)
    key_argument: str = ""

    @model_validator(mode="after")
    def _is_reached_one_way(self) -> Self:
        if bool(self.command) == bool(self.url):
            raise ValueError("needs either command (a list: program and arguments) or url")
        if self.url and urlsplit(self.url).scheme not in ("http", "https"):
            raise ValueError(f"url {self.url!r} is not a URL; expected for example https://tools.example/mcp")
        if self.url and "@" in urlsplit(self.url).netloc:
            raise ValueError("do not put a password into the file; name the variable of a token in token_env")
        return self

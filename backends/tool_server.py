"""A client for one MCP server: connected when first needed, limited in time and size, reconnected after a crash.

    server = ToolServer("time", pipe=lambda: ServerPipe(["uvx", "mcp-server-time"], {}, folder))
    server.listed()                                      # its tools, as it describes them now
    server.call("get_current_time", {"timezone": "UTC"}, timeout_s=10).text
    server.close()

If a server hangs, dies, floods or answers rubbish, the caller gets `Unavailable` that names it and says whether a call
may have had its effect. After two failures in a row it is not called for a while (`graph/breaker.py`).
"""

import logging
import math
from collections.abc import Callable, Mapping
from concurrent.futures import CancelledError, Future
from contextlib import AsyncExitStack
from dataclasses import dataclass
from threading import RLock
from typing import TYPE_CHECKING, Any, Final, TypeVar

import anyio
from anyio.from_thread import BlockingPortal, start_blocking_portal
from mcp import Client
from mcp.client.streamable_http import streamable_http_client
from mcp.shared.exceptions import MCPError

from mabos.backends.graph.breaker import Breaker
from mabos.backends.shown import sanitize_text
from mabos.backends.tool_listing import ListedTool, ToolAnswer
from mabos.backends.tool_pipe import LONGEST_LINE, ServerPipe
from mabos.configs.errors import InvalidArgument, Unavailable

if TYPE_CHECKING:
    import httpx2
    import mcp_types as types

LOG = logging.getLogger(__name__)
Answer = TypeVar("Answer")
_PAGES, _TOOLS = 20, 500
_PING_S, _CLOSING_S, _SLACK_S = 3.0, 8.0, 5.0
_NO_SUCH_TOOL: Final = (-32601, -32602)
"""Error codes with which a server refuses a call before it does anything."""


@dataclass(slots=True)
class _Session:
    """An open connection: the client, and the event that ends its task."""

    client: Client
    stop: anyio.Event
    task: "Future[None]"
    is_suspect: bool = False


class ToolServer:
    """A connection to one server, shared by threads, given a `pipe`, or a `url` with an HTTP client."""

    def __init__(
        self,
        name: str,
        *,
        pipe: Callable[[], ServerPipe] | None = None,
        url: str = "",
        token: str = "",
        connect_s: float = 15.0,
        answer_bytes: int = 65_536,
        on_change: Callable[[], None] = lambda: None,
    ) -> None:
        self.name = name
        self._pipe, self._url, self._token = pipe, url, token
        self._connect_s, self._answer_bytes, self._on_change = connect_s, answer_bytes, on_change
        self._guard = RLock()
        self._portal: BlockingPortal | None = None
        self._leave: Callable[[], object] = lambda: None
        self._session: _Session | None = None
        self._transport: ServerPipe | None = None
        self._breaker = Breaker(self._probe)

    def listed(self) -> list[ListedTool]:
        """Return the tools that the server offers now; raises `Unavailable`."""
        return self._breaker.call(lambda: self._call_session(self._list, self._connect_s, "did not list its tools", ""))

    def call(self, tool: str, arguments: Mapping[str, Any], *, timeout_s: float, key: str = "") -> ToolAnswer:
        """Return the server's answer to a call of one of its tools.

        `key` is sent as `idempotency-key` in the metadata of the request. Raises `InvalidArgument` if the server
        refuses the call before it does anything, and `Unavailable` for any other failure.
        """
        meta: Any = {"idempotency-key": key} if key else None

        async def ask(client: Client) -> ToolAnswer:
            result = await client.call_tool(tool, dict(arguments), read_timeout_seconds=timeout_s, meta=meta)
            return self._cut(result)

        unsure = "; whether the call had an effect is not known"
        answer: ToolAnswer = self._breaker.call(
            lambda: self._call_session(ask, timeout_s, f"did not answer {tool}", unsure)
        )
        return answer

    def close(self) -> None:
        """End the connection and the program behind it, if any; closing twice is allowed."""
        with self._guard:
            self._drop()
            leave, self._leave, self._portal = self._leave, lambda: None, None
        leave()

    def _call_session(self, ask: Callable[[Client], Any], seconds: float, lapse: str, unsure: str) -> Any:
        """Return the result of `ask` on an open connection within a time limit, with every failure in words."""
        session = self._open()
        portal = self._running()

        async def ask_with_timeout() -> Any:
            with anyio.fail_after(seconds):
                return await ask(session.client)

        future = portal.start_task_soon(ask_with_timeout)
        try:
            return future.result(timeout=seconds + _SLACK_S)
        except (TimeoutError, CancelledError) as error:
            future.cancel()
            session.is_suspect = True
            raise Unavailable(f"MCP server {self.name} {lapse} within {seconds:g} s{unsure}") from error
        except MCPError as error:
            raise self._translate_error(session, error, lapse, unsure) from error
        except InvalidArgument:
            raise
        except Exception as error:  # the SDK raises many kinds for what a server may answer
            session.is_suspect = True
            said = f"sent an invalid MCP answer ({type(error).__name__})"
            raise Unavailable(f"MCP server {self.name} {said}{self._why()}{unsure}") from error

    def _translate_error(self, session: _Session, error: MCPError, lapse: str, unsure: str) -> Exception:
        if error.code in _NO_SUCH_TOOL:
            return InvalidArgument(f"MCP server {self.name} refused the call: {_short(str(error))}")
        if error.code == -32001 or "timed out" in str(error).lower():
            session.is_suspect = True
            return Unavailable(f"MCP server {self.name} {lapse} in its time{unsure}")
        session.is_suspect = True
        return Unavailable(f"MCP server {self.name} {lapse}: {_short(str(error))}{self._why()}{unsure}")

    def _why(self) -> str:
        """Return the last output of the program behind a connection, if there is any."""
        if self._transport is None:
            return ""
        said = "; ".join(filter(None, (self._transport.fault, self._transport.last_words)))
        return f" [{_short(said)}]" if said else ""

    def _open(self) -> _Session:
        """Return the open connection; one that ended, or that does not answer any more, is made again."""
        with self._guard:
            session = self._session
            if session is not None and (session.task.done() or (session.is_suspect and not self._answers(session))):
                self._drop()
                session = None
            if session is None:
                session = self._session = self._connect_server()
            session.is_suspect = False
            return session

    def _answers(self, session: _Session) -> bool:
        async def ping() -> None:
            with anyio.fail_after(_PING_S):
                await session.client.list_tools(cache_mode="refresh")

        try:
            self._running().start_task_soon(ping).result(timeout=_PING_S + _SLACK_S)
        except Exception:  # noqa: BLE001  # whatever it is, the connection is of no use
            return False
        return True

    def _connect_server(self) -> _Session:
        transport = self._transport = self._pipe() if self._pipe else None
        stop = anyio.Event()

        async def serve(*, task_status: "anyio.abc.TaskStatus[Client]") -> None:
            with anyio.move_on_after(self._connect_s) as patience:
                async with AsyncExitStack() as stack:
                    streams: Any = transport.streams() if transport else await self._over_http(stack)
                    client = await stack.enter_async_context(Client(streams, message_handler=self._receive_message))
                    patience.deadline = math.inf
                    task_status.started(client)
                    await stop.wait()
            if patience.cancelled_caught:
                raise TimeoutError

        try:
            task, client = self._running().start_task(serve)
        except BaseException as error:  # a task group wraps what went wrong; what is no Exception goes on below
            causes = _causes(error)
            said = "did not answer" if any(isinstance(one, TimeoutError) for one in causes) else _short(str(causes[0]))
            message = f"MCP server {self.name} cannot be reached: {said}{self._why()}"
            if not isinstance(error, Exception):
                raise
            raise Unavailable(message) from error
        self._on_change()  # a program that was started again may be another one
        return _Session(client, stop, task)

    async def _over_http(self, stack: AsyncExitStack) -> Any:
        http = await stack.enter_async_context(_bounded_http(self._token, self._connect_s))
        return streamable_http_client(self._url, http_client=http, max_sse_event_size=LONGEST_LINE)

    async def _list(self, client: Client) -> list[ListedTool]:
        tools, cursor = list["types.Tool"](), None
        for _ in range(_PAGES):
            page = await client.list_tools(cursor=cursor, cache_mode="refresh")
            tools += page.tools
            cursor = page.next_cursor
            if cursor is None or len(tools) >= _TOOLS:
                break
        return [_describe_tool(one) for one in tools[:_TOOLS]]

    async def _receive_message(self, message: object) -> None:
        if getattr(message, "method", "") == "notifications/tools/list_changed":
            self._on_change()

    def _cut(self, result: "types.CallToolResult") -> ToolAnswer:
        """Return an answer in at most so many bytes; omitted bytes are counted."""
        texts = [_text(block) for block in result.content]
        text = sanitize_text("\n".join(filter(None, texts)))
        size = len(text.encode())
        if size > self._answer_bytes:
            kept = text.encode()[: self._answer_bytes].decode(errors="ignore")
            text = f"{kept}\n[{size - self._answer_bytes:,} more bytes of the answer are left out]"
        structured = result.structured_content
        if structured is not None and len(repr(structured)) > self._answer_bytes:
            structured = None
        return ToolAnswer(text, structured, bool(result.is_error))

    def _probe(self) -> None:
        self._call_session(self._list, self._connect_s, "did not list its tools", "")

    def _running(self) -> BlockingPortal:
        with self._guard:
            if self._portal is None:
                holder = start_blocking_portal(name=f"mcp-{self.name}")
                self._portal = holder.__enter__()
                self._leave = lambda: holder.__exit__(None, None, None)
            return self._portal

    def _drop(self) -> None:
        session, self._session = self._session, None
        if session is None or self._portal is None:
            return
        try:
            self._portal.call(session.stop.set)
            session.task.result(timeout=_CLOSING_S)
        except Exception as error:  # noqa: BLE001  # it is let go whatever it says
            LOG.debug("MCP server %s: %s", self.name, error)
            session.task.cancel()


def _bounded_http(token: str, connect_s: float) -> "httpx2.AsyncClient":
    """Return a client that sends the token to its address alone, and reads so much of an answer and no more."""
    import httpx2

    class BoundedTransport(httpx2.AsyncHTTPTransport):
        async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
            """Refuse an answer that says that it is too large."""
            response = await super().handle_async_request(request)
            if int(response.headers.get("content-length") or 0) > LONGEST_LINE:
                await response.aclose()
                raise httpx2.ReadError(f"its answer is larger than {LONGEST_LINE >> 20} MiB")
            return response

    headers = {"Authorization": f"Bearer {token}"} if token else {}
    timeout = httpx2.Timeout(connect_s, read=None)  # each request has a time of its own
    return httpx2.AsyncClient(headers=headers, timeout=timeout, transport=BoundedTransport())


def _describe_tool(tool: "types.Tool") -> ListedTool:
    hints = tool.annotations.model_dump(exclude_none=True) if tool.annotations else {}
    title = tool.title or str(hints.get("title") or "")
    flags = {name: value for name, value in hints.items() if isinstance(value, bool)}
    return ListedTool(
        tool.name, sanitize_text(title), sanitize_text(tool.description or ""), dict(tool.input_schema), flags
    )


def _text(block: Any) -> str:
    """Return a block of an answer as text; a picture or a sound is named with its size."""
    if block.type == "text":
        return str(block.text)
    if block.type == "resource":
        inner = block.resource
        return str(getattr(inner, "text", "")) or f"[{inner.mime_type or 'binary'} of {inner.uri}]"
    if block.type == "resource_link":
        return f"[{block.name}: {block.uri}]"
    return f"[{block.type}, {getattr(block, 'mime_type', '')}, {len(getattr(block, 'data', '')) * 3 // 4:,} bytes]"


def _causes(error: BaseException) -> list[BaseException]:
    """Return the errors inside groups of errors, first the one that says most."""
    if isinstance(error, BaseExceptionGroup):
        inner = [one for each in error.exceptions for one in _causes(each)]
        return sorted(inner, key=lambda one: not str(one)) or [error]
    return [error]


def _short(text: str) -> str:
    line = " ".join(sanitize_text(text).split())
    return line if len(line) <= 300 else f"{line[:299]}…"

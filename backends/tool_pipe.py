"""MCP over the standard input and output of a program that we start, with limits that the SDK's transport lacks.

A server whose lines exceed the maximum is ended with an error. Of standard error only the last lines are kept, to name
the cause when it ends. The program and its children end with us.
"""

import os
import re
import signal
from collections import deque
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING

import anyio
import mcp_types as types
from mcp.shared.message import SessionMessage

if TYPE_CHECKING:
    from anyio.abc import ByteReceiveStream, Process
    from anyio.streams.memory import MemoryObjectReceiveStream, MemoryObjectSendStream

    Incoming = SessionMessage | Exception
    Streams = tuple[MemoryObjectReceiveStream[Incoming], MemoryObjectSendStream[SessionMessage]]

LONGEST_LINE = 8 * 2**20
"""Bytes of one message; a server that writes more without an end of line is ended."""
_LAST_LINES, _LAST_LINE, _GRACE_S = 2, 300, 2.0
_WORD = re.compile(r"\w")


class ServerPipe:
    """A transport for the SDK's `Client`; afterwards `last_words` and `fault` explain why the program ended.

    The program gets the variables of `env` and no others, and works in `folder`.
    """

    def __init__(self, command: Sequence[str], env: Mapping[str, str], folder: Path) -> None:
        self._command, self._env, self._folder = list(command), dict(env), folder
        self._said: deque[str] = deque(maxlen=_LAST_LINES)
        self.fault = ""

    @property
    def last_words(self) -> str:
        """The program's last output to standard error, on one line."""
        return " / ".join(self._said)

    @asynccontextmanager
    async def streams(self) -> "AsyncIterator[Streams]":
        """Start the program and yield its output and input streams; raises `OSError` if it cannot be started."""
        process = await anyio.open_process(
            self._command, env=self._env, cwd=self._folder, start_new_session=os.name == "posix"
        )
        incoming, reading = anyio.create_memory_object_stream["Incoming"](0)
        writing, outgoing = anyio.create_memory_object_stream[SessionMessage](0)
        try:
            async with anyio.create_task_group() as tasks, incoming, reading, writing, outgoing:
                tasks.start_soon(self._read, process, incoming)
                tasks.start_soon(self._listen, process)
                tasks.start_soon(self._write, process, outgoing, incoming)
                try:
                    yield reading, writing
                finally:
                    tasks.cancel_scope.cancel()
        finally:
            with anyio.CancelScope(shield=True):
                await _end(process)

    async def _read(self, process: "Process", incoming: "MemoryObjectSendStream[Incoming]") -> None:
        assert process.stdout is not None  # noqa: S101 - opened with pipes
        try:
            async with incoming:
                async for line in _lines(process.stdout):
                    if line.strip():
                        await incoming.send(_message(line))
        except ValueError as error:
            self.fault = str(error)
        except (anyio.BrokenResourceError, anyio.ClosedResourceError, OSError):
            return  # either side is gone; the session sees the end of its stream

    async def _listen(self, process: "Process") -> None:
        assert process.stderr is not None  # noqa: S101 - opened with pipes
        rest = b""
        with suppress(anyio.BrokenResourceError, anyio.ClosedResourceError, OSError):
            async for chunk in process.stderr:
                *lines, rest = (rest + chunk)[-(2**16) :].split(b"\n")
                said = (line.decode(errors="replace").strip()[:_LAST_LINE] for line in lines)
                self._said.extend(line for line in said if _WORD.search(line) and not line.startswith("File "))

    async def _write(
        self,
        process: "Process",
        outgoing: "MemoryObjectReceiveStream[SessionMessage]",
        incoming: "MemoryObjectSendStream[Incoming]",
    ) -> None:
        assert process.stdin is not None  # noqa: S101 - opened with pipes
        try:
            async for message in outgoing:
                await process.stdin.send(message.message.model_dump_json(by_alias=True, exclude_unset=True).encode())
                await process.stdin.send(b"\n")
        except (anyio.BrokenResourceError, anyio.ClosedResourceError, OSError):
            await incoming.aclose()  # else a request would wait for its whole time


async def _lines(stream: "ByteReceiveStream") -> AsyncIterator[bytes]:
    """Yield lines; raises `ValueError` for one that is longer than any message may be."""
    pieces, size = list[bytes](), 0
    async for chunk in stream:
        head, *others = chunk.split(b"\n")
        pieces.append(head)
        size += len(head)
        if size > LONGEST_LINE:
            raise ValueError(f"it wrote more than {LONGEST_LINE >> 20} MiB without a line break")
        for other in others:
            yield b"".join(pieces)
            pieces, size = [other], len(other)


def _message(line: bytes) -> "Incoming":
    try:
        return SessionMessage(types.jsonrpc_message_adapter.validate_json(line, by_name=False))
    except ValueError as error:
        return error


async def _end(process: "Process") -> None:
    """End a program and all that it started: its input is closed, then it is asked, then it is ended."""
    with suppress(Exception):
        if process.stdin is not None:
            await process.stdin.aclose()
    with anyio.move_on_after(_GRACE_S / 4):
        await process.wait()
    for number in (signal.SIGTERM, getattr(signal, "SIGKILL", signal.SIGTERM)):
        with suppress(ProcessLookupError, PermissionError):  # none of it is left
            os.killpg(process.pid, number) if os.name == "posix" else process.kill()
        with anyio.move_on_after(_GRACE_S):
            await process.wait()
        if process.returncode is not None and not _is_left(process.pid):
            break
    await process.aclose()


def _is_left(group: int) -> bool:
    if os.name != "posix":
        return False
    try:
        os.killpg(group, 0)
    except (ProcessLookupError, PermissionError):
        return False
    return True

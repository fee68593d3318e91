"""Faulty servers on this machine: they refuse, hang, return garbage, or die while answering."""

import socket
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from threading import Event, Lock, Thread
from typing import Literal

Manner = Literal["refuses", "hangs", "garbage", "dies"]
MANNERS: tuple[Manner, ...] = ("refuses", "hangs", "garbage", "dies")

_GARBAGE = b'\x00\xff\x17<html>\r\n\r\n{"a": [1, 2,'
_HALF = b'HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 5000\r\n\r\n{"choices": [{"mess'
_LISTENING = 0.2  # seconds after which the accepting thread looks whether it is over


class Neighbour:
    """A separate port on 127.0.0.1, and a count of connections."""

    def __init__(self, manner: Manner) -> None:
        self.manner = manner
        self.knocks = 0
        self._socket = socket.socket()
        self._socket.bind(("127.0.0.1", 0))
        self.port: int = self._socket.getsockname()[1]
        self._is_over = Event()
        self._guard = Lock()
        self._held: list[socket.socket] = []
        if manner != "refuses":  # bound and never listening: the port is ours, and refuses
            self._socket.listen(64)
            self._socket.settimeout(_LISTENING)
            Thread(target=self._accept, daemon=True).start()

    def close(self) -> None:
        """Release the port and any waiting clients."""
        self._is_over.set()
        self._socket.close()
        with self._guard:
            for one in self._held:
                one.close()

    def _accept(self) -> None:
        while not self._is_over.is_set():
            with suppress(TimeoutError, OSError):
                one, _ = self._socket.accept()
                with self._guard:
                    self.knocks += 1
                    self._held.append(one)
                if self.manner != "hangs":
                    Thread(target=self._answer, args=(one,), daemon=True).start()

    def _answer(self, one: socket.socket) -> None:
        with suppress(OSError):
            one.settimeout(5)
            one.recv(1 << 16)
            one.sendall(_GARBAGE if self.manner == "garbage" else _HALF)
            one.shutdown(socket.SHUT_RDWR)
            one.close()


@contextmanager
def neighbour(manner: Manner) -> Iterator[Neighbour]:
    """Yield a server with this behaviour, and close it."""
    made = Neighbour(manner)
    try:
        yield made
    finally:
        made.close()

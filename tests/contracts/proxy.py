"""A TCP proxy that can be told to refuse, to stay silent, to be slow, or to die in the middle of what is sent."""

import socket
from contextlib import suppress
from threading import Event, Lock, Thread
from time import sleep
from types import TracebackType
from typing import Literal, Self

Mode = Literal["pass", "refuse", "silent"]


class Proxy:
    """A port of its own on 127.0.0.1 in front of another; the port stays the same whatever the mode."""

    def __init__(self, host: str, port: int) -> None:
        self._target = (host, port)
        self._held = socket.socket()  # bound and never listening: the port is ours, and refuses
        self._held.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEPORT, 1)
        self._held.bind(("127.0.0.1", 0))
        self.port: int = self._held.getsockname()[1]
        self.accepted = 0
        self.delay_s = 0.0
        self._left: int | None = None
        self._silent = Event()
        self._guard = Lock()
        self._open: set[socket.socket] = set()
        self._listener: socket.socket | None = None
        self.turn("pass")

    def turn(self, mode: Mode) -> None:
        """Behave so from now on; `refuse` also cuts what is connected, `silent` keeps it and forwards nothing."""
        if mode == "silent":
            self._silent.set()
        else:
            self._silent.clear()
        if mode == "refuse":
            self._stop_listening()
            self.cut()
        elif self._listener is None:
            self._listen()

    def cut(self) -> None:
        """End every connection now."""
        with self._guard:
            ended, self._open = self._open, set()
        for one in ended:
            _end(one)

    def cut_after(self, sent: int | None) -> None:
        """End every connection as soon as `sent` more bytes have gone to the server; None takes it back."""
        with self._guard:
            self._left = sent

    def close(self) -> None:
        """End everything and free the port."""
        self._stop_listening()
        self.cut()
        self._held.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, value: BaseException | None, at: TracebackType | None) -> None:
        self.close()

    def _listen(self) -> None:
        listener = socket.socket()
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEPORT, 1)
        listener.bind(("127.0.0.1", self.port))
        listener.listen(64)
        self._listener = listener
        Thread(target=self._accept, args=(listener,), daemon=True).start()

    def _stop_listening(self) -> None:
        listener, self._listener = self._listener, None
        if listener is not None:
            _end(listener)

    def _accept(self, listener: socket.socket) -> None:
        with suppress(OSError):
            while True:
                client, _ = listener.accept()
                self.accepted += 1
                with self._guard:
                    self._open.add(client)
                Thread(target=self._serve, args=(client,), daemon=True).start()

    def _serve(self, client: socket.socket) -> None:
        while self._silent.is_set():
            sleep(0.005)
        try:
            server = socket.create_connection(self._target)
        except OSError:
            _end(client)
            return
        with self._guard:
            self._open.add(server)
        Thread(target=self._forward, args=(server, client), kwargs={"is_sent": False}, daemon=True).start()
        self._forward(client, server, is_sent=True)

    def _forward(self, source: socket.socket, target: socket.socket, *, is_sent: bool) -> None:
        with suppress(OSError):
            while data := source.recv(65536):
                while self._silent.is_set():
                    sleep(0.005)
                if self.delay_s:
                    sleep(self.delay_s)
                if is_sent and self._is_last(data):
                    self.cut()
                    return
                target.sendall(data)
        _end(target)
        _end(source)

    def _is_last(self, data: bytes) -> bool:
        with self._guard:
            if self._left is None:
                return False
            self._left -= len(data)
            if self._left > 0:
                return False
            self._left = None
            return True


def _end(one: socket.socket) -> None:
    with suppress(OSError):
        one.shutdown(socket.SHUT_RDWR)
    one.close()

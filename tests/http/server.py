"""A server that gives the replies of a script, one after the other, and keeps what it was asked."""

import re
import socket
import ssl
import threading
import time
from dataclasses import dataclass, field


@dataclass
class Reply:
    """Bytes to send; `delay` before the first, `slow` after each byte of the body (seconds)."""

    data: bytes
    delay: float = 0
    slow: float = 0


@dataclass
class Server:
    replies: list = field(default_factory=list)
    requests: list = field(default_factory=list)
    tls: ssl.SSLContext | None = None

    def __enter__(self):
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.port = self.listener.getsockname()[1]
        threading.Thread(target=self._accept, daemon=True).start()
        return self

    def __exit__(self, *_):
        # closing alone would leave the accept of the other thread waiting
        self.listener.shutdown(socket.SHUT_RDWR)
        self.listener.close()

    def _accept(self):
        while True:
            try:
                connection, _ = self.listener.accept()
            except OSError:
                return
            threading.Thread(target=self._serve, args=(connection,), daemon=True).start()

    def _serve(self, connection):
        try:
            connection.settimeout(20)
            if self.tls:
                connection = self.tls.wrap_socket(connection, server_side=True)
            head = b""
            while b"\r\n\r\n" not in head:
                piece = connection.recv(65536)
                if not piece or (not head and piece[0] == 0x16):
                    return  # nothing more, or TLS where none is spoken
                head += piece
            self.requests.append(head.decode("latin-1"))
            self.answer(connection, head)
        except OSError:
            pass
        finally:
            connection.close()

    def answer(self, connection, head):
        """The next reply of the script, whatever was asked."""
        if self.replies:
            self._send(connection, self.replies.pop(0))

    @staticmethod
    def _send(connection, reply):
        time.sleep(reply.delay)
        if not reply.slow:
            connection.sendall(reply.data)
            return
        head, body = re.split(rb"(?<=\r\n\r\n)", reply.data, maxsplit=1)
        connection.sendall(head)
        for byte in body:
            connection.sendall(bytes([byte]))
            time.sleep(reply.slow)

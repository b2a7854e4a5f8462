"""Passes requests on to the real server, but makes some of them fail."""

from __future__ import annotations

import http.client
import json
import threading
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Self
from urllib.parse import urlsplit


@dataclass
class Fault:
    """Applies to the next `times` requests of a path."""

    path: str
    times: int = 1
    status: int | None = None
    headers: dict[str, str] = field(default_factory=dict)
    #: Lets the server execute the request, and then closes the connection without a response.
    after: bool = False
    #: Changes the server's response.
    change: Callable[[dict[str, Any]], dict[str, Any]] | None = None
    #: Only bodies of at least this size, as sent.
    min_bytes: int = 0


class FaultyProxy:
    def __init__(self, target: str) -> None:
        self.faults: list[Fault] = []
        self.calls: Counter[str] = Counter()
        self.headers: list[dict[str, str]] = []
        self._lock = threading.Lock()
        proxy = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def handle_any(self) -> None:
                proxy.handle(self, urlsplit(target))

            do_GET = do_POST = do_PUT = do_DELETE = handle_any

            def log_message(self, format: str, *args: Any) -> None:
                pass

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self._server.server_address[1]}"

    def __enter__(self) -> Self:
        threading.Thread(target=self._server.serve_forever, args=(0.05,), daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        self._server.shutdown()
        self._server.server_close()

    def _fault_for(self, path: str, size: int) -> Fault | None:
        with self._lock:
            self.calls[path] += 1
            for fault in self.faults:
                if fault.path == path and fault.times > 0 and size >= fault.min_bytes:
                    fault.times -= 1
                    return fault
        return None

    def handle(self, handler: BaseHTTPRequestHandler, target: Any) -> None:
        body = handler.rfile.read(int(handler.headers.get("Content-Length") or 0))
        self.headers.append(dict(handler.headers))
        path = urlsplit(handler.path).path
        fault = self._fault_for(path, len(body))
        if fault is not None and fault.status is not None:
            self._respond(handler, fault.status, fault.headers, b"{}")
            return
        if fault is not None and not fault.after and fault.change is None:
            handler.close_connection = True
            return
        connection = http.client.HTTPConnection(target.hostname, target.port)
        headers = {key: value for key, value in handler.headers.items() if key != "Host"}
        connection.request(handler.command, handler.path, body, headers)
        response = connection.getresponse()
        content = response.read()
        connection.close()
        if fault is not None and fault.after:
            handler.close_connection = True
            return
        if fault is not None and fault.change is not None:
            content = json.dumps(fault.change(json.loads(content))).encode()
        kept = ("Content-Type", "Retry-After", "X-Request-Id")
        passed = {key: value for key, value in response.getheaders() if key.title() in kept}
        self._respond(handler, response.status, passed, content)

    def _respond(
        self, handler: BaseHTTPRequestHandler, status: int, headers: dict[str, str], body: bytes
    ) -> None:
        handler.send_response(status)
        for key, value in headers.items():
            handler.send_header(key, value)
        handler.send_header("Content-Length", str(len(body)))
        handler.end_headers()
        handler.wfile.write(body)

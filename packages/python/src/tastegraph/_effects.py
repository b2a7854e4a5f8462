"""What the logic of the client asks for.

The logic is written once, as generators that yield effects. A driver performs them: with threads
and `httpx.Client` for `Tastegraph`, with tasks and `httpx.AsyncClient` for `AsyncTastegraph`.
"""

from __future__ import annotations

import time
from collections.abc import Generator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol, TypeAlias, TypeVar

from .errors import CallTimeoutError

T = TypeVar("T")
Flow: TypeAlias = Generator["Effect", Any, T]


class Deadline:
    """When a whole call must be over, including its token, retries and pauses."""

    def __init__(self, operation: str, timeout: float) -> None:
        self.operation = operation
        self.timeout = timeout
        self._ends_at = time.monotonic() + timeout

    def remaining(self) -> float:
        return self._ends_at - time.monotonic()

    def check(self) -> float:
        """The seconds that remain. Raises if there are none."""
        remaining = self.remaining()
        if remaining <= 0:
            raise self.error()
        return remaining

    def error(self) -> CallTimeoutError:
        return CallTimeoutError(self.operation, self.timeout)


@dataclass(frozen=True)
class HttpRequest:
    """Answered with an `HttpResponse`."""

    operation: str
    method: str
    url: str
    headers: Mapping[str, str] = field(repr=False)
    body: bytes | None = field(repr=False)
    deadline: Deadline


@dataclass(frozen=True)
class HttpResponse:
    status: int
    headers: Mapping[str, str]
    body: bytes


@dataclass(frozen=True)
class Download:
    """Streams a file of a job's result to `target`, without credentials."""

    url: str = field(repr=False)
    target: Path
    deadline: Deadline


@dataclass(frozen=True)
class Pause:
    seconds: float


class Lock(Protocol):
    def release(self) -> None: ...


@dataclass(frozen=True)
class Acquire:
    """Answered with the `Lock` of this name, once it is free."""

    name: str
    deadline: Deadline


@dataclass(frozen=True)
class Spawn:
    """Runs a flow beside this one. At most `concurrency` of them may be under way."""

    flow: Flow[Any]
    concurrency: int


@dataclass(frozen=True)
class Join:
    """Waits for the first spawned flow that ends. Answered with its result, or raises its error."""


@dataclass(frozen=True)
class Pull:
    """The next element of an asynchronous source, or `END`."""

    source: Any


END: Any = object()

Effect: TypeAlias = HttpRequest | Download | Pause | Acquire | Spawn | Join | Pull

"""Perform the effects of a flow: with threads, or with tasks of asyncio."""

from __future__ import annotations

import asyncio
import math
import queue
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from typing import Any, cast

import httpx

from ._effects import (
    END,
    Acquire,
    Deadline,
    Download,
    Effect,
    Flow,
    HttpRequest,
    HttpResponse,
    Join,
    Pause,
    Pull,
    Spawn,
    T,
)
from ._responses import parse_response
from .errors import ConnectionFailedError, TastegraphError


class SyncDriver:
    def __init__(self, http: httpx.Client) -> None:
        self.http = http
        self._locks: dict[str, threading.Lock] = {}

    def run(self, flow: Flow[T]) -> T:
        threads = _Threads(self)
        try:
            effect = next(flow)
            while True:
                try:
                    result = self._perform(effect, threads)
                except Exception as error:
                    effect = flow.throw(error)
                else:
                    effect = flow.send(result)
        except StopIteration as end:
            return cast("T", end.value)
        finally:
            # Releases locks also after Ctrl-C.
            flow.close()
            threads.close()

    def _perform(self, effect: Effect, threads: _Threads) -> Any:
        match effect:
            case HttpRequest():
                return self._send(effect)
            case Download():
                return self._download(effect)
            case Pause(seconds):
                return time.sleep(seconds)
            case Acquire(name, deadline):
                lock = self._locks.setdefault(name, threading.Lock())
                if not lock.acquire(timeout=_lock_limit(deadline)):
                    raise deadline.error()
                return lock
            case Spawn(flow, concurrency):
                return threads.start(flow, concurrency)
            case Join():
                return threads.join()
            case Pull():
                raise TypeError("Use AsyncTastegraph for an asynchronous source.")

    def _send(self, request: HttpRequest) -> HttpResponse:
        try:
            with self.http.stream(
                request.method,
                request.url,
                headers=request.headers,
                content=request.body,
                timeout=_limit(request.deadline),
                follow_redirects=False,
            ) as response:
                chunks = []
                for chunk in response.iter_bytes():
                    # httpx limits each read, not all of them together.
                    request.deadline.check()
                    chunks.append(chunk)
        except httpx.HTTPError as error:
            raise _translate(error, request.operation, request.deadline) from error
        return HttpResponse(response.status_code, response.headers, b"".join(chunks))

    def _download(self, download: Download) -> None:
        try:
            with self.http.stream(
                "GET", download.url, timeout=_limit(download.deadline), follow_redirects=True
            ) as response:
                if response.status_code != 200:
                    _refuse(response, response.read())
                with download.target.open("wb") as file:
                    for chunk in response.iter_bytes():
                        download.deadline.check()
                        file.write(chunk)
        except httpx.HTTPError as error:
            raise _translate(error, "download", download.deadline) from error


class _Threads:
    """The flows that one flow has spawned."""

    def __init__(self, driver: SyncDriver) -> None:
        self._driver = driver
        self._executor: ThreadPoolExecutor | None = None
        self._ended: queue.SimpleQueue[tuple[Any, BaseException | None]] = queue.SimpleQueue()

    def start(self, flow: Flow[Any], concurrency: int) -> None:
        if self._executor is None:
            self._executor = ThreadPoolExecutor(concurrency, thread_name_prefix="tastegraph")
        self._executor.submit(self._run, flow)

    def _run(self, flow: Flow[Any]) -> None:
        try:
            self._ended.put((self._driver.run(flow), None))
        except BaseException as error:
            self._ended.put((None, error))

    def join(self) -> Any:
        result, error = self._ended.get()
        if error is not None:
            raise error
        return result

    def close(self) -> None:
        if self._executor is not None:
            self._executor.shutdown(wait=True, cancel_futures=True)


class AsyncDriver:
    def __init__(self, http: httpx.AsyncClient) -> None:
        self.http = http
        self._locks: dict[str, asyncio.Lock] = {}

    async def run(self, flow: Flow[T]) -> T:
        tasks = _Tasks(self)
        try:
            effect = next(flow)
            while True:
                try:
                    result = await self._perform(effect, tasks)
                except Exception as error:
                    effect = flow.throw(error)
                else:
                    effect = flow.send(result)
        except StopIteration as end:
            return cast("T", end.value)
        finally:
            # Releases locks also if the task is canceled.
            flow.close()
            await tasks.close()

    async def _perform(self, effect: Effect, tasks: _Tasks) -> Any:
        match effect:
            case HttpRequest():
                return await self._send(effect)
            case Download():
                return await self._download(effect)
            case Pause(seconds):
                return await asyncio.sleep(seconds)
            case Acquire(name, deadline):
                lock = self._locks.setdefault(name, asyncio.Lock())
                try:
                    async with asyncio.timeout(_limit(deadline)):
                        await lock.acquire()
                except TimeoutError:
                    raise deadline.error() from None
                return lock
            case Spawn(flow, _):
                return tasks.start(flow)
            case Join():
                return await tasks.join()
            case Pull(source):
                return await anext(source, END)

    async def _send(self, request: HttpRequest) -> HttpResponse:
        try:
            async with (
                asyncio.timeout(_limit(request.deadline)),
                self.http.stream(
                    request.method,
                    request.url,
                    headers=request.headers,
                    content=request.body,
                    timeout=_limit(request.deadline),
                    follow_redirects=False,
                ) as response,
            ):
                body = await response.aread()
        except httpx.HTTPError as error:
            raise _translate(error, request.operation, request.deadline) from error
        except TimeoutError:
            raise request.deadline.error() from None
        return HttpResponse(response.status_code, response.headers, body)

    async def _download(self, download: Download) -> None:
        try:
            async with self.http.stream(
                "GET", download.url, timeout=_limit(download.deadline), follow_redirects=True
            ) as response:
                if response.status_code != 200:
                    _refuse(response, await response.aread())
                with download.target.open("wb") as file:
                    async for chunk in response.aiter_bytes():
                        download.deadline.check()
                        file.write(chunk)
        except httpx.HTTPError as error:
            raise _translate(error, "download", download.deadline) from error


class _Tasks:
    """The flows that one flow has spawned."""

    def __init__(self, driver: AsyncDriver) -> None:
        self._driver = driver
        self._tasks: set[asyncio.Task[None]] = set()
        self._ended: asyncio.Queue[tuple[Any, Exception | None]] = asyncio.Queue()

    def start(self, flow: Flow[Any]) -> None:
        task = asyncio.create_task(self._run(flow))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _run(self, flow: Flow[Any]) -> None:
        try:
            self._ended.put_nowait((await self._driver.run(flow), None))
        except Exception as error:
            self._ended.put_nowait((None, error))

    async def join(self) -> Any:
        result, error = await self._ended.get()
        if error is not None:
            raise error
        return result

    async def close(self) -> None:
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)


def _limit(deadline: Deadline) -> float | None:
    remaining = deadline.check()
    return None if math.isinf(remaining) else remaining


def _lock_limit(deadline: Deadline) -> float:
    return min(deadline.check(), threading.TIMEOUT_MAX)


def _translate(error: httpx.HTTPError, operation: str, deadline: Deadline) -> TastegraphError:
    # All limits of httpx are the time that remains of the call.
    if isinstance(error, httpx.TimeoutException):
        return deadline.error()
    return ConnectionFailedError(operation, type(error).__name__)


def _refuse(response: httpx.Response, body: bytes) -> None:
    parse_response("download", HttpResponse(response.status_code, response.headers, body))
    raise TastegraphError("download", f"status {response.status_code} instead of 200.")

"""Tokens, retries, time limits and errors, through a proxy that fails."""

from __future__ import annotations

import asyncio
import socket
import threading
import time
from concurrent.futures import ThreadPoolExecutor

import pytest
from faulty_proxy import Fault, FaultyProxy

from tastegraph import (
    ApiError,
    AsyncTastegraph,
    AuthError,
    CallTimeoutError,
    ConnectionFailedError,
    NotFoundError,
    RateLimitError,
    Tastegraph,
    ValidationError,
)


def test_reports_the_error_of_the_service(client: Tastegraph) -> None:
    with pytest.raises(NotFoundError) as missing:
        client.with_options(request_id="from-python").get_project(project_id="prj_none")
    error = missing.value
    assert (error.operation, error.status, error.code) == ("get_project", 404, "NOT_FOUND")
    assert error.request_id == "from-python"
    assert error.detail
    with pytest.raises(ValidationError) as invalid:
        client.create_user_dataset(name="", num_shards=0)
    assert sorted(place["path"] for place in invalid.value.errors) == ["name", "num_shards"]


def test_refuses_wrong_credentials_without_naming_them(client: Tastegraph) -> None:
    settings = client._settings
    with Tastegraph(settings.base_url, settings.api_key, "wrong-secret") as wrong:
        with pytest.raises(AuthError) as refused:
            wrong.list_projects()
        assert refused.value.code == "UNAUTHENTICATED"
        assert "wrong-secret" not in f"{refused.value!r} {wrong!r} {vars(wrong)}"


def test_checks_options_early(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(ValueError, match="base_url"):
        Tastegraph("localhost", "key", "secret")
    with pytest.raises(ValueError, match="unknown operation"):
        Tastegraph("http://localhost", "key", "secret", scopes=["get_nothing"])
    with pytest.raises(ValueError, match="timeout"):
        Tastegraph("http://localhost", "key", "secret", timeout=0)
    monkeypatch.delenv("TASTEGRAPH_API_KEY")
    with pytest.raises(ValueError, match="TASTEGRAPH_API_KEY"):
        Tastegraph()


def test_waits_as_long_as_retry_after_says(proxy: FaultyProxy) -> None:
    proxy.faults.append(Fault("/list-projects", status=429, headers={"Retry-After": "1"}))
    with Tastegraph(proxy.url) as client:
        start = time.monotonic()
        assert "projects" in client.list_projects()
        assert time.monotonic() - start >= 1
    assert proxy.calls["/list-projects"] == 2


@pytest.mark.parametrize("status", [500, 502, 503, 504])
def test_repeats_what_is_idempotent(proxy: FaultyProxy, status: int) -> None:
    proxy.faults.append(Fault("/list-projects", status=status, times=2))
    with Tastegraph(proxy.url) as client:
        assert "projects" in client.list_projects()
    assert proxy.calls["/list-projects"] == 3


def test_never_repeats_a_create_that_may_have_run(proxy: FaultyProxy) -> None:
    with Tastegraph(proxy.url) as client:
        proxy.faults.append(Fault("/create-user-dataset", status=503))
        with pytest.raises(ApiError) as failed:
            client.create_user_dataset(name="once", num_shards=1)
        assert failed.value.code == "UNRECOGNIZED"
        proxy.faults.append(Fault("/create-user-dataset", after=True))
        with pytest.raises(ConnectionFailedError):
            client.create_user_dataset(name="once", num_shards=1)
        assert proxy.calls["/create-user-dataset"] == 2
        # A 429 is sent before any work.
        proxy.faults.append(Fault("/create-user-dataset", status=429))
        assert client.create_user_dataset(name="twice", num_shards=1)["name"] == "twice"


def test_gives_up_after_max_retries(proxy: FaultyProxy) -> None:
    proxy.faults.append(Fault("/list-projects", status=429, times=9))
    with Tastegraph(proxy.url, max_retries=1) as client:
        with pytest.raises(RateLimitError):
            client.list_projects()
        assert proxy.calls["/list-projects"] == 2
        with pytest.raises(RateLimitError):
            client.with_options(max_retries=2).list_projects()
        assert proxy.calls["/list-projects"] == 5


def test_does_not_wait_longer_than_its_timeout(proxy: FaultyProxy) -> None:
    proxy.faults.append(Fault("/list-projects", status=429, headers={"Retry-After": "60"}))
    with Tastegraph(proxy.url, timeout=20) as client:
        start = time.monotonic()
        with pytest.raises(RateLimitError) as refused:
            client.list_projects()
        assert time.monotonic() - start < 60
        assert refused.value.retry_after == 60


def test_limits_the_whole_call() -> None:
    with socket.create_server(("127.0.0.1", 0)) as silent:
        url = f"http://127.0.0.1:{silent.getsockname()[1]}"
        with Tastegraph(url, "key", "secret", timeout=0.3) as client:
            with pytest.raises(CallTimeoutError) as late:
                client.list_projects()
            assert isinstance(late.value, TimeoutError)

        async def call() -> None:
            async with AsyncTastegraph(url, "key", "secret", timeout=0.3) as asynchronous:
                with pytest.raises(CallTimeoutError):
                    await asynchronous.list_projects()

        asyncio.run(call())


def test_a_repeated_delete_may_find_nothing_left(proxy: FaultyProxy) -> None:
    with Tastegraph(proxy.url) as client:
        dataset = client.create_user_dataset(name="short", num_shards=1)["user_dataset_id"]
        proxy.faults.append(Fault("/delete-user-dataset", after=True))
        assert client.delete_user_dataset(user_dataset_id=dataset) is None
        with pytest.raises(NotFoundError):
            client.delete_user_dataset(user_dataset_id=dataset)


def test_does_not_follow_redirects(proxy: FaultyProxy) -> None:
    away = {"Location": "http://127.0.0.1:9/"}
    proxy.faults.append(Fault("/list-projects", status=302, headers=away))
    with Tastegraph(proxy.url) as client, pytest.raises(ApiError) as refused:
        client.list_projects()
    assert (refused.value.status, refused.value.code) == (302, "UNRECOGNIZED")


def test_threads_and_tasks_share_one_token(proxy: FaultyProxy) -> None:
    with Tastegraph(proxy.url) as client, ThreadPoolExecutor(8) as threads:
        barrier = threading.Barrier(8)

        def call(_: int) -> None:
            barrier.wait()
            client.list_projects()

        list(threads.map(call, range(8)))
    assert proxy.calls["/oauth/token"] == 1

    async def call_all() -> None:
        async with AsyncTastegraph(proxy.url) as asynchronous:
            await asyncio.gather(*(asynchronous.list_projects() for _ in range(8)))

    asyncio.run(call_all())
    assert proxy.calls["/oauth/token"] == 2


def test_operations_of_one_scope_share_a_token(proxy: FaultyProxy) -> None:
    with Tastegraph(proxy.url, scopes=["list_projects", "list_user_datasets"]) as client:
        client.list_projects()
        client.list_user_datasets()
        assert proxy.calls["/oauth/token"] == 1
        client.list_item_datasets()
        assert proxy.calls["/oauth/token"] == 2


def test_renews_a_token_before_it_expires(proxy: FaultyProxy) -> None:
    short = Fault("/oauth/token", times=9, change=lambda token: {**token, "expires_in": 1})
    proxy.faults.append(short)
    with Tastegraph(proxy.url) as client:
        client.list_projects()
        client.list_projects()
        time.sleep(0.6)
        client.list_projects()
    assert proxy.calls["/oauth/token"] >= 2
    assert proxy.calls["/list-projects"] == 3


def test_replaces_a_refused_token_once(proxy: FaultyProxy) -> None:
    def broken(token: dict[str, object]) -> dict[str, object]:
        return {**token, "access_token": "expired"}

    with Tastegraph(proxy.url) as client:
        client.list_projects()
        proxy.faults.append(Fault("/list-projects", status=401))
        client.list_projects()
        assert proxy.calls["/oauth/token"] == 2
        # A token that the real server refuses.
        client._tokens._tokens.clear()
        proxy.faults.append(Fault("/oauth/token", times=9, change=broken))
        with pytest.raises(AuthError):
            client.list_projects()
        assert proxy.calls["/oauth/token"] == 3


def test_compresses_large_bodies(proxy: FaultyProxy) -> None:
    with Tastegraph(proxy.url) as client:
        dataset = client.create_item_dataset(name="long", num_shards=1)["item_dataset_id"]
        items = [{"item_id": f"i{n}", "attributes": {"title": "x" * 100}} for n in range(100)]
        written = client.upsert_dataset_items(item_dataset_id=dataset, items=items)  # type: ignore[arg-type]
    assert len(written["succeed_ids"]) == 100
    assert proxy.headers[-1]["Content-Encoding"] == "gzip"
    assert int(proxy.headers[-1]["Content-Length"]) < 4096

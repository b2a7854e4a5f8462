"""Imports from every kind of source, with awkward values."""

from __future__ import annotations

import asyncio
import gzip
import json
from collections.abc import AsyncIterator, Iterator
from datetime import UTC, date, datetime, timedelta, timezone
from decimal import Decimal
from pathlib import Path
from typing import Any
from uuid import UUID

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from conftest import Datasets
from faulty_proxy import Fault, FaultyProxy
from pyarrow import parquet

from tastegraph import (
    AsyncTastegraph,
    ImportFailedError,
    ImportProgress,
    RejectedRecord,
    Tastegraph,
    to_frame,
)
from tastegraph._plain import event_id

MORNING = datetime(2026, 1, 5, 8, 0, 0, 37_000, tzinfo=UTC)
MORNING_MS = 1_767_600_000_037


def items_of(client: Tastegraph, datasets: Datasets) -> dict[str, Any]:
    found = client.iter_dataset_items(item_dataset_id=datasets.items, page_size=100)
    return {item["item_id"]: item["attributes"] for item in found}


def events_of(client: Tastegraph, datasets: Datasets, user: str) -> list[Any]:
    listed = client.iter_dataset_events(event_dataset_id=datasets.events, user_id=user)
    return sorted(listed, key=lambda event: (event["ts"], event["item_id"]))


def test_items_of_pandas(client: Tastegraph, datasets: Datasets) -> None:
    frame = pd.DataFrame(
        {
            # The gap turns the column into floats.
            "item_id": [7, 8, None],
            "title": ["Emma", None, "No ID"],
            "price": [np.float64(9.5), np.nan, 1.0],
            "pages": pd.array([300, None, 1], dtype="Int64"),
            "kind": pd.Categorical(["novel", None, "novel"]),
            "in_stock": [True, False, True],
            "genres": [["Classic", None, "Romance"], np.array(["Crime"]), []],
            "published": pd.to_datetime(["1815-12-23", None, "2020-01-01"]),
        }
    )
    report = client.import_items(datasets.items, frame)
    assert (report.sent, report.succeeded, report.failed, report.replaced) == (3, 2, 1, 0)
    [rejected] = report.rejected
    assert (rejected.index, rejected.id, rejected.code) == (2, None, "ID_INVALID")
    assert rejected.record["attributes"]["title"] == "No ID"
    assert items_of(client, datasets) == {
        "7": {
            "title": "Emma",
            "price": 9.5,
            "pages": 300,
            "kind": "novel",
            "in_stock": True,
            "genres": ["Classic", "Romance"],
            "published": "1815-12-23T00:00:00.000Z",
        },
        "8": {"in_stock": False, "genres": ["Crime"]},
    }
    assert to_frame(report.rejected)["code"].tolist() == ["ID_INVALID"]


@pytest.mark.parametrize("unit", ["s", "ms", "us", "ns"])
def test_times_of_pandas(client: Tastegraph, datasets: Datasets, unit: Any) -> None:
    zone = timezone(timedelta(hours=2))
    local = pd.Series([MORNING.astimezone(zone), None]).astype("datetime64[us, UTC+02:00]")
    frame = pd.DataFrame({"user_id": ["u", "v"], "item_id": "a", "event_type": "view", "ts": local})
    if unit != "us":
        frame["ts"] = frame["ts"].dt.as_unit(unit)
    report = client.import_events(datasets.events, frame)
    assert (report.succeeded, report.failed) == (1, 1)
    assert report.rejected[0].code == "FIELD_MISSING"
    [event] = events_of(client, datasets, "u")
    assert event["ts"] == (MORNING_MS if unit != "s" else MORNING_MS - 37)


@pytest.mark.parametrize("factor", [1e-3, 1, 1000, 1_000_000])
def test_guesses_the_unit_of_numeric_times(
    client: Tastegraph, datasets: Datasets, factor: float
) -> None:
    ts = [int(MORNING_MS * factor), int((MORNING_MS - 86_400_000) * factor)]
    frame = pd.DataFrame({"user_id": 1, "item_id": ["a", "b"], "event_type": "view", "ts": ts})
    assert client.import_events(datasets.events, frame).succeeded == 2
    newest = events_of(client, datasets, "1")[-1]["ts"]
    assert newest == (MORNING_MS if factor >= 1 else MORNING_MS - 37)
    # Explicit: what looks like seconds is milliseconds.
    early = pd.DataFrame({"user_id": 2, "item_id": ["a"], "event_type": "view", "ts": [5_000]})
    client.import_events(datasets.events, early, ts_unit="ms")
    assert events_of(client, datasets, "2")[0]["ts"] == 5_000


def test_events_of_polars(client: Tastegraph, datasets: Datasets) -> None:
    frame = pl.DataFrame(
        {
            "userId": [1, 1, None],
            "movieId": [10, 11, 12],
            "rating": [4.5, float("nan"), 3.0],
            "timestamp": [MORNING, MORNING + timedelta(days=1), MORNING],
            "device": ["phone", None, "tv"],
            "tags": [["a", "b"], None, []],
        }
    )
    rename = {"userId": "user_id", "movieId": "item_id", "rating": "event_value", "timestamp": "ts"}
    constants = {"event_type": "rate"}
    report = client.import_events(datasets.events, frame, rename=rename, constants=constants)
    assert (report.succeeded, report.failed) == (2, 1)
    first, second = events_of(client, datasets, "1")
    assert first["event_id"] == f"1|10|{MORNING_MS}|rate"
    assert (first["ts"], first["event_value"]) == (MORNING_MS, 4.5)
    assert first["attributes"] == {"device": "phone", "tags": ["a", "b"]}
    assert second["event_value"] == 1
    assert second["attributes"] == {}
    # Importing it again changes nothing.
    client.import_events(datasets.events, frame.lazy(), rename=rename, constants=constants)
    assert len(events_of(client, datasets, "1")) == 2


def test_items_of_parquet(client: Tastegraph, datasets: Datasets, tmp_path: Path) -> None:
    table = pa.table(
        {
            "item_id": pa.array(["a", "b"]).dictionary_encode(),
            "price": pa.array([Decimal("9.50"), None], pa.decimal128(10, 2)),
            "genres": pa.array([["Crime", "Travel"], []]),
            "seen": pa.array([MORNING, None], pa.timestamp("ns", "UTC")),
            "day": pa.array([date(2026, 1, 5), None]),
            "attributes": pa.array(['{"price": 8, "extra": true}', None]),
        }
    )
    path = tmp_path / "items.parquet"
    parquet.write_table(table, path)
    expected = {
        # The column `attributes` wins.
        "a": {
            "price": 8,
            "extra": True,
            "genres": ["Crime", "Travel"],
            "seen": "2026-01-05T08:00:00.037Z",
            "day": "2026-01-05",
        },
        "b": {"genres": []},
    }
    assert client.import_items(datasets.items, path).succeeded == 2
    assert items_of(client, datasets) == expected
    assert client.import_items(datasets.items, table).succeeded == 2
    assert items_of(client, datasets) == expected


def test_items_of_csv(client: Tastegraph, datasets: Datasets, tmp_path: Path) -> None:
    path = tmp_path / "items.csv.gz"
    text = '\ufeffitem_id,price,genres,note\r\n007,9.5,Crime|Travel,"a, ""b""\nc"\r\n\r\n8,,,\r\n'
    path.write_bytes(gzip.compress(text.encode()))
    convert = {"price": float, "genres": lambda cell: cell.split("|")}
    assert client.import_items(datasets.items, str(path), convert=convert).succeeded == 2
    assert items_of(client, datasets) == {
        "007": {"price": 9.5, "genres": ["Crime", "Travel"], "note": 'a, "b"\nc'},
        "8": {},
    }
    path.write_bytes(gzip.compress(b"item_id,price\n9,cheap\n10,1\n"))
    report = client.import_items(datasets.items, path, convert=convert)
    assert [(each.index, each.id, each.code) for each in report.rejected] == [
        (0, "9", "FIELD_INVALID")
    ]
    (tmp_path / "items.xlsx").touch()
    with pytest.raises(ImportFailedError) as unknown:
        client.import_items(datasets.items, tmp_path / "items.xlsx")
    assert isinstance(unknown.value.__cause__, ValueError)


def test_records_and_ndjson(client: Tastegraph, datasets: Datasets, tmp_path: Path) -> None:
    records: list[dict[str, Any]] = [
        {"user_id": "anna", "attributes": {"age": np.int64(30), "score": float("nan")}},
        {"user_id": "ben", "attributes": {"id": UUID(int=1), "tags": {"b", "a"}}},
        {"user_id": "cleo", "attributes": {"data": b"bytes"}},
        {"user_id": "dora", "unknown": 1},
        {"user_id": "anna", "attributes": {"age": np.int32(31)}},
    ]
    seen: list[RejectedRecord] = []
    report = client.import_users(datasets.users, iter(records), on_rejected=seen.append)
    assert (report.sent, report.succeeded, report.failed, report.replaced) == (5, 2, 2, 1)
    assert sorted((each.index, each.id) for each in report.rejected) == [(2, "cleo"), (3, "dora")]
    assert seen == report.rejected
    anna = client.get_dataset_user(user_dataset_id=datasets.users, user_id="anna")
    assert anna["attributes"] == {"age": 31}
    path = tmp_path / "users.ndjson"
    path.write_text("".join(f"{json.dumps({'user_id': name})}\n" for name in ("eva", "finn")))
    assert client.import_users(datasets.users, path, mode="MERGE").succeeded == 2


def events(count: int) -> Iterator[dict[str, Any]]:
    for n in range(count):
        event = {"event_id": f"e{n}", "user_id": f"u{n % 50}", "item_id": f"i{n % 70}"}
        yield {**event, "ts": MORNING_MS + n, "event_type": "view"}


def test_many_records_in_batches(datasets: Datasets, proxy: FaultyProxy) -> None:
    progress: list[ImportProgress] = []
    with Tastegraph(proxy.url) as client:
        proxy.faults.append(Fault("/upsert-dataset-events", status=503, times=2))
        report = client.import_events(datasets.events, events(3500), on_progress=progress.append)
        assert (report.sent, report.succeeded, report.failed) == (3500, 3500, 0)
        assert client.get_event_dataset(event_dataset_id=datasets.events)["record_count"] == 3500
    # Four batches and two retries.
    assert proxy.calls["/upsert-dataset-events"] == 6
    assert [each.records for each in progress][-1] == 3500


def test_halves_a_batch_that_is_too_large(datasets: Datasets, proxy: FaultyProxy) -> None:
    def random_items(count: int) -> Iterator[dict[str, Any]]:
        generator = np.random.default_rng(1)
        for n in range(count):
            text = generator.bytes(2000).hex()
            yield {"item_id": f"i{n}", "attributes": {"text": text}}

    proxy.faults.append(Fault("/upsert-dataset-items", status=413, times=99, min_bytes=1_000_000))
    with Tastegraph(proxy.url) as client:
        report = client.import_items(datasets.items, random_items(600))
    assert (report.succeeded, report.failed) == (600, 0)
    # 1.2 MB compressed: one attempt, and its halves.
    assert proxy.calls["/upsert-dataset-items"] == 3


def test_a_batch_has_at_most_4_mib(datasets: Datasets, proxy: FaultyProxy) -> None:
    # Each about 1.6 MB, so that two fit.
    big = ({"item_id": f"i{n}", "attributes": {"text": "x" * 1_600_000}} for n in range(5))
    with Tastegraph(proxy.url) as client:
        client.import_items(datasets.items, big)
        huge = [{"item_id": "huge", "attributes": {"text": "x" * 5_000_000}}]
        report = client.import_items(datasets.items, huge)
    assert proxy.calls["/upsert-dataset-items"] == 3
    assert [each.code for each in report.rejected] == ["RECORD_TOO_LARGE"]


def test_the_last_record_with_an_id_wins(datasets: Datasets, proxy: FaultyProxy) -> None:
    # The first batch is late: those with the same IDs must wait for it.
    late = Fault("/upsert-dataset-items", status=503, headers={"Retry-After": "1"})
    proxy.faults.append(late)
    repeated = ({"item_id": f"i{n % 900}", "attributes": {"n": n}} for n in range(2700))
    with Tastegraph(proxy.url) as client:
        report = client.import_items(datasets.items, repeated, concurrency=4)
        stored = items_of(client, datasets)
    # Of records with the same ID in one call, the service takes the last.
    assert (report.sent, report.failed) == (2700, 0)
    assert {attributes["n"] for attributes in stored.values()} == set(range(1800, 2700))


def test_says_how_far_it_came(datasets: Datasets, proxy: FaultyProxy) -> None:
    def broken() -> Iterator[dict[str, Any]]:
        yield from events(2000)
        raise RuntimeError("the source broke")

    with Tastegraph(proxy.url) as client:
        with pytest.raises(ImportFailedError) as stopped:
            client.import_events(datasets.events, broken())
        assert isinstance(stopped.value.__cause__, RuntimeError)
        assert stopped.value.acknowledged == stopped.value.report.succeeded == 2000
        proxy.faults.append(Fault("/upsert-dataset-events", status=503, times=99))
        with pytest.raises(ImportFailedError) as failed:
            client.import_events(datasets.events, events(10), max_retries=1)
        assert failed.value.acknowledged == 0
        with pytest.raises(TypeError, match="colour"):
            client.import_events(datasets.events, [], colour=1)  # type: ignore[call-arg]


def test_asynchronous_sources(client: Tastegraph, datasets: Datasets) -> None:
    async def source() -> AsyncIterator[dict[str, Any]]:
        for event in events(2500):
            yield event

    async def run() -> None:
        async with AsyncTastegraph() as asynchronous:
            report = await asynchronous.import_events(datasets.events, source())
            assert report.succeeded == 2500
            frame = pd.DataFrame({"user_id": ["a", "b"], "city": ["Ulm", None]})
            assert (await asynchronous.import_users(datasets.users, frame)).succeeded == 2

    asyncio.run(run())
    with pytest.raises(ImportFailedError) as refused:
        client.import_events(datasets.events, source())
    assert isinstance(refused.value.__cause__, TypeError)


def test_generated_ids_are_those_of_the_command_line() -> None:
    assert event_id("a|b", "c\\d", 5, "view") == "a\\|b|c\\\\d|5|view"
    # SHA-256 of the text, which is longer than 256 UTF-16 units.
    assert event_id("😀" * 128, "i", 5, "view") == (
        "7a023dcf63857f0426c2ae0f19ba237197cf49ff9dcfda798f95bcda3a148d56"
    )

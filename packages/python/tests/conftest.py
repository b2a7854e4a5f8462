"""Tests run against a real server: TASTEGRAPH_URL, TASTEGRAPH_API_KEY, TASTEGRAPH_API_SECRET."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass

import pytest
from faulty_proxy import FaultyProxy

from tastegraph import Tastegraph


@pytest.fixture(scope="session")
def client() -> Iterator[Tastegraph]:
    with Tastegraph() as connected:
        yield connected


@pytest.fixture
def proxy() -> Iterator[FaultyProxy]:
    with FaultyProxy(os.environ["TASTEGRAPH_URL"]) as running:
        yield running


@dataclass(frozen=True)
class Datasets:
    users: str
    items: str
    events: str


@pytest.fixture
def datasets(client: Tastegraph) -> Datasets:
    return create_datasets(client)


def create_datasets(client: Tastegraph) -> Datasets:
    return Datasets(
        client.create_user_dataset(name="people", num_shards=1)["user_dataset_id"],
        client.create_item_dataset(name="books", num_shards=1)["item_dataset_id"],
        client.create_event_dataset(name="readings", num_shards=1)["event_dataset_id"],
    )

"""From data to recommendations, with both clients."""

from __future__ import annotations

import asyncio
import time
from dataclasses import dataclass
from typing import Any

import pandas as pd
import polars as pl
import pytest
from conftest import Datasets, create_datasets

from tastegraph import (
    AsyncTastegraph,
    CallTimeoutError,
    JobFailedError,
    Tastegraph,
    to_frame,
    with_recommendation,
)


def reader_tables() -> tuple[pd.DataFrame, pd.DataFrame, pd.DataFrame]:
    """80 readers; each reads 8 of the 30 books, either all crime or all travel."""
    users = pd.DataFrame({"user_id": [f"u{n}" for n in range(80)], "city": "Ulm"})
    kinds = ["travel" if n % 2 else "crime" for n in range(30)]
    items = pd.DataFrame({"item_id": [f"b{n}" for n in range(30)], "kind": kinds})
    n = pd.Series(range(640))
    reader, book = n % 80, (n % 80 * 3 + n // 80 * 2) % 15 * 2 + n % 2
    events = pd.DataFrame(
        {
            "user_id": "u" + reader.astype(str),
            "item_id": "b" + book.astype(str),
            "ts": pd.Timestamp("2025-06-15", tz="UTC") + pd.to_timedelta(n, "min"),
            "event_type": "read",
        }
    )
    return users, items, events


@dataclass(frozen=True)
class Bookshop:
    project_id: str
    model_id: str
    datasets: Datasets


@pytest.fixture(scope="module")
def bookshop(client: Tastegraph) -> Bookshop:
    datasets = create_datasets(client)
    users, items, events = reader_tables()
    assert client.import_users(datasets.users, users).succeeded == 80
    assert client.import_items(datasets.items, pl.from_pandas(items)).succeeded == 30
    assert client.import_events(datasets.events, events).succeeded == 640
    project_id = client.create_project(
        name="books",
        project_type="RECOMMEND_ITEMS_TO_USER",
        user_dataset_id=datasets.users,
        item_dataset_id=datasets.items,
        event_dataset_id=datasets.events,
        target_event_type="read",
    )["project_id"]
    algorithm_id = client.create_algorithm(
        project_id=project_id, name="g1", algorithm_type="G1", algorithm_parameters={}
    )["algorithm_id"]
    training = client.submit_training_job(
        project_id=project_id, algorithm_id=algorithm_id, name="spring"
    )
    states: list[str] = []
    trained = client.wait_for_job(
        project_id=project_id,
        job_id=training["job_id"],
        job_type="TRAINING",
        on_progress=lambda job: states.append(job["job_status"]),
    )
    assert states[-1] == "SUCCEED"
    model_id = trained["job_result"]["model_id"]
    deployment = client.submit_deployment_job(
        project_id=project_id, name="spring", generator_model_id=model_id, qps=100
    )
    deployed = client.wait_for_job(
        project_id=project_id, job_id=deployment["job_id"], job_type="DEPLOYMENT"
    )
    assert deployed["job_result"]["serving_uri"].endswith(project_id)
    return Bookshop(project_id, model_id, datasets)


def test_recommends_what_fits_a_new_event(client: Tastegraph, bookshop: Bookshop) -> None:
    now: dict[str, Any] = {
        "event_id": "now",
        "user_id": "newcomer",
        "item_id": "b1",
        "ts": int(time.time() * 1000),
        "event_type": "read",
    }
    assert client.import_events(bookshop.datasets.events, [now]).succeeded == 1
    answer = client.recommend_items_to_user(
        project_id=bookshop.project_id,
        user_id="newcomer",
        attributes=["kind"],
        limit=3,
        explain=True,
    )
    for library in ("pandas", "polars"):
        frame = to_frame(answer, library)
        assert list(frame["position"]) == [1, 2, 3]
        assert list(frame["kind"]) == ["travel"] * 3
        assert "b1" not in list(frame["item_id"])
        assert list(frame["score"]) == sorted(frame["score"], reverse=True)
    clicked = {**now, "event_id": "then", "item_id": answer["results"][0]["item"]["item_id"]}
    event = with_recommendation(clicked, answer)
    assert event["recommendation_id"] == answer["recommendation_id"]
    assert "recommendation_id" not in with_recommendation(now, answer)


def test_optional_fields_may_be_null(client: Tastegraph, bookshop: Bookshop) -> None:
    boost: Any = {"if": 'item.kind == "crime"', "factor": 10}
    scenario = client.create_scenario(
        project_id=bookshop.project_id,
        name="home",
        question="ITEMS_TO_USER",
        filter_query='item.kind == "crime"',
    )
    assert scenario["filter_query"] == 'item.kind == "crime"'
    answer = client.recommend_items_to_user(
        project_id=bookshop.project_id, user_id="u1", scenario="home", attributes=["kind"], limit=3
    )
    assert set(to_frame(answer)["kind"]) == {"crime"}
    # None is not the same as leaving it out: it takes the scenario's filter away.
    unfiltered = client.recommend_items_to_user(
        project_id=bookshop.project_id,
        user_id="u1",
        scenario="home",
        filter_query=None,
        boosts=[boost],
        attributes=["kind"],
        limit=20,
    )
    assert set(to_frame(unfiltered)["kind"]) == {"crime", "travel"}


def test_lists_of_many_pages(client: Tastegraph, bookshop: Bookshop) -> None:
    items = list(client.iter_dataset_items(item_dataset_id=bookshop.datasets.items, page_size=7))
    assert [item["item_id"] for item in items] == sorted(f"b{n}" for n in range(30))
    [model] = client.iter_models(project_id=bookshop.project_id)
    assert model["model_id"] == bookshop.model_id
    assert to_frame(client.list_models(project_id=bookshop.project_id))["name"].tolist() == [
        "spring"
    ]


@pytest.mark.slow
def test_results_of_jobs_as_frames(client: Tastegraph, bookshop: Bookshop, tmp_path: Any) -> None:
    project_id, model_id = bookshop.project_id, bookshop.model_id

    def succeeded(job: Any) -> Any:
        return client.wait_for_job(project_id=project_id, job_id=job["job_id"])

    # All at once: jobs of different types run beside each other.
    listing = client.submit_querying_job(
        project_id=project_id,
        model_id=model_id,
        name="travellers",
        query_type="user_list",
        queries=[
            {"conditions": [{"attribute": "kind", "value": "travel", "lower_bound": 0.8}]},
            {"conditions": [{"attribute": "kind", "value": "crime", "lower_bound": 0.8}]},
        ],
    )
    distribution = client.submit_querying_job(
        project_id=project_id,
        model_id=model_id,
        name="how much travel",
        query_type="user_distribution",
        queries=[{"attribute": "kind", "value": "travel", "bins": 4}],
    )
    clustering = client.submit_clustering_job(
        project_id=project_id,
        model_id=model_id,
        name="clusters",
        cluster_type="user",
        parameters={"min_user_num": 5},
    )
    formats: list[tuple[Any, Any]] = [
        ("NDJSON", "pandas"),
        ("CSV", "polars"),
        ("CSV", "pandas"),
        ("PARQUET", "pandas"),
        ("PARQUET", "polars"),
    ]
    recommending = [
        client.submit_recommending_job(
            project_id=project_id, name="all", limit=2, attributes=["kind"], format=format_
        )
        for format_, _ in formats
    ]

    users = client.read_result(succeeded(listing))
    assert list(users.columns) == ["query", "user_id", "kind=travel", "kind=crime"]
    assert users.groupby("query").size().tolist() == [40, 40]
    assert users[users["query"] == 0]["kind=travel"].min() >= 0.8

    bins = client.read_result(succeeded(distribution), library="polars")
    assert bins["low"].to_list() == [0, 0.25, 0.5, 0.75]
    assert bins["users"].sum() == 80

    clustered = succeeded(clustering)
    members = client.read_result(clustered)
    clusters = client.read_result(clustered, table="clusters")
    assert len(members) == 80
    assert clusters["size"].sum() == members["cluster_id"].notna().sum()

    for (_, library), submitted in zip(formats, recommending, strict=True):
        frame = client.read_result(succeeded(submitted), library=library)
        assert list(frame.columns)[:4] == ["user_id", "position", "item_id", "kind"]
        assert {f"u{n}" for n in range(80)} <= set(frame["user_id"])
        assert len(frame) == 2 * len(set(frame["user_id"]))

    export = client.submit_export_job(
        project_id=project_id,
        name="items",
        item_dataset_id=bookshop.datasets.items,
        format="PARQUET",
    )
    [path] = client.download_result(succeeded(export), tmp_path)
    copy = client.create_item_dataset(name="copy", num_shards=1)["item_dataset_id"]
    assert client.import_items(copy, path).succeeded == 30
    assert client.get_dataset_item(item_dataset_id=copy, item_id="b1")["attributes"] == {
        "kind": "travel"
    }


@pytest.mark.slow
def test_a_wait_ends_before_the_job_does(client: Tastegraph, bookshop: Bookshop) -> None:
    [algorithm] = client.iter_algorithms(project_id=bookshop.project_id)
    job = client.submit_training_job(
        project_id=bookshop.project_id, algorithm_id=algorithm["algorithm_id"], name="long"
    )
    with pytest.raises(CallTimeoutError):
        client.wait_for_job(project_id=bookshop.project_id, job_id=job["job_id"], timeout=0.01)
    client.wait_for_job(project_id=bookshop.project_id, job_id=job["job_id"])


@pytest.mark.slow
def test_a_failed_job_says_why(client: Tastegraph) -> None:
    datasets = create_datasets(client)
    project_id = client.create_project(
        name="empty",
        project_type="RECOMMEND_ITEMS_TO_USER",
        user_dataset_id=datasets.users,
        item_dataset_id=datasets.items,
        event_dataset_id=datasets.events,
        target_event_type="read",
    )["project_id"]
    algorithm = client.create_algorithm(
        project_id=project_id, name="p", algorithm_type="POPULAR", algorithm_parameters={}
    )
    job = client.submit_training_job(
        project_id=project_id, algorithm_id=algorithm["algorithm_id"], name="nothing"
    )
    with pytest.raises(JobFailedError) as failed:
        client.wait_for_job(project_id=project_id, job_id=job["job_id"], job_type="TRAINING")
    assert failed.value.code == "NO_TARGET_EVENTS"


def test_the_whole_workflow_with_asyncio() -> None:
    async def run() -> None:
        users, items, events = reader_tables()
        async with AsyncTastegraph(scopes="all") as client:
            created = await asyncio.gather(
                client.create_user_dataset(name="people", num_shards=1),
                client.create_item_dataset(name="books", num_shards=1),
                client.create_event_dataset(name="readings", num_shards=1),
            )
            ids: Any = {key: value for each in created for key, value in each.items()}
            reports = await asyncio.gather(
                client.import_users(ids["user_dataset_id"], users),
                client.import_items(ids["item_dataset_id"], items),
                client.import_events(ids["event_dataset_id"], events),
            )
            assert [report.succeeded for report in reports] == [80, 30, 640]
            project = await client.create_project(
                name="books",
                project_type="RECOMMEND_ITEMS_TO_USER",
                user_dataset_id=ids["user_dataset_id"],
                item_dataset_id=ids["item_dataset_id"],
                event_dataset_id=ids["event_dataset_id"],
                target_event_type="read",
            )
            project_id = project["project_id"]
            algorithm = await client.create_algorithm(
                project_id=project_id, name="p", algorithm_type="POPULAR", algorithm_parameters={}
            )
            training = await client.submit_training_job(
                project_id=project_id, algorithm_id=algorithm["algorithm_id"], name="first"
            )
            trained = await client.wait_for_job(
                project_id=project_id, job_id=training["job_id"], job_type="TRAINING"
            )
            deployment = await client.submit_deployment_job(
                project_id=project_id,
                name="first",
                generator_model_id=trained["job_result"]["model_id"],
                qps=100,
            )
            await client.wait_for_job(project_id=project_id, job_id=deployment["job_id"])
            answers = await asyncio.gather(
                *(
                    client.recommend_items_to_user(project_id=project_id, user_id=f"u{n}", limit=5)
                    for n in range(10)
                )
            )
            assert [len(answer["results"]) for answer in answers] == [5] * 10
            recommending = await client.submit_recommending_job(
                project_id=project_id, name="all", limit=2, format="NDJSON"
            )
            job = await client.wait_for_job(
                project_id=project_id, job_id=recommending["job_id"], job_type="RECOMMENDING"
            )
            frame = await client.read_result(job)
            assert len(frame) == 160
            listed = [each["name"] async for each in client.iter_models(project_id=project_id)]
            assert listed == ["first"]

    asyncio.run(run())

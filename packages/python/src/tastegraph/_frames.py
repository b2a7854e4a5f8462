"""Answers and results as data frames."""

from __future__ import annotations

import importlib.util
import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict, is_dataclass
from pathlib import Path
from typing import Any, Literal, TypeAlias

Library: TypeAlias = Literal["pandas", "polars"]


def to_frame(data: Any, library: Library | None = None) -> Any:
    """One row per element: of recommendations, of a list, or of the rejected records of an import.

    Recommendations have the columns `position` (from 1), `item_id`, one per requested attribute,
    and `score` with `explain`.

    Args:
        data: The response of a recommendation call or of a list, or any iterable of dictionaries.
        library: `pandas` or `polars`. By default, pandas if it is installed.
    """
    return frame_of(list(_rows(data)), library)


def frame_of(rows: list[dict[str, Any]], library: Library | None) -> Any:
    chosen = library or installed_library()
    if chosen == "pandas":
        import pandas

        return pandas.DataFrame(rows)
    import polars

    # Every row counts: a column may be null in the first ones.
    return polars.DataFrame(rows, infer_schema_length=None)


def installed_library() -> Library:
    if importlib.util.find_spec("pandas") is not None:
        return "pandas"
    if importlib.util.find_spec("polars") is not None:
        return "polars"
    raise ImportError(
        "Data frames need a package: pip install 'tastegraph[pandas]' or 'tastegraph[polars]'"
    )


def _rows(data: Any) -> Iterator[dict[str, Any]]:
    if isinstance(data, Mapping):
        if "results" in data:
            yield from _recommended(data["results"])
            return
        lists = [value for name, value in data.items() if isinstance(value, list)]
        if len(lists) != 1:
            raise TypeError("Pass a response with one list, or one of its lists.")
        data = lists[0]
    for element in data:
        yield asdict(element) if is_dataclass(element) else dict(element)  # type: ignore[arg-type]


def _recommended(results: Iterable[Mapping[str, Any]]) -> Iterator[dict[str, Any]]:
    for position, result in enumerate(results, 1):
        others = {name: value for name, value in result.items() if name != "item"}
        yield {"position": position, **result["item"], **others}


def result_rows(job: Mapping[str, Any], files: list[Path], table: str | None) -> list[Any]:
    """The rows of a result in NDJSON or JSON. `docs/reference/results.md` has the formats."""
    if job["job_type"] == "QUERYING":
        if job["job_data"].get("query_type") == "user_distribution":
            return list(_distribution_rows(json.loads(files[0].read_bytes())))
        return list(_user_list_rows(_lines(files)))
    if job["job_type"] == "CLUSTERING":
        key = "size" if table == "clusters" else "user_id"
        return [line for line in _lines(files) if key in line]
    if job["job_type"] == "RECOMMENDING":
        return [
            {"user_id": line["user_id"], **row}
            for line in _lines(files)
            for row in _recommended(line["results"])
        ]
    return list(_lines(files))


def _lines(files: list[Path]) -> Iterator[dict[str, Any]]:
    for file in files:
        with file.open(encoding="utf-8") as lines:
            for line in lines:
                yield json.loads(line)


def _user_list_rows(lines: Iterable[dict[str, Any]]) -> Iterator[dict[str, Any]]:
    """One column per condition, such as `genres=Crime`, with the user's affinity."""
    query, names = 0, []
    for line in lines:
        if "query" in line:
            query = line["query"]
            names = [f"{each['attribute']}={each['value']}" for each in line["conditions"]]
        else:
            affinities = dict(zip(names, line["usage"], strict=True))
            yield {"query": query, "user_id": line["user_id"], **affinities}


def _distribution_rows(result: dict[str, Any]) -> Iterator[dict[str, Any]]:
    for query, each in enumerate(result["distributions"]):
        edges = each["edges"]
        for low, high, count in zip(edges, edges[1:], each["counts"], strict=False):
            about = {"query": query, "attribute": each["attribute"], "value": each["value"]}
            yield {**about, "low": low, "high": high, "users": count}

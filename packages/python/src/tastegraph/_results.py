"""Downloads the results of jobs."""

from __future__ import annotations

import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from ._calls import TokenStore, call, with_retries
from ._effects import Deadline, Download, Flow
from ._frames import Library, frame_of, installed_library, result_rows
from ._jobs import has_succeeded
from ._settings import Settings

_IDS = ("user_id", "item_id", "event_id")


def download_result(
    settings: Settings, tokens: TokenStore, job: Mapping[str, Any], folder: Path
) -> Flow[list[Path]]:
    """Returns the paths of the files, in order."""
    # The URLs of an old answer may have expired.
    request = {"project_id": job["project_id"], "job_id": job["job_id"]}
    current = yield from call(settings, tokens, "get_job", request)
    if not has_succeeded(current) or "download_url" not in current["job_result"]:
        raise ValueError(f"Job {job['job_id']} ({current['job_status']}) has no files.")
    result = current["job_result"]
    folder.mkdir(parents=True, exist_ok=True)
    paths = []
    for index, url in enumerate(result.get("download_urls") or [result["download_url"]]):
        path = folder / f"{job['job_id']}-{index}{_suffix_of(current)}"
        deadline = Deadline("download", settings.timeout)

        def attempt(url: str = url, path: Path = path, deadline: Deadline = deadline) -> Flow[None]:
            yield Download(url, path, deadline)

        yield from with_retries("download", attempt, settings.max_retries, deadline)
        paths.append(path)
    return paths


def read_result(
    settings: Settings,
    tokens: TokenStore,
    job: Mapping[str, Any],
    table: str | None,
    library: Library | None,
) -> Flow[Any]:
    with tempfile.TemporaryDirectory(prefix="tastegraph-") as folder:
        files = yield from download_result(settings, tokens, job, Path(folder))
        suffix = files[0].suffix
        if suffix in (".csv", ".parquet"):
            return _read_tables(files, suffix, library)
        return frame_of(result_rows(job, files, table), library)


def _read_tables(files: list[Path], suffix: str, library: Library | None) -> Any:
    # An ID such as 007 is text in a CSV file too.
    if (library or installed_library()) == "polars":
        import polars

        if suffix == ".parquet":
            return polars.concat([polars.read_parquet(file) for file in files])
        text = dict.fromkeys(_IDS, polars.String)
        return polars.concat([polars.read_csv(file, schema_overrides=text) for file in files])
    import pandas

    if suffix == ".parquet":
        tables = [pandas.read_parquet(file) for file in files]
    else:
        tables = [pandas.read_csv(file, dtype=dict.fromkeys(_IDS, str)) for file in files]
    return pandas.concat(tables, ignore_index=True)


def _suffix_of(job: Mapping[str, Any]) -> str:
    if job["job_type"] in ("EXPORT", "RECOMMENDING"):
        format_ = str(job["job_data"].get("format") or "NDJSON").lower()
        return f".{format_}"
    is_distribution = job["job_data"].get("query_type") == "user_distribution"
    return ".json" if is_distribution else ".ndjson"

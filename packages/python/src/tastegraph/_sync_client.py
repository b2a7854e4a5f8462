# Generated from _async_client.py (npm run generate); do not edit.
"""The client for threads."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from types import TracebackType
from typing import Any, Literal, Self, Unpack, overload

import httpx

from ._calls import TokenStore, call
from ._client_options import AnyResult, ClientOptions, FilesType, OnProgress, Scopes
from ._drivers import SyncDriver
from ._frames import Library
from ._import_options import ImportArguments, import_flow
from ._import_report import ImportReport
from ._jobs import SucceededJob
from ._operations import Operations
from ._records import EVENTS, ITEMS, USERS
from ._results import download_result, read_result
from ._settings import resolve
from .types import AnalysisJobResult, DeploymentJobResult, JobType, TrainingJobResult


class Tastegraph(ClientOptions, Operations):
    """A client for one API key. It caches tokens, and threads can share it.

    Use it in a `with` statement, or call `close` at the end.
    """

    def __init__(
        self,
        base_url: str | None = None,
        api_key: str | None = None,
        api_secret: str | None = None,
        *,
        scopes: Scopes = (),
        timeout: float = 30.0,
        max_retries: int = 3,
        gzip_above_bytes: int = 4096,
        http_client: httpx.Client | None = None,
    ) -> None:
        """Without arguments, reads TASTEGRAPH_URL, TASTEGRAPH_API_KEY and TASTEGRAPH_API_SECRET.

        Args:
            base_url: The URL of the service, including the path under which it is mounted, if any.
            api_key: The API key.
            api_secret: The secret of the key.
            scopes: Operations that share one token, such as `["get_job"]`, or "all". Any other
                operation gets its own token when it is first used.
            timeout: For a whole call, in seconds, including its token, retries and pauses.
            max_retries: The maximum number of retries per call, if the call is safe to retry.
            gzip_above_bytes: Larger bodies are compressed.
            http_client: Your own client of httpx, for example with a proxy or certificates.
        """
        self._settings = resolve(
            base_url, api_key, api_secret, scopes, timeout, max_retries, gzip_above_bytes
        )
        self._tokens = TokenStore()
        self._driver = SyncDriver(http_client or httpx.Client())

    def close(self) -> None:
        self._driver.http.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def _call(self, name: str, request: dict[str, Any]) -> Any:
        return self._driver.run(call(self._settings, self._tokens, name, request))

    def _iterate(self, name: str, key: str, request: dict[str, Any]) -> Iterator[Any]:
        page_token = None
        while True:
            page = self._call(name, {**request, "page_token": page_token})
            for element in page[key]:
                yield element
            page_token = page["next_page_token"]
            if page_token is None:
                return

    @overload
    def wait_for_job(
        self,
        *,
        project_id: str,
        job_id: str,
        job_type: Literal["TRAINING"],
        timeout: float | None = None,
        on_progress: OnProgress | None = None,
    ) -> SucceededJob[TrainingJobResult]: ...

    @overload
    def wait_for_job(
        self,
        *,
        project_id: str,
        job_id: str,
        job_type: Literal["DEPLOYMENT"],
        timeout: float | None = None,
        on_progress: OnProgress | None = None,
    ) -> SucceededJob[DeploymentJobResult]: ...

    @overload
    def wait_for_job(
        self,
        *,
        project_id: str,
        job_id: str,
        job_type: FilesType,
        timeout: float | None = None,
        on_progress: OnProgress | None = None,
    ) -> SucceededJob[AnalysisJobResult]: ...

    @overload
    def wait_for_job(
        self,
        *,
        project_id: str,
        job_id: str,
        job_type: None = None,
        timeout: float | None = None,
        on_progress: OnProgress | None = None,
    ) -> SucceededJob[AnyResult]: ...

    def wait_for_job(
        self,
        *,
        project_id: str,
        job_id: str,
        job_type: JobType | None = None,
        timeout: float | None = None,
        on_progress: OnProgress | None = None,
    ) -> Any:
        """Waits until a job has succeeded, and returns it.

        Raises a `JobFailedError` or a `JobCanceledError` if it fails or is canceled. Polls four
        times per second at first and every ten seconds later, and tolerates outages of up to ten
        minutes.

        Args:
            project_id: The ID of the project.
            job_id: What the `submit_…` method returned.
            job_type: The expected type. It determines the type of `job_result`, and is checked.
            timeout: For the whole wait, in seconds. The job goes on after it. Default: no limit.
            on_progress: Called with the job whenever its status or progress has changed.
        """
        return self._driver.run(
            self._wait(project_id, job_id, job_type, timeout, on_progress)
        )

    def import_users(
        self, user_dataset_id: str, source: Any, **options: Unpack[ImportArguments]
    ) -> ImportReport:
        """Upserts users. See `import_events`."""
        return self._driver.run(
            import_flow(self._settings, self._tokens, USERS, user_dataset_id, source, options)
        )

    def import_items(
        self, item_dataset_id: str, source: Any, **options: Unpack[ImportArguments]
    ) -> ImportReport:
        """Upserts items. See `import_events`."""
        return self._driver.run(
            import_flow(self._settings, self._tokens, ITEMS, item_dataset_id, source, options)
        )

    def import_events(
        self, event_dataset_id: str, source: Any, **options: Unpack[ImportArguments]
    ) -> ImportReport:
        """Upserts events from a source of any length.

        A table is a DataFrame of pandas or polars, an Arrow table, or the path of a CSV or Parquet
        file. Columns with the names of the record's fields are its fields; all others are
        attributes. Missing cells (None, NaN, NaT) are not sent. Numeric IDs become text, and `ts`
        becomes milliseconds. Events without `event_id` get one of user, item, time and type, so
        that importing them again changes nothing.

        Records are an iterable of dictionaries in the format of the API, or an NDJSON file.

        Raises an `ImportFailedError` if a call fails after its retries.

        Args:
            event_dataset_id: The ID of the dataset.
            source: The table or the records.
            options: See `ImportArguments`.
        """
        return self._driver.run(
            import_flow(self._settings, self._tokens, EVENTS, event_dataset_id, source, options)
        )

    def download_result(self, job: Mapping[str, Any], folder: str | Path) -> list[Path]:
        """Downloads the files of a job that succeeded. Returns their paths, in order."""
        flow = download_result(self._settings, self._tokens, job, Path(folder))
        return self._driver.run(flow)

    def read_result(
        self,
        job: Mapping[str, Any],
        *,
        table: Literal["users", "clusters"] | None = None,
        library: Library | None = None,
    ) -> Any:
        """The result of a querying, clustering, export or recommending job as a DataFrame.

        Args:
            job: What `wait_for_job` returned.
            table: Of a clustering: its users (the default), or its clusters.
            library: `pandas` or `polars`. By default, pandas if it is installed.
        """
        return self._driver.run(
            read_result(self._settings, self._tokens, job, table, library)
        )

"""The two clients."""

from __future__ import annotations

import copy
from collections.abc import AsyncIterator, Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from types import TracebackType
from typing import Any, Literal, Self, TypeAlias, Unpack, overload

import httpx

from ._calls import TokenStore, call
from ._drivers import AsyncDriver, SyncDriver
from ._effects import Flow
from ._frames import Library
from ._import_options import ImportArguments, import_flow
from ._importing import ImportReport
from ._jobs import SucceededJob, wait_for_job
from ._operations import AsyncOperations, Operations
from ._records import EVENTS, ITEMS, USERS
from ._results import download_result, read_result
from ._settings import Settings, check_header, check_max_retries, check_timeout, resolve
from .types import AnalysisJobResult, DeploymentJobResult, Job, JobType, TrainingJobResult

OnProgress: TypeAlias = Callable[[Job], None]
FilesType: TypeAlias = Literal["QUERYING", "CLUSTERING", "EXPORT", "RECOMMENDING"]
AnyResult: TypeAlias = TrainingJobResult | DeploymentJobResult | AnalysisJobResult
Scopes: TypeAlias = Literal["all"] | Iterable[str]


class _Options:
    """What both clients have."""

    _settings: Settings
    _tokens: TokenStore

    def with_options(
        self,
        *,
        timeout: float | None = None,
        max_retries: int | None = None,
        request_id: str | None = None,
    ) -> Self:
        """A client with other limits, which shares connections and tokens with this one.

        Args:
            timeout: For a whole call, in seconds, including its token, retries and pauses.
            max_retries: The maximum number of retries, if the call is safe to retry.
            request_id: Sent as X-Request-Id. It appears in the logs of the service.
        """
        old = self._settings
        changed = copy.copy(self)
        changed._settings = replace(
            old,
            timeout=old.timeout if timeout is None else check_timeout(timeout),
            max_retries=old.max_retries if max_retries is None else check_max_retries(max_retries),
            request_id=old.request_id
            if request_id is None
            else check_header("request_id", request_id),
        )
        return changed

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self._settings.base_url!r})"

    def _wait(
        self,
        project_id: str,
        job_id: str,
        job_type: str | None,
        timeout: float | None,
        on_progress: OnProgress | None,
    ) -> Flow[Any]:
        return wait_for_job(
            self._settings, self._tokens, project_id, job_id, job_type, timeout, on_progress
        )


class Tastegraph(_Options, Operations):
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
            yield from page[key]
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
        return self._driver.run(self._wait(project_id, job_id, job_type, timeout, on_progress))

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
        return self._driver.run(read_result(self._settings, self._tokens, job, table, library))


class AsyncTastegraph(_Options, AsyncOperations):
    """`Tastegraph` for asyncio: the same methods, to be awaited."""

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
        http_client: httpx.AsyncClient | None = None,
    ) -> None:
        """See `Tastegraph`."""
        self._settings = resolve(
            base_url, api_key, api_secret, scopes, timeout, max_retries, gzip_above_bytes
        )
        self._tokens = TokenStore()
        self._driver = AsyncDriver(http_client or httpx.AsyncClient())

    async def close(self) -> None:
        await self._driver.http.aclose()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        await self.close()

    async def _call(self, name: str, request: dict[str, Any]) -> Any:
        return await self._driver.run(call(self._settings, self._tokens, name, request))

    async def _iterate(self, name: str, key: str, request: dict[str, Any]) -> AsyncIterator[Any]:
        page_token = None
        while True:
            page = await self._call(name, {**request, "page_token": page_token})
            for element in page[key]:
                yield element
            page_token = page["next_page_token"]
            if page_token is None:
                return

    @overload
    async def wait_for_job(
        self,
        *,
        project_id: str,
        job_id: str,
        job_type: Literal["TRAINING"],
        timeout: float | None = None,
        on_progress: OnProgress | None = None,
    ) -> SucceededJob[TrainingJobResult]: ...

    @overload
    async def wait_for_job(
        self,
        *,
        project_id: str,
        job_id: str,
        job_type: Literal["DEPLOYMENT"],
        timeout: float | None = None,
        on_progress: OnProgress | None = None,
    ) -> SucceededJob[DeploymentJobResult]: ...

    @overload
    async def wait_for_job(
        self,
        *,
        project_id: str,
        job_id: str,
        job_type: FilesType,
        timeout: float | None = None,
        on_progress: OnProgress | None = None,
    ) -> SucceededJob[AnalysisJobResult]: ...

    @overload
    async def wait_for_job(
        self,
        *,
        project_id: str,
        job_id: str,
        job_type: None = None,
        timeout: float | None = None,
        on_progress: OnProgress | None = None,
    ) -> SucceededJob[AnyResult]: ...

    async def wait_for_job(
        self,
        *,
        project_id: str,
        job_id: str,
        job_type: JobType | None = None,
        timeout: float | None = None,
        on_progress: OnProgress | None = None,
    ) -> Any:
        """Waits until a job has succeeded, and returns it. See `Tastegraph.wait_for_job`."""
        return await self._driver.run(
            self._wait(project_id, job_id, job_type, timeout, on_progress)
        )

    async def import_users(
        self, user_dataset_id: str, source: Any, **options: Unpack[ImportArguments]
    ) -> ImportReport:
        """Upserts users. See `Tastegraph.import_events`."""
        return await self._driver.run(
            import_flow(self._settings, self._tokens, USERS, user_dataset_id, source, options)
        )

    async def import_items(
        self, item_dataset_id: str, source: Any, **options: Unpack[ImportArguments]
    ) -> ImportReport:
        """Upserts items. See `Tastegraph.import_events`."""
        return await self._driver.run(
            import_flow(self._settings, self._tokens, ITEMS, item_dataset_id, source, options)
        )

    async def import_events(
        self, event_dataset_id: str, source: Any, **options: Unpack[ImportArguments]
    ) -> ImportReport:
        """Upserts events, also of an asynchronous iterable. See `Tastegraph.import_events`."""
        return await self._driver.run(
            import_flow(self._settings, self._tokens, EVENTS, event_dataset_id, source, options)
        )

    async def download_result(self, job: Mapping[str, Any], folder: str | Path) -> list[Path]:
        """Downloads the files of a job that succeeded. Returns their paths, in order."""
        flow = download_result(self._settings, self._tokens, job, Path(folder))
        return await self._driver.run(flow)

    async def read_result(
        self,
        job: Mapping[str, Any],
        *,
        table: Literal["users", "clusters"] | None = None,
        library: Library | None = None,
    ) -> Any:
        """The result of a job as a DataFrame. See `Tastegraph.read_result`."""
        return await self._driver.run(
            read_result(self._settings, self._tokens, job, table, library)
        )

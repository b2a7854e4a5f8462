"""The client for asyncio."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping
from pathlib import Path
from types import TracebackType
from typing import Any, Literal, Self, Unpack, overload

import httpx

from ._calls import TokenStore, call
from ._client_options import AnyResult, ClientOptions, FilesType, OnProgress, Scopes
from ._drivers import AsyncDriver
from ._frames import Library
from ._import_options import ImportArguments, import_flow
from ._import_report import ImportReport
from ._jobs import SucceededJob
from ._operations import AsyncOperations
from ._records import EVENTS, ITEMS, USERS
from ._results import download_result, read_result
from ._settings import resolve
from .types import AnalysisJobResult, DeploymentJobResult, JobType, TrainingJobResult


class AsyncTastegraph(ClientOptions, AsyncOperations):
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

"""What both clients have."""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import Any, Literal, Self, TypeAlias

from ._calls import TokenStore
from ._effects import Flow
from ._jobs import wait_for_job
from ._settings import Settings, check_header, check_max_retries, check_timeout
from .types import AnalysisJobResult, DeploymentJobResult, Job, TrainingJobResult

OnProgress: TypeAlias = Callable[[Job], None]
FilesType: TypeAlias = Literal["QUERYING", "CLUSTERING", "EXPORT", "RECOMMENDING"]
AnyResult: TypeAlias = TrainingJobResult | DeploymentJobResult | AnalysisJobResult
Scopes: TypeAlias = Literal["all"] | Iterable[str]


class ClientOptions:
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

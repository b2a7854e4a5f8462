"""Waits for jobs."""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from dataclasses import replace
from typing import Any, Generic, Literal, TypedDict, TypeVar, cast

from ._calls import TokenStore, call, is_transient
from ._effects import Flow, Pause
from ._settings import Settings, check_timeout
from .errors import CallTimeoutError, JobCanceledError, JobFailedError, TastegraphError
from .types import Job, JobType

ResultT = TypeVar("ResultT")

#: A small training takes only seconds.
_INITIAL_PAUSE = 0.25
_PAUSE_GROWTH = 1.5
#: Longer jobs take minutes to hours.
_MAX_PAUSE = 10.0
#: The longest outage that a wait tolerates, for example an upgrade or a failover.
_MAX_OUTAGE = 600.0


class SucceededJob(TypedDict, Generic[ResultT]):
    """A `Job` whose result is there."""

    project_id: str
    job_id: str
    job_type: JobType
    job_status: Literal["SUCCEED"]
    name: str
    job_data: Any
    job_result: ResultT
    retry_count: int
    created_ts: int
    started_ts: int
    finished_ts: int


def wait_for_job(
    settings: Settings,
    tokens: TokenStore,
    project_id: str,
    job_id: str,
    job_type: str | None,
    timeout: float | None,
    on_progress: Callable[[Job], None] | None,
) -> Flow[Any]:
    limit = math.inf if timeout is None else check_timeout(timeout)
    ends_at = time.monotonic() + limit
    answered_at = time.monotonic()
    last_state: object = None
    pause = _INITIAL_PAUSE
    while True:
        remaining = ends_at - time.monotonic()
        if remaining <= 0:
            advice = "The job continues on the service. Wait for it again, or cancel it."
            raise CallTimeoutError("get_job", limit, advice)
        each = replace(settings, timeout=min(settings.timeout, remaining))
        try:
            request = {"project_id": project_id, "job_id": job_id}
            job: Job = yield from call(each, tokens, "get_job", request)
        except TastegraphError as error:
            if not is_transient(error) or time.monotonic() - answered_at > _MAX_OUTAGE:
                raise
        else:
            answered_at = time.monotonic()
            if job_type is not None and job["job_type"] != job_type:
                raise TypeError(f"Job {job_id} has type {job['job_type']}, not {job_type}.")
            state = (job["job_status"], job["retry_count"], job["progress"])
            if state != last_state and on_progress is not None:
                on_progress(job)
            last_state = state
            if has_succeeded(job):
                return cast("SucceededJob[Any]", job)
        yield Pause(min(pause, max(ends_at - time.monotonic(), 0.0)))
        pause = min(_MAX_PAUSE, pause * _PAUSE_GROWTH)


def has_succeeded(job: Job) -> bool:
    if job["job_status"] == "FAILED":
        raise JobFailedError(job)
    if job["job_status"] == "CANCELED":
        raise JobCanceledError(job)
    return job["job_status"] == "SUCCEED"

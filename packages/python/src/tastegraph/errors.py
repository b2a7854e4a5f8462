"""What a call can raise."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from ._endpoints import ENDPOINTS
from .types import ProblemPlace


def is_idempotent(action: str) -> bool:
    """Whether repeating the operation does no harm. Token requests are not in the table."""
    endpoint = ENDPOINTS.get(action)
    return endpoint is None or endpoint.is_idempotent


def retry_advice(action: str) -> str:
    """For errors after which the client cannot know whether the operation was executed."""
    if is_idempotent(action):
        return "The call is safe to repeat."
    return (
        "The call may have taken effect. "
        "Check with the matching list operation before you repeat it."
    )


class TastegraphError(Exception):
    """The base class of all errors of this package. `operation` is the method that failed."""

    def __init__(self, operation: str, message: str) -> None:
        super().__init__(f"{operation}: {message}")
        self.operation = operation


class ConnectionFailedError(TastegraphError, ConnectionError):
    """There was no response, or an incomplete one. `__cause__` is the error of httpx."""

    def __init__(self, operation: str, reason: str) -> None:
        advice = retry_advice(operation)
        super().__init__(
            operation, f"no response ({reason}). Check base_url and the network. {advice}"
        )


class CallTimeoutError(TastegraphError, TimeoutError):
    """The call or the wait exceeded its `timeout`, in seconds."""

    def __init__(self, operation: str, timeout: float, advice: str | None = None) -> None:
        advice = advice or retry_advice(operation)
        super().__init__(operation, f"timed out after {timeout:g} s. {advice}")
        self.timeout = timeout


@dataclass(frozen=True)
class ApiErrorFields:
    status: int
    code: str
    detail: str
    errors: Sequence[ProblemPlace] = field(default_factory=tuple)
    request_id: str | None = None
    retry_after: float | None = None
    resolve_with: str | None = None


class ApiError(TastegraphError):
    """The service refused the call or failed.

    `code` never changes its meaning. `UNRECOGNIZED` means that the response is not from the
    service, for example with a wrong `base_url` or from a proxy.
    """

    def __init__(self, operation: str, fields: ApiErrorFields) -> None:
        super().__init__(operation, _describe(operation, fields))
        self.status = fields.status
        self.code = fields.code
        self.detail = fields.detail
        #: The invalid fields, each with `path` and `message`.
        self.errors = list(fields.errors)
        #: Include it when you report a problem.
        self.request_id = fields.request_id
        #: In seconds.
        self.retry_after = fields.retry_after
        #: The path of the operation that resolves a conflict (409).
        self.resolve_with = fields.resolve_with


class ValidationError(ApiError):
    """The request is invalid; `errors` lists the fields."""


class AuthError(ApiError):
    """The key or its secret is wrong, or the key does not allow the operation."""


class NotFoundError(ApiError):
    """The object was not found in this account."""


class RateLimitError(ApiError):
    """Too many requests (429), even after all retries that `timeout` and `max_retries` allowed."""


class JobFailedError(TastegraphError):
    """The job failed. `code` and `detail` are those of the job's error."""

    def __init__(self, job: Any) -> None:
        error = job["error"] or {"code": "INTERNAL", "message": "The service gave no reason."}
        name = f"{job['job_id']} ({job['name']})"
        super().__init__("get_job", f"{name} failed: {error['code']}: {error['message']}")
        self.code: str = error["code"]
        self.detail: str = error["message"]
        self.job = job


class JobCanceledError(TastegraphError):
    """The job was canceled."""

    def __init__(self, job: Any) -> None:
        super().__init__("get_job", f"{job['job_id']} ({job['name']}) was canceled.")
        self.code = "JOB_CANCELED"
        self.job = job


def api_error(operation: str, fields: ApiErrorFields) -> ApiError:
    return _class_of(fields)(operation, fields)


def _class_of(fields: ApiErrorFields) -> type[ApiError]:
    # By code, not by status: a 404 of another server must not look like "the model does not exist".
    if fields.code == "INVALID_REQUEST":
        return ValidationError
    if fields.code == "NOT_FOUND":
        return NotFoundError
    if fields.status == 401 or fields.code in ("SCOPE_MISSING", "ROLE_MISSING"):
        return AuthError
    return RateLimitError if fields.status == 429 else ApiError


def _describe(operation: str, fields: ApiErrorFields) -> str:
    places = "; ".join(f"{place['path']}: {place['message']}" for place in fields.errors)
    parts = [
        f"{fields.code} ({fields.status}): {fields.detail}",
        f"[{places}]" if places else "",
        retry_advice(operation) if fields.status >= 500 else "",
        f"Request ID: {fields.request_id}." if fields.request_id else "",
    ]
    return " ".join(part for part in parts if part)

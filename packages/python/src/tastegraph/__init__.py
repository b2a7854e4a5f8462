"""Python client for Tastegraph."""

from ._async_client import AsyncTastegraph
from ._events import with_recommendation
from ._frames import to_frame
from ._import_report import ImportFailedError, ImportProgress, ImportReport, RejectedRecord
from ._jobs import SucceededJob
from ._sync_client import Tastegraph
from ._unset import UNSET
from ._version import VERSION as __version__
from .errors import (
    ApiError,
    AuthError,
    CallTimeoutError,
    ConnectionFailedError,
    JobCanceledError,
    JobFailedError,
    NotFoundError,
    RateLimitError,
    TastegraphError,
    ValidationError,
)

__all__ = [
    "UNSET",
    "ApiError",
    "AsyncTastegraph",
    "AuthError",
    "CallTimeoutError",
    "ConnectionFailedError",
    "ImportFailedError",
    "ImportProgress",
    "ImportReport",
    "JobCanceledError",
    "JobFailedError",
    "NotFoundError",
    "RateLimitError",
    "RejectedRecord",
    "SucceededJob",
    "Tastegraph",
    "TastegraphError",
    "ValidationError",
    "__version__",
    "to_frame",
    "with_recommendation",
]

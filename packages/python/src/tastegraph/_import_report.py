"""What an import tells its caller."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from .errors import TastegraphError

#: A report must not grow with the source.
MAX_REJECTED = 1000


@dataclass(frozen=True)
class RejectedRecord:
    #: The position in the source, from 0.
    index: int
    #: None if the record has no ID.
    id: str | None
    code: str
    message: str
    #: What was sent or, if it could not be sent, the row.
    record: Any = field(repr=False)


@dataclass(frozen=True)
class ImportProgress:
    #: Records that are acknowledged, and how many of them were rejected.
    records: int
    failed: int
    #: Their size as JSON, before compression.
    bytes: int
    #: On average since the start.
    records_per_second: float


@dataclass
class ImportReport:
    """`sent` is the sum of the others."""

    sent: int = 0
    succeeded: int = 0
    failed: int = 0
    #: Records that were replaced by, or merged with, a later one with the same ID in the same call.
    replaced: int = 0
    #: The first 1,000 records that were not written. `on_rejected` gets all of them.
    rejected: list[RejectedRecord] = field(default_factory=list)


class ImportFailedError(TastegraphError):
    """The import ended early; `__cause__` is the reason.

    The first `acknowledged` records of the source are done. To resume, skip them. Sending records
    again that were already written does no harm.
    """

    def __init__(self, operation: str, acknowledged: int, report: ImportReport) -> None:
        message = f"the import stopped early. Its first {acknowledged} records are done."
        super().__init__(operation, message)
        self.acknowledged = acknowledged
        self.report = report

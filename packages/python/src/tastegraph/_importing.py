"""Imports any number of records, in batches."""

from __future__ import annotations

import json
import time
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal, TypeAlias

from ._calls import TokenStore, call_json
from ._effects import END, Flow, Join, Pull, Spawn
from ._import_report import (
    MAX_REJECTED,
    ImportFailedError,
    ImportProgress,
    ImportReport,
    RejectedRecord,
)
from ._records import Kind, Record, Unsendable, clean_record
from ._settings import Settings
from .errors import ApiError

#: The limit of the API per call.
_RECORDS_PER_BATCH = 1000
#: Keeps the memory of an import within a few tens of megabytes; the service accepts 32 MiB.
_BYTES_PER_BATCH = 4 * 1024 * 1024
#: How far an import runs ahead of the first batch that is not acknowledged, in `concurrency`.
_MAX_RUNAHEAD = 16

UpsertMode: TypeAlias = Literal["REPLACE", "MERGE"]


@dataclass(frozen=True)
class ImportOptions:
    mode: UpsertMode | None
    concurrency: int
    timeout: float
    max_retries: int
    on_rejected: Callable[[RejectedRecord], None] | None
    on_progress: Callable[[ImportProgress], None] | None


class _Batch:
    """Consecutive records of the source."""

    def __init__(self, start: int) -> None:
        self.end = start
        self.records: list[Record] = []
        self.texts: list[bytes] = []
        self.indexes: list[int] = []
        self.ids: set[str] = set()
        self.rejected: list[RejectedRecord] = []
        self.bytes = 0
        self.is_acknowledged = False

    @property
    def is_full(self) -> bool:
        return len(self.records) + len(self.rejected) >= _RECORDS_PER_BATCH

    def add(self, record: Record | Unsendable, text: bytes | str, record_id: str | None) -> None:
        """`text` is the record as JSON, or why it cannot be sent."""
        if isinstance(text, bytes):
            self.records.append(record)  # type: ignore[arg-type]
            self.texts.append(text)
            self.indexes.append(self.end)
            self.bytes += len(text)
            if record_id is not None:
                self.ids.add(record_id)
        else:
            row = record.row if isinstance(record, Unsendable) else record
            code = "RECORD_TOO_LARGE" if text == _TOO_LARGE else "FIELD_INVALID"
            self.rejected.append(RejectedRecord(self.end, record_id, code, text, row))
        self.end += 1


def _to_json(record: Any) -> bytes:
    text = json.dumps(record, allow_nan=False, ensure_ascii=False, separators=(",", ":"))
    return text.encode()


_TOO_LARGE = f"the record is larger than {_BYTES_PER_BATCH} bytes as JSON"


@dataclass(frozen=True)
class _Outcome:
    batch: _Batch
    response: dict[str, Any] | None
    error: Exception | None


class RecordImport:
    """One import. At most `concurrency` batches are in flight while one more is read.

    A batch that shares an ID with one in flight waits for it, so that the last record with an ID
    wins.
    """

    def __init__(
        self,
        settings: Settings,
        tokens: TokenStore,
        kind: Kind,
        dataset_id: str,
        options: ImportOptions,
    ) -> None:
        if options.concurrency < 1:
            raise ValueError("concurrency must be at least 1.")
        self._settings = replace(settings, timeout=options.timeout, max_retries=options.max_retries)
        self._tokens = tokens
        self._kind = kind
        self._options = options
        how = {} if options.mode is None else {"mode": options.mode}
        head = json.dumps({kind.dataset_field: dataset_id, **how})
        self._head = f'{head[:-1]},"{kind.records_field}":['.encode()
        self._started_at = time.monotonic()
        self._in_flight: list[_Batch] = []
        self._unacknowledged: deque[_Batch] = deque()
        self._acknowledged = 0
        self._bytes = 0
        self._report = ImportReport()

    def run(self, source: Any) -> Flow[ImportReport]:
        """`source` is an iterator of records, or an asynchronous iterator."""
        try:
            batch = _Batch(0)
            while True:
                record = (yield Pull(source)) if hasattr(source, "__anext__") else next(source, END)
                if record is END:
                    break
                text = self._encode(record)
                if batch.texts and batch.bytes + len(text) > _BYTES_PER_BATCH:
                    yield from self._start(batch)
                    batch = _Batch(batch.end)
                batch.add(record, text, self._id_of(record))
                if batch.is_full:
                    yield from self._start(batch)
                    batch = _Batch(batch.end)
            if batch.texts or batch.rejected:
                yield from self._start(batch)
            while self._in_flight:
                self._settle((yield Join()))
        except Exception as error:
            # Calls in flight are left to finish, so that the counts are final.
            while self._in_flight:
                outcome: _Outcome = yield Join()
                self._in_flight.remove(outcome.batch)
                if outcome.response is not None:
                    self._count(outcome.batch, outcome.response)
            raise ImportFailedError(
                self._kind.operation, self._acknowledged, self._report
            ) from error
        return self._report

    def _start(self, batch: _Batch) -> Flow[None]:
        while self._must_wait(batch):
            self._settle((yield Join()))
        self._in_flight.append(batch)
        self._unacknowledged.append(batch)
        yield Spawn(self._send(batch), self._options.concurrency)

    def _must_wait(self, batch: _Batch) -> bool:
        limit = self._options.concurrency
        if len(self._in_flight) >= limit:
            return True
        if self._in_flight and len(self._unacknowledged) >= limit * _MAX_RUNAHEAD:
            return True
        return any(not batch.ids.isdisjoint(other.ids) for other in self._in_flight)

    def _send(self, batch: _Batch) -> Flow[_Outcome]:
        try:
            response = yield from self._send_split(batch.texts)
        except Exception as error:
            return _Outcome(batch, None, error)
        return _Outcome(batch, response, None)

    def _send_split(self, texts: Sequence[bytes]) -> Flow[dict[str, Any]]:
        """Halves a batch that is too large for the service or a proxy (413), until it fits."""
        if not texts:
            return {"succeed_ids": [], "failed_count": 0, "failures": []}
        body = self._head + b",".join(texts) + b"]}"
        try:
            response: dict[str, Any] = yield from call_json(
                self._settings, self._tokens, self._kind.operation, body
            )
            return response
        except ApiError as error:
            if error.status != 413:
                raise
            if len(texts) == 1:
                failure = {"index": 0, "code": "RECORD_TOO_LARGE", "message": error.detail}
                return {"succeed_ids": [], "failed_count": 1, "failures": [failure]}
        # One after the other, so that the last record with an ID wins.
        middle = len(texts) // 2
        first = yield from self._send_split(texts[:middle])
        second = yield from self._send_split(texts[middle:])
        moved = [{**failure, "index": failure["index"] + middle} for failure in second["failures"]]
        return {
            "succeed_ids": first["succeed_ids"] + second["succeed_ids"],
            "failed_count": first["failed_count"] + second["failed_count"],
            "failures": first["failures"] + moved,
        }

    def _settle(self, outcome: _Outcome) -> None:
        batch = outcome.batch
        self._in_flight.remove(batch)
        if outcome.error is not None:
            raise outcome.error
        self._count(batch, outcome.response or {})
        report, options = self._report, self._options
        if options.on_progress is not None:
            seconds = max(time.monotonic() - self._started_at, 1e-3)
            options.on_progress(
                ImportProgress(report.sent, report.failed, self._bytes, report.sent / seconds)
            )

    def _count(self, batch: _Batch, response: dict[str, Any]) -> None:
        report = self._report
        succeeded = len(response["succeed_ids"])
        report.sent += len(batch.records) + len(batch.rejected)
        report.succeeded += succeeded
        report.failed += response["failed_count"] + len(batch.rejected)
        report.replaced += len(batch.records) - succeeded - response["failed_count"]
        self._bytes += batch.bytes
        for rejected in self._rejected_of(batch, response):
            if len(report.rejected) < MAX_REJECTED:
                report.rejected.append(rejected)
            if self._options.on_rejected is not None:
                self._options.on_rejected(rejected)
        batch.is_acknowledged = True
        # What is done needs no memory while an earlier batch is still in flight.
        batch.records, batch.texts, batch.indexes, batch.rejected = [], [], [], []
        while self._unacknowledged and self._unacknowledged[0].is_acknowledged:
            self._acknowledged = self._unacknowledged.popleft().end

    def _rejected_of(self, batch: _Batch, response: dict[str, Any]) -> Iterator[RejectedRecord]:
        yield from batch.rejected
        for failure in response["failures"]:
            record = batch.records[failure["index"]]
            yield RejectedRecord(
                batch.indexes[failure["index"]],
                failure.get("id") or self._id_of(record),
                failure["code"],
                failure["message"],
                record,
            )

    def _encode(self, record: Record | Unsendable) -> bytes | str:
        """The record as JSON, or why it cannot be sent."""
        if isinstance(record, Unsendable):
            return record.message
        try:
            text = _to_json(record)
        except (TypeError, ValueError):
            try:
                text = _to_json(clean_record(record))
            except (TypeError, ValueError, RecursionError) as error:
                return str(error)
        except RecursionError as error:
            return str(error)
        return text if len(text) <= _BYTES_PER_BATCH else _TOO_LARGE

    def _id_of(self, record: Any) -> str | None:
        """A source may yield any value: only the service checks records."""
        if isinstance(record, Unsendable):
            return record.id
        found = record.get(self._kind.id_field) if hasattr(record, "get") else None
        return found if isinstance(found, str) else None

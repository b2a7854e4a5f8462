"""The options of an import."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, TypedDict

from ._calls import TokenStore
from ._effects import Flow
from ._import_report import ImportProgress, ImportReport, RejectedRecord
from ._importing import ImportOptions, RecordImport, UpsertMode
from ._records import ColumnMapping, Kind, TsUnit, read_records
from ._settings import Settings, check_max_retries, check_timeout

#: Keeps a service on a few cores busy while the next batches are read and compressed.
_CONCURRENCY = 4
#: A call should survive an outage, rather than end an import that has run for hours.
_TIMEOUT = 120.0
_MAX_RETRIES = 10


class ImportArguments(TypedDict, total=False):
    """Keyword arguments of the `import_…` methods. Those for columns are for tables only."""

    rename: Mapping[str, str]
    """New names of columns: `{"movieId": "item_id"}`."""
    constants: Mapping[str, Any]
    """Columns with the same value in every row: `{"event_type": "rate"}`."""
    convert: Mapping[str, Callable[[Any], Any]]
    """Functions for columns, by new name: `{"genres": lambda text: text.split("|")}`."""
    ts_unit: TsUnit
    """The unit of a numeric `ts`. By default guessed by magnitude, as `tastegraph import` does."""
    mode: UpsertMode
    """MERGE changes only what is sent of records that exist. Default: REPLACE."""
    concurrency: int
    """The maximum number of calls in flight. Default: 4."""
    timeout: float
    """For each call, in seconds, including its retries and pauses. Default: 120."""
    max_retries: int
    """For each call. Default: 10, enough for a restart of the service."""
    on_rejected: Callable[[RejectedRecord], None]
    """Called for each record that was not written."""
    on_progress: Callable[[ImportProgress], None]
    """Called after each batch."""


def import_flow(
    settings: Settings,
    tokens: TokenStore,
    kind: Kind,
    dataset_id: str,
    source: Any,
    arguments: ImportArguments,
) -> Flow[ImportReport]:
    unknown = sorted(arguments.keys() - ImportArguments.__annotations__.keys())
    if unknown:
        raise TypeError(f"Unknown argument {unknown[0]}.")
    options = ImportOptions(
        mode=arguments.get("mode"),
        concurrency=arguments.get("concurrency", _CONCURRENCY),
        timeout=check_timeout(arguments.get("timeout", _TIMEOUT)),
        max_retries=check_max_retries(arguments.get("max_retries", _MAX_RETRIES)),
        on_rejected=arguments.get("on_rejected"),
        on_progress=arguments.get("on_progress"),
    )
    columns = ColumnMapping(
        rename=arguments.get("rename", {}),
        constants=arguments.get("constants", {}),
        convert=arguments.get("convert", {}),
        ts_unit=arguments.get("ts_unit"),
    )
    records = aiter(source) if hasattr(source, "__aiter__") else read_records(kind, source, columns)
    return RecordImport(settings, tokens, kind, dataset_id, options).run(records)

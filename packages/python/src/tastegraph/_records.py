"""Rows of a table as records of the contract."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal, TypeAlias

from ._plain import (
    MISSING,
    UnsendableError,
    event_id,
    guess_ts_unit,
    to_attribute,
    to_id,
    to_number,
    to_ts,
)
from ._tables import read_ndjson, read_tables, rows_of

TsUnit: TypeAlias = Literal["s", "ms", "us", "ns"]
Record: TypeAlias = Mapping[str, Any]


@dataclass(frozen=True)
class Kind:
    """How imports of users, items and events differ."""

    operation: str
    dataset_field: str
    records_field: str
    id_field: str


USERS = Kind("upsert_dataset_users", "user_dataset_id", "users", "user_id")
ITEMS = Kind("upsert_dataset_items", "item_dataset_id", "items", "item_id")
EVENTS = Kind("upsert_dataset_events", "event_dataset_id", "events", "event_id")

_EVENT_IDS = ("event_id", "user_id", "item_id", "event_type", "recommendation_id")


@dataclass(frozen=True)
class ColumnMapping:
    """How the columns of a table become fields and attributes."""

    rename: Mapping[str, str] = field(default_factory=dict)
    constants: Mapping[str, Any] = field(default_factory=dict)
    convert: Mapping[str, Callable[[Any], Any]] = field(default_factory=dict)
    ts_unit: TsUnit | None = None


@dataclass(frozen=True)
class Unsendable:
    """Stands for a row that cannot be sent."""

    row: Any
    id: str | None
    message: str


def read_records(kind: Kind, source: Any, mapping: ColumnMapping) -> Iterator[Record | Unsendable]:
    """Rows of a table are converted. Records are sent as they are: only the service checks them."""
    pieces = read_tables(source)
    if pieces is None:
        yield from read_ndjson(Path(source)) if isinstance(source, str | Path) else source
        return
    unit: str | None = mapping.ts_unit
    for columns in pieces:
        for row in rows_of(columns, mapping.rename):
            row.update(mapping.constants)
            if unit is None and kind is EVENTS:
                unit = _guess_unit(columns, mapping)
            try:
                _convert_cells(row, mapping)
                yield _event(row, unit or "ms") if kind is EVENTS else _entity(kind, row)
            except UnsendableError as error:
                yield Unsendable(row, _id_in(row, kind), str(error))


def _convert_cells(row: dict[str, Any], mapping: ColumnMapping) -> None:
    for name, convert in mapping.convert.items():
        if row.get(name) is None:
            continue
        try:
            row[name] = convert(row[name])
        except Exception as error:
            # One bad cell must not end the import of all others.
            raise UnsendableError(f"{name} cannot be converted: {error}") from error


def clean_record(record: Any) -> Any:
    """A record of values that JSON does not have: NaN, times, scalars of numpy."""
    if not isinstance(record, Mapping):
        return to_attribute(record)
    converted = {
        name: to_ts(value, "ms") if name == "ts" else to_attribute(value)
        for name, value in record.items()
    }
    return {name: value for name, value in converted.items() if value is not MISSING}


def _guess_unit(columns: Mapping[str, list[Any]], mapping: ColumnMapping) -> str:
    cells = [cells for name, cells in columns.items() if mapping.rename.get(name, name) == "ts"]
    return guess_ts_unit(cells[0] if cells else [])


def _event(row: dict[str, Any], ts_unit: str) -> Record:
    fields = {name: to_id(row.pop(name, None)) for name in _EVENT_IDS}
    fields["ts"] = to_ts(row.pop("ts", None), ts_unit)
    fields["event_value"] = to_number(row.pop("event_value", None))
    if fields["event_id"] is MISSING:
        parts = (fields[name] for name in ("user_id", "item_id", "ts", "event_type"))
        fields["event_id"] = event_id(*parts)
    record = {name: value for name, value in fields.items() if value is not MISSING}
    attributes = _attributes(row)
    if attributes is not MISSING:
        record["attributes"] = attributes
    return record


def _entity(kind: Kind, row: dict[str, Any]) -> Record:
    found = to_id(row.pop(kind.id_field, None))
    record = {} if found is MISSING else {kind.id_field: found}
    attributes = _attributes(row)
    record["attributes"] = {} if attributes is MISSING else attributes
    return record


def _attributes(row: dict[str, Any]) -> Any:
    """A column `attributes` wins over other columns, because JSON has types: an export has both."""
    cell = row.pop("attributes", None)
    if isinstance(cell, str):
        try:
            cell = json.loads(cell)
        except ValueError:
            return cell
    whole = to_attribute(cell)
    if whole is not MISSING and not isinstance(whole, dict):
        return whole
    attributes: dict[str, Any] = {}
    for name, value in row.items():
        try:
            plain = to_attribute(value)
        except UnsendableError as error:
            raise UnsendableError(f"attributes.{name}: {error}") from None
        if plain is not MISSING:
            attributes[name] = plain
    if whole is MISSING:
        return attributes or MISSING
    return {**attributes, **whole}


def _id_in(row: Mapping[str, Any], kind: Kind) -> str | None:
    found = row.get(kind.id_field)
    return None if found is None else str(found)

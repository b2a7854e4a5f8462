"""Reads tables: data frames, Arrow tables, and files. Imports optional packages when needed."""

from __future__ import annotations

import csv
import gzip
import json
from collections.abc import Iterator, Mapping
from contextlib import closing
from pathlib import Path
from typing import IO, Any, TypeAlias, cast

from ._plain import is_missing

#: Columns by name. All have the same length.
Columns: TypeAlias = dict[str, list[Any]]

#: Rows that are converted together: a few megabytes, and little work per row.
_ROWS = 10_000


def read_tables(source: Any) -> Iterator[Columns] | None:
    """The source in pieces, or None if it is not a table: an iterable of records, or NDJSON."""
    if isinstance(source, str | Path):
        return _read_file(Path(source))
    package = type(source).__module__.partition(".")[0]
    if package == "pandas":
        return _read_pandas(source)
    if package == "polars":
        return _read_polars(source)
    if package == "pyarrow":
        return _read_arrow(source)
    return None


def read_ndjson(path: Path) -> Iterator[Any]:
    with closing(_open(path)) as lines:
        for line in lines:
            if line.strip():
                yield json.loads(line)


def _read_file(path: Path) -> Iterator[Columns] | None:
    kind = _kind_of(path)
    if kind == "ndjson":
        return None
    return _read_csv(path) if kind == "csv" else _read_parquet(path)


def _kind_of(path: Path) -> str:
    name = path.name.lower().removesuffix(".gz")
    if name.endswith((".ndjson", ".jsonl")):
        return "ndjson"
    if name.endswith((".csv", ".tsv")):
        return "csv"
    if name.endswith((".parquet", ".pq")):
        return "parquet"
    raise ValueError(
        f"{path.name}: expected a file of type .csv, .tsv, .parquet, .ndjson or .jsonl"
    )


def _open(path: Path) -> IO[str]:
    if path.name.lower().endswith(".gz"):
        return cast("IO[str]", gzip.open(path, "rt", encoding="utf-8-sig", newline=""))
    return path.open(encoding="utf-8-sig", newline="")


def _read_csv(path: Path) -> Iterator[Columns]:
    """All cells are text, so that an ID such as 007 keeps its zeros. Empty cells are missing."""
    delimiter = "\t" if path.name.lower().removesuffix(".gz").endswith(".tsv") else ","
    with closing(_open(path)) as lines:
        rows = csv.reader(lines, delimiter=delimiter)
        names = next(rows, [])
        piece: list[list[str]] = []
        for row in rows:
            if len(row) != len(names):
                if not row:
                    continue
                raise ValueError(
                    f"{path.name}, line {rows.line_num}: {len(row)} cells, not {len(names)}"
                )
            piece.append(row)
            if len(piece) == _ROWS:
                yield _columns_of(names, piece)
                piece = []
        if piece:
            yield _columns_of(names, piece)


def _columns_of(names: list[str], rows: list[list[str]]) -> Columns:
    columns = zip(*rows, strict=True)
    return {
        name: [cell or None for cell in column] for name, column in zip(names, columns, strict=True)
    }


def _read_parquet(path: Path) -> Iterator[Columns]:
    try:
        from pyarrow import parquet
    except ImportError:
        try:
            import polars
        except ImportError:
            raise ImportError(
                "Parquet needs a package: pip install 'tastegraph[parquet]' or 'tastegraph[polars]'"
            ) from None
        return _read_polars(polars.read_parquet(path))
    return _read_arrow_batches(parquet.ParquetFile(path).iter_batches(batch_size=_ROWS))


def _read_pandas(frame: Any) -> Iterator[Columns]:
    if not hasattr(frame, "columns"):
        raise TypeError("Pass a DataFrame, not a Series.")
    names = [str(name) for name in frame.columns]
    if len(set(names)) < len(names):
        raise ValueError("The DataFrame has two columns of the same name.")
    for start in range(0, len(frame), _ROWS):
        piece = frame.iloc[start : start + _ROWS]
        yield {name: _pandas_cells(piece.iloc[:, index]) for index, name in enumerate(names)}


def _pandas_cells(series: Any) -> list[Any]:
    # tolist() converts numpy scalars; NaN, NaT and NA stay what they are.
    return [None if is_missing(cell) else cell for cell in series.tolist()]


def _read_polars(frame: Any) -> Iterator[Columns]:
    if hasattr(frame, "collect"):
        frame = frame.collect()
    for piece in frame.iter_slices(_ROWS):
        yield {name: piece.get_column(name).to_list() for name in piece.columns}


def _read_arrow(table: Any) -> Iterator[Columns]:
    if hasattr(table, "to_batches"):
        return _read_arrow_batches(table.to_batches(max_chunksize=_ROWS))
    # A RecordBatchReader, or a single batch.
    return _read_arrow_batches(table if hasattr(table, "read_next_batch") else [table])


def _read_arrow_batches(batches: Any) -> Iterator[Columns]:
    import pyarrow

    for batch in batches:
        columns = zip(batch.schema, batch.columns, strict=True)
        yield {field.name: _arrow_cells(field.type, column, pyarrow) for field, column in columns}


def _arrow_cells(kind: Any, column: Any, pyarrow: Any) -> list[Any]:
    if pyarrow.types.is_timestamp(kind) and kind.unit == "ns":
        # A datetime of Python has no nanoseconds.
        column = column.cast(pyarrow.timestamp("us", kind.tz), safe=False)
    if pyarrow.types.is_map(kind):
        return [cell if cell is None else dict(cell) for cell in column.to_pylist()]
    return cast("list[Any]", column.to_pylist())


def rows_of(columns: Columns, names: Mapping[str, str]) -> Iterator[dict[str, Any]]:
    """The rows of a piece, with renamed columns."""
    keys = [names.get(name, name) for name in columns]
    for cells in zip(*columns.values(), strict=True):
        yield dict(zip(keys, cells, strict=True))

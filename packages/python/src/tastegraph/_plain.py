"""Values of Python, numpy, pandas and Arrow as values of the contract."""

from __future__ import annotations

import hashlib
import math
import re
from collections.abc import Mapping
from datetime import UTC, date, datetime
from decimal import Decimal
from enum import Enum
from typing import Any
from uuid import UUID

#: A cell without a value: it is not sent.
MISSING: Any = object()

#: Units of a numeric timestamp, as milliseconds per unit.
_MS_PER_UNIT = {"s": 1000.0, "ms": 1.0, "us": 1e-3, "ns": 1e-6}
#: Longer generated IDs are hashed. `tastegraph import` generates the same ones.
_MAX_ID_LENGTH = 256
_BARS = re.compile(r"[|\\]")
#: The Unicode category Cc.
_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f]")


class UnsendableError(ValueError):
    """The value cannot be sent. The other records of the call can."""


def to_plain(value: Any) -> Any:
    """What `json` cannot encode by itself: scalars and arrays of numpy, decimals, dates, sets."""
    if isinstance(value, datetime | date):
        return _iso(value)
    if isinstance(value, Decimal):
        return float(value)
    if isinstance(value, Enum):
        return value.value
    if isinstance(value, UUID):
        return str(value)
    if hasattr(value, "tolist"):
        return value.tolist()
    if isinstance(value, set | frozenset):
        return sorted(value)
    if isinstance(value, Mapping):
        return dict(value)
    if isinstance(value, bytes) or not hasattr(value, "__iter__"):
        raise UnsendableError(f"a value of type {type(value).__name__} cannot be sent as JSON")
    return list(value)


def is_missing(value: Any) -> bool:
    """None, NaN, NaT and pandas.NA."""
    if value is None:
        return True
    if isinstance(value, float):
        return math.isnan(value)
    return type(value).__name__ in ("NaTType", "NAType")


def to_attribute(value: Any) -> Any:
    """The value of an attribute, or MISSING. Missing elements of a list are left out."""
    if type(value) in (str, int, bool):
        return value
    if is_missing(value):
        return MISSING
    if isinstance(value, float):
        if math.isinf(value):
            raise UnsendableError("an infinite number cannot be sent")
        return float(value)
    if isinstance(value, str | int | bool):
        return value
    if isinstance(value, Mapping):
        entries = ((str(key), to_attribute(inner)) for key, inner in value.items())
        return {key: inner for key, inner in entries if inner is not MISSING}
    if isinstance(value, list | tuple):
        elements = (to_attribute(element) for element in value)
        return [element for element in elements if element is not MISSING]
    return to_attribute(to_plain(value))


def to_id(value: Any) -> Any:
    """An ID as text. A column with gaps has the ID 7 as the number 7.0."""
    if type(value) is str:
        return value or MISSING
    if type(value) is int:
        return str(value)
    plain = to_attribute(value)
    if plain is MISSING or isinstance(plain, str):
        return plain or MISSING
    if isinstance(plain, bool):
        return "true" if plain else "false"
    if isinstance(plain, float) and plain.is_integer():
        return str(int(plain))
    return str(plain)


def to_number(value: Any) -> Any:
    """A number, also of text in a CSV file. The service refuses other text."""
    plain = to_attribute(value)
    if not isinstance(plain, str):
        return plain
    if plain == "":
        return MISSING
    try:
        number = float(plain)
    except ValueError:
        return plain
    return number if math.isfinite(number) else plain


def to_ts(value: Any, unit: str) -> Any:
    """Milliseconds since the Unix epoch. A time without a zone is in UTC."""
    if isinstance(value, str):
        if value == "":
            return MISSING
        if re.fullmatch(r"\d+(\.\d+)?", value):
            value = float(value) if "." in value else int(value)
        else:
            try:
                value = datetime.fromisoformat(value)
            except ValueError:
                return value
    if is_missing(value):
        return MISSING
    if isinstance(value, date) and not isinstance(value, datetime):
        value = datetime(value.year, value.month, value.day)
    if isinstance(value, datetime):
        zoned = value if value.tzinfo is not None else value.replace(tzinfo=UTC)
        # By whole microseconds: in floating point, a millisecond could get lost.
        return round(zoned.timestamp() * 1_000_000) // 1000
    number = value if isinstance(value, int | float) else to_attribute(value)
    if isinstance(number, bool) or not isinstance(number, int | float):
        return number
    if isinstance(number, int) and unit in ("us", "ns"):
        return number // (1000 if unit == "us" else 1_000_000)
    ms = number * _MS_PER_UNIT[unit]
    return math.floor(ms) if math.isfinite(ms) else MISSING


def guess_ts_unit(values: list[Any]) -> str:
    """The unit of numeric timestamps by their magnitude, as `tastegraph import` guesses it."""
    plain = (to_number(value) for value in values if not isinstance(value, datetime | date))
    numbers = [number for number in plain if isinstance(number, int | float)]
    largest = max(numbers, default=1e12)
    if largest < 1e11:
        return "s"
    if largest < 1e14:
        return "ms"
    return "us" if largest < 1e17 else "ns"


def event_id(user_id: Any, item_id: Any, ts: Any, event_type: Any) -> str:
    """The same event always gets the same ID, here and in `tastegraph import`."""
    text = f"{_escape_bar(user_id)}|{_escape_bar(item_id)}|{_shown(ts)}|{_shown(event_type)}"
    # JavaScript counts UTF-16 units: one or two per character.
    is_short = 2 * len(text) <= _MAX_ID_LENGTH or _utf16_length(text) <= _MAX_ID_LENGTH
    if is_short and not _CONTROL.search(text):
        return text
    return hashlib.sha256(text.encode("utf-8", "replace")).hexdigest()


def _utf16_length(text: str) -> int:
    return len(text.encode("utf-16-le", "surrogatepass")) // 2


def _escape_bar(part: Any) -> str:
    text = _shown(part)
    return _BARS.sub(r"\\\g<0>", text) if "|" in text or "\\" in text else text


def _shown(part: Any) -> str:
    return "undefined" if part is MISSING else str(part)


def _iso(value: date) -> str:
    """As JavaScript writes it: UTC, with milliseconds."""
    if not isinstance(value, datetime):
        return value.isoformat()
    zoned = value.astimezone(UTC) if value.tzinfo is not None else value
    return f"{zoned.replace(tzinfo=None).isoformat(timespec='milliseconds')}Z"

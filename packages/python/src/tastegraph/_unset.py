"""Tells a field that is left out from one that is None."""

from __future__ import annotations

from enum import Enum
from typing import Any, Final


class Unset(Enum):
    UNSET = "UNSET"
    NULL = "NULL"


UNSET: Final = Unset.UNSET


def keep_none(value: Any) -> Any:
    """For fields in which null has a meaning of its own."""
    return Unset.NULL if value is None else value


def given(request: dict[str, Any]) -> dict[str, Any]:
    """The fields to send."""
    return {
        name: None if value is Unset.NULL else value
        for name, value in request.items()
        if value is not None and value is not UNSET
    }

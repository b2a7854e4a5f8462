"""Tells the service which response led to an event."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar

E = TypeVar("E", bound=Mapping[str, Any])


def with_recommendation(event: E, *answers: Mapping[str, Any]) -> E:
    """Adds to an event the `recommendation_id` of the response that led to it.

    That is the first of `answers` that contains the item. The event is returned as it is if none
    does, or if it names a response already.
    """
    if event.get("recommendation_id") is not None:
        return event
    for answer in answers:
        items = (result["item"]["item_id"] for result in answer["results"])
        if event.get("item_id") in items:
            return {**event, "recommendation_id": answer["recommendation_id"]}  # type: ignore[return-value]
    return event

"""All calls to Tastegraph. They return None if it fails or does not answer in time: the page then shows something else."""

import logging
import os
import time
import uuid

from catalog import stock_of
from tastegraph import Tastegraph, TastegraphError

PROJECT = os.environ["TASTEGRAPH_PROJECT_ID"]
EVENTS = os.environ["TASTEGRAPH_EVENT_DATASET_ID"]
ITEMS = os.environ["TASTEGRAPH_ITEM_DATASET_ID"]
IN_STOCK = "!has(item.stock) || item.stock > 0"
MAX_EVENTS_PER_MOVE = 1000

client = Tastegraph(
    url=os.environ["TASTEGRAPH_URL"],
    key=os.environ["TASTEGRAPH_API_KEY"],
    secret=os.environ["TASTEGRAPH_API_SECRET"],
    # The key needs to allow no other operations.
    operations=[
        "/recommend-items-to-user",
        "/recommend-items-to-item",
        "/upsert-dataset-events",
        "/upsert-dataset-items",
        "/list-dataset-events",
    ],
    # Longer than this, and the page does without.
    timeout=int(os.environ.get("TASTEGRAPH_TIMEOUT_MS", 300)) / 1000,
)


def _attempt(call, *args):
    try:
        return call(*args)
    except TastegraphError as error:
        logging.warning("%s", error)
        return None


def _ids_of(answer):
    return answer and [result["item"]["item_id"] for result in answer["results"]]


def recommend(user_id, cart):
    """Books for the shopper's home page: new to them, and in stock."""
    request = {
        "project_id": PROJECT,
        "user_id": user_id,
        "context_items": list(dict.fromkeys(cart)),
        "exclude_event_types": ["buy", "view"],
        "filter_query": IN_STOCK,
        "limit": 6,
    }
    return _ids_of(_attempt(client.post, "/recommend-items-to-user", request))


def goes_with(user_id, item_ids):
    """Books that are similar to one, or that go with all of a cart."""
    items = {"item_ids": list(dict.fromkeys(item_ids)), "filter_query": IN_STOCK, "limit": 4}
    return _ids_of(_attempt(client.post, "/recommend-items-to-item", {"project_id": PROJECT, "user_id": user_id, **items}))


def send_view(user_id, item_id):
    _send_events(user_id, "view", [item_id])


def send_order(user_id, item_ids):
    """In production, send orders from a queue until they are acknowledged: a purchase must not get lost."""
    _send_events(user_id, "buy", item_ids)
    send_stock(item_ids)


def _send_events(user_id, event_type, item_ids):
    now = int(time.time() * 1000)
    events = [
        {"event_id": str(uuid.uuid4()), "user_id": user_id, "item_id": item_id, "ts": now, "event_type": event_type}
        for item_id in item_ids
    ]
    return _attempt(client.post, "/upsert-dataset-events", {"event_dataset_id": EVENTS, "events": events})


def send_stock(item_ids):
    """Sets the attribute `stock`, and keeps all others."""
    items = [{"item_id": item_id, "attributes": {"stock": stock_of(item_id)}} for item_id in item_ids]
    return _attempt(client.post, "/upsert-dataset-items", {"item_dataset_id": ITEMS, "mode": "MERGE", "items": items})


def move_events(visitor, user_id):
    """Moves a visitor's events to the user who logged in. Event IDs stay, so nothing counts twice. Returns whether it is done."""
    query = {"event_dataset_id": EVENTS, "user_id": visitor, "page_size": MAX_EVENTS_PER_MOVE}
    found = _attempt(client.get, "/list-dataset-events", query)
    if found is None:
        return False
    events = [{"event_id": event["event_id"], "user_id": user_id} for event in found["events"]]
    if not events:
        return True
    moved = _attempt(client.post, "/upsert-dataset-events", {"event_dataset_id": EVENTS, "mode": "MERGE", "events": events})
    return moved is not None and len(events) < MAX_EVENTS_PER_MOVE

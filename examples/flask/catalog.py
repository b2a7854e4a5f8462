"""Stands in for your database: books, and how many copies are left, in memory."""

import json
import os
import threading

COPIES_AT_START = 3

with open(os.environ.get("CATALOG", "../../.dev/example/items.ndjson"), encoding="utf-8") as lines:
    _records = [json.loads(line) for line in lines]
BOOKS = {record["item_id"]: {"id": record["item_id"], **record["attributes"]} for record in _records}
GENRES = sorted({genre for book in BOOKS.values() for genre in book["genres"]})

_stock = dict.fromkeys(BOOKS, COPIES_AT_START)
_lock = threading.Lock()


def find_books(ids):
    return [BOOKS[id] for id in ids if id in BOOKS]


def stock_of(id):
    return _stock.get(id, 0)


def list_genre(genre):
    return [book for book in BOOKS.values() if genre in book["genres"]]


def newest_books(count, among=None):
    """What to show without recommendations."""
    books = [book for book in (among or BOOKS.values()) if stock_of(book["id"]) > 0]
    return sorted(books, key=lambda book: -book["year"])[:count]


def take_copies(ids):
    """Takes one copy of each book that is left, and returns those books."""
    taken = []
    with _lock:
        for id in ids:
            if stock_of(id) > 0:
                _stock[id] -= 1
                taken.append(id)
    return taken

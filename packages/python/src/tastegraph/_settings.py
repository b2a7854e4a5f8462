"""The options of a client, checked early."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Literal
from urllib.parse import urlsplit

from ._endpoints import ENDPOINTS

_PRINTABLE = re.compile(r"[\x21-\x7e]{1,200}")


@dataclass(frozen=True)
class Settings:
    base_url: str
    api_key: str = field(repr=False)
    api_secret: str = field(repr=False)
    scopes: frozenset[str] = field(repr=False)
    timeout: float
    max_retries: int
    gzip_above_bytes: int
    request_id: str | None = None


def resolve(
    base_url: str | None,
    api_key: str | None,
    api_secret: str | None,
    scopes: Literal["all"] | Iterable[str],
    timeout: float,
    max_retries: int,
    gzip_above_bytes: int,
) -> Settings:
    """Messages never contain a value, because one of the values is the secret."""
    return Settings(
        base_url=_base_url(_text("base_url", base_url, "TASTEGRAPH_URL")),
        api_key=check_header("api_key", _text("api_key", api_key, "TASTEGRAPH_API_KEY")),
        api_secret=_text("api_secret", api_secret, "TASTEGRAPH_API_SECRET"),
        scopes=_scopes(scopes),
        timeout=check_timeout(timeout),
        max_retries=check_max_retries(max_retries),
        gzip_above_bytes=gzip_above_bytes,
    )


def check_timeout(timeout: float) -> float:
    if not timeout > 0:
        raise ValueError("timeout must be greater than 0 seconds.")
    return timeout


def check_max_retries(max_retries: int) -> int:
    if not max_retries >= 0:
        raise ValueError("max_retries must be at least 0.")
    return max_retries


def check_header(name: str, value: str) -> str:
    if not _PRINTABLE.fullmatch(value):
        raise ValueError(f"{name} must be 1 to 200 printable ASCII characters without spaces.")
    return value


def _text(name: str, value: str | None, variable: str) -> str:
    found = value if value is not None else os.environ.get(variable)
    if not found:
        raise ValueError(f"Pass {name}, or set {variable}.")
    return found


def _base_url(text: str) -> str:
    url = urlsplit(text)
    if url.scheme not in ("http", "https") or not url.hostname:
        raise ValueError("base_url must be an absolute http or https URL.")
    if url.username or url.password or url.query or url.fragment:
        raise ValueError("base_url must not contain credentials, a query or a fragment.")
    return f"{url.scheme}://{url.netloc}{url.path}".rstrip("/")


def _scopes(scopes: Literal["all"] | Iterable[str]) -> frozenset[str]:
    names = frozenset(ENDPOINTS if scopes == "all" else scopes)
    unknown = sorted(names - ENDPOINTS.keys())
    if unknown:
        raise ValueError(f"scopes: unknown operation {unknown[0]}.")
    return names

"""One call: its request, its token, and its retries."""

from __future__ import annotations

import gzip
import json
import random
import re
import time
from collections.abc import Callable
from typing import Any, NamedTuple
from urllib.parse import urlencode

from ._effects import Acquire, Deadline, Flow, HttpRequest, HttpResponse, Pause, T
from ._endpoints import ENDPOINTS
from ._plain import to_plain
from ._responses import parse_response
from ._settings import Settings
from ._unset import given
from ._version import VERSION
from .errors import (
    ApiError,
    CallTimeoutError,
    ConnectionFailedError,
    NotFoundError,
    TastegraphError,
    is_idempotent,
)

#: Longer than most short failures, but hardly noticeable.
_INITIAL_PAUSE = 0.25
#: A longer pause would gain little, and would not fit in the default timeout.
_MAX_PAUSE = 8.0
#: Statuses after which the client cannot know whether the operation was executed.
_UNKNOWN_OUTCOME = frozenset((500, 502, 503, 504))
#: Time for a call with the token to arrive, including retries, and for clocks to differ.
_RENEW_BEFORE = 60.0
#: A batch of events is 6 % larger than with the default level, in a quarter of the time.
_GZIP_LEVEL = 1
_TOKEN_PATH = "/oauth/token"
_HEADERS = {"Accept": "application/json", "User-Agent": f"tastegraph-python/{VERSION}"}


class _Token(NamedTuple):
    value: str
    stale_at: float


class _Body(NamedTuple):
    method: str
    url: str
    headers: dict[str, str]
    content: bytes | None


class TokenStore:
    """Tokens by scope, shared by all clients of the same origin (`with_options`)."""

    def __init__(self) -> None:
        self._tokens: dict[str, _Token] = {}

    def find(self, scope: str) -> str | None:
        # Wall-clock time, because it advances while a machine sleeps, as the lifetime does.
        token = self._tokens.get(scope)
        return token.value if token is not None and token.stale_at > time.time() else None

    def put(self, scope: str, token: _Token) -> None:
        self._tokens[scope] = token

    def remove(self, scope: str, value: str) -> None:
        """Removes a refused token, unless it has already been replaced."""
        token = self._tokens.get(scope)
        if token is not None and token.value == value:
            self._tokens.pop(scope, None)


def call(settings: Settings, tokens: TokenStore, name: str, request: dict[str, Any]) -> Flow[Any]:
    """Calls an operation. Returns None for a delete that was repeated and found nothing left."""
    body = _encode(settings, name, given(request))
    return call_encoded(settings, tokens, name, body)


def call_json(settings: Settings, tokens: TokenStore, name: str, text: bytes) -> Flow[Any]:
    """The same with a request that is already JSON."""
    return call_encoded(settings, tokens, name, _encode_json(settings, name, text))


def call_encoded(settings: Settings, tokens: TokenStore, name: str, body: _Body) -> Flow[Any]:
    deadline = Deadline(name, settings.timeout)
    renewed = False
    may_have_run = False

    def attempt() -> Flow[Any]:
        nonlocal renewed, may_have_run
        scope = _scope_of(settings, name)
        try:
            cached = tokens.find(scope)
            token = cached or (yield from _fetch_token(settings, tokens, scope, deadline))
            try:
                return (yield from _send(settings, name, body, token, deadline))
            except ApiError as error:
                if cached is None or renewed or error.status != 401:
                    raise
            # The service refused a cached token: it may have been revoked, and a new one may work.
            renewed = True
            tokens.remove(scope, token)
            token = yield from _fetch_token(settings, tokens, scope, deadline)
            return (yield from _send(settings, name, body, token, deadline))
        except TastegraphError as error:
            gone = may_have_run and ENDPOINTS[name].is_removal and isinstance(error, NotFoundError)
            if gone:
                return None
            may_have_run = may_have_run or has_unknown_outcome(error)
            raise

    return (yield from with_retries(name, attempt, settings.max_retries, deadline))


def has_unknown_outcome(error: BaseException) -> bool:
    """Whether the operation may have been executed despite the error.

    This includes a 503: the service also sends it when it loses its database during a commit.
    """
    if isinstance(error, ApiError):
        return error.status in _UNKNOWN_OUTCOME
    return isinstance(error, ConnectionFailedError)


def is_transient(error: BaseException) -> bool:
    """Whether a later attempt may succeed, because the error is not caused by the request."""
    is_refused = isinstance(error, ApiError) and error.status == 429
    return is_refused or isinstance(error, CallTimeoutError) or has_unknown_outcome(error)


def _may_retry(action: str, error: TastegraphError) -> bool:
    # A token request has already done its own retries.
    if error.operation != action:
        return False
    # The service sends a 429 before it does any work.
    if isinstance(error, ApiError) and error.status == 429:
        return True
    return is_idempotent(action) and has_unknown_outcome(error)


def with_retries(
    action: str, attempt: Callable[[], Flow[T]], max_retries: int, deadline: Deadline
) -> Flow[T]:
    retries = 0
    while True:
        try:
            return (yield from attempt())
        except TastegraphError as error:
            if retries >= max_retries or not _may_retry(action, error):
                raise
            # Full jitter, so that callers that failed together do not retry together.
            pause = random.random() * min(_MAX_PAUSE, _INITIAL_PAUSE * 2**retries)
            pause += getattr(error, "retry_after", None) or 0.0
            # The retry would time out anyway, and this error says more than the timeout.
            if pause >= deadline.remaining():
                raise
        yield Pause(pause)
        retries += 1


def _send(
    settings: Settings, name: str, body: _Body, token: str, deadline: Deadline
) -> Flow[dict[str, Any]]:
    access = {"APIKey": settings.api_key, "Authorization": f"Bearer {token}"}
    if settings.request_id is not None:
        access["X-Request-Id"] = settings.request_id
    headers = {**body.headers, **access}
    response: HttpResponse = yield HttpRequest(
        name, body.method, body.url, headers, body.content, deadline
    )
    return parse_response(name, response)


def _scope_of(settings: Settings, name: str) -> str:
    names = sorted(settings.scopes) if name in settings.scopes else [name]
    return " ".join(ENDPOINTS[each].path for each in names)


def _fetch_token(
    settings: Settings, tokens: TokenStore, scope: str, deadline: Deadline
) -> Flow[str]:
    """At most one request per scope is in flight: whoever waits for it uses its token."""
    lock = yield Acquire(scope, deadline)
    try:
        cached = tokens.find(scope)
        if cached is not None:
            return cached

        def attempt() -> Flow[_Token]:
            return _request_token(settings, scope, deadline)

        token = yield from with_retries("token", attempt, settings.max_retries, deadline)
        tokens.put(scope, token)
        return token.value
    finally:
        lock.release()


def _request_token(settings: Settings, scope: str, deadline: Deadline) -> Flow[_Token]:
    form = {
        "grant_type": "client_credentials",
        "client_id": settings.api_key,
        "client_secret": settings.api_secret,
        "scope": scope,
    }
    headers = {
        **_HEADERS,
        "Content-Type": "application/x-www-form-urlencoded",
        # The key names its cell; a load balancer routes by this header.
        "APIKey": settings.api_key,
    }
    requested_at = time.time()
    response: HttpResponse = yield HttpRequest(
        "token",
        "POST",
        settings.base_url + _TOKEN_PATH,
        headers,
        urlencode(form).encode(),
        deadline,
    )
    answer = parse_response("token", response)
    value, lifetime = answer.get("access_token"), answer.get("expires_in")
    # An invalid header value is refused here, because httpx would quote the token in its error.
    is_token = isinstance(value, str) and re.fullmatch(r"[\x21-\x7e]+", value)
    if not is_token or not isinstance(lifetime, int | float):
        raise TastegraphError("token", "the response contains no token. Check base_url.")
    # A token with a lifetime under two minutes is used for half of it.
    return _Token(str(value), requested_at + lifetime - min(_RENEW_BEFORE, lifetime / 2))


def _encode(settings: Settings, name: str, request: dict[str, Any]) -> _Body:
    endpoint = ENDPOINTS[name]
    if endpoint.method != "GET":
        text = json.dumps(request, default=to_plain, allow_nan=False, ensure_ascii=False)
        return _encode_json(settings, name, text.encode())
    query = {key: _query_value(value) for key, value in request.items() if value is not None}
    url = settings.base_url + endpoint.path + (f"?{urlencode(query)}" if query else "")
    return _Body("GET", url, dict(_HEADERS), None)


def _query_value(value: Any) -> str:
    return ("true" if value else "false") if isinstance(value, bool) else str(value)


def _encode_json(settings: Settings, name: str, text: bytes) -> _Body:
    """Encoded once per call: retries send the same body."""
    endpoint = ENDPOINTS[name]
    headers = {**_HEADERS, "Content-Type": "application/json"}
    if len(text) > settings.gzip_above_bytes:
        headers["Content-Encoding"] = "gzip"
        text = gzip.compress(text, _GZIP_LEVEL)
    return _Body(endpoint.method, settings.base_url + endpoint.path, headers, text)

"""Reads responses of the service, and of what may stand between it and the client."""

from __future__ import annotations

import json
import math
import time
from email.utils import parsedate_to_datetime
from typing import Any

from ._effects import HttpResponse
from .errors import ApiErrorFields, api_error

#: The token endpoint has the codes of RFC 6749; these are the corresponding ones of the API.
_TOKEN_CODES = {
    "invalid_client": "UNAUTHENTICATED",
    "invalid_scope": "SCOPE_MISSING",
    "invalid_request": "INVALID_REQUEST",
    "unsupported_grant_type": "INVALID_REQUEST",
}


def parse_response(operation: str, response: HttpResponse) -> dict[str, Any]:
    """The JSON object of a successful response. Raises an `ApiError` for any other response."""
    body = _object_in(response.body)
    is_done = 200 <= response.status < 300
    if is_done and body is not None:
        return body
    raise api_error(operation, _fields_of(response, None if is_done else body))


def _fields_of(response: HttpResponse, body: dict[str, Any] | None) -> ApiErrorFields:
    retry_after = _retry_after(response.headers.get("retry-after"))
    request_id = response.headers.get("x-request-id")
    code, detail = (body or {}).get("code"), (body or {}).get("detail")
    if body is not None and isinstance(code, str) and isinstance(detail, str):
        return ApiErrorFields(
            status=response.status,
            code=code,
            detail=detail,
            errors=body["errors"] if isinstance(body.get("errors"), list) else [],
            request_id=body.get("request_id") or request_id,
            retry_after=retry_after,
            resolve_with=body.get("resolve_with"),
        )
    token_error = (body or {}).get("error")
    token_code = _TOKEN_CODES.get(token_error) if isinstance(token_error, str) else None
    if body is not None and token_code is not None:
        detail = str(body.get("error_description") or token_error)
    else:
        token_code, detail = "UNRECOGNIZED", _unrecognized(response)
    return ApiErrorFields(
        status=response.status,
        code=token_code,
        detail=detail,
        request_id=request_id,
        retry_after=retry_after,
    )


def _unrecognized(response: HttpResponse) -> str:
    # Does not quote the body: another server may echo the headers, and with them the token.
    if 300 <= response.status < 400:
        return "The server responded with a redirect, which the client does not follow."
    content_type = response.headers.get("content-type", "no content type")
    return f"The response ({content_type}) is not from a Tastegraph service."


def _object_in(body: bytes) -> dict[str, Any] | None:
    try:
        value = json.loads(body)
    except ValueError:
        return None
    return value if isinstance(value, dict) else None


def _retry_after(header: str | None) -> float | None:
    """A number of seconds or a date."""
    if header is None:
        return None
    if header.isdecimal():
        return float(header)
    try:
        seconds = parsedate_to_datetime(header).timestamp() - time.time()
    except ValueError:
        return None
    return max(0.0, float(math.ceil(seconds)))

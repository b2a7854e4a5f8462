"""A small client for Tastegraph: renews tokens, limits the time of a call, and retries it.

It repeats a call after an error, which is right for recommendations, upserts and reads. Do not use it to create something: a
request that is sent twice creates two.
"""

import random
import threading
import time

import requests

MAX_ATTEMPTS = 3
RETRIED = (401, 429, 503)
RENEW_SECONDS_BEFORE_EXPIRY = 60


class TastegraphError(Exception):
    """The service refused the call, failed, or did not answer in time."""

    def __init__(self, message, status=None, wait=0):
        super().__init__(message)
        self.status, self.wait = status, wait


class Tastegraph:
    """Can be shared between threads. `operations` are the paths that the token may call."""

    def __init__(self, url, key, secret, operations, timeout):
        self._url = url.rstrip("/")
        self._key, self._secret = key, secret
        self._scope = " ".join(operations)
        self._timeout = timeout
        # Keeps connections open between calls.
        self._http = requests.Session()
        self._lock = threading.Lock()
        self._token, self._renew_at = None, 0.0

    def get(self, path, query):
        return self._call("GET", path, params=query)

    def post(self, path, body):
        return self._call("POST", path, json=body)

    def _call(self, method, path, **request):
        deadline = time.monotonic() + self._timeout
        for attempt in range(1, MAX_ATTEMPTS + 1):
            token = None
            try:
                token = self._current_token(deadline)
                headers = {"APIKey": self._key, "Authorization": f"Bearer {token}"}
                return self._send(method, path, deadline, headers=headers, **request)
            except TastegraphError as error:
                # A refused token may have been revoked, and a new one may work. Refused credentials stay wrong.
                if error.status not in RETRIED or (error.status == 401 and token is None):
                    raise
                if error.status == 401:
                    self._forget(token)
                wait = error.wait + random.uniform(0, 0.1 * 2**attempt)
                if attempt == MAX_ATTEMPTS or time.monotonic() + wait >= deadline:
                    raise
                time.sleep(wait)

    def _send(self, method, path, deadline, **request):
        # Limits the connection and each read. A response of many small pieces could take longer.
        left = max(deadline - time.monotonic(), 0.001)
        try:
            response = self._http.request(method, self._url + path, timeout=left, allow_redirects=False, **request)
            if response.status_code == 200:
                return response.json()
        except requests.Timeout as reason:
            raise TastegraphError(f"{path}: no answer in time") from reason
        except requests.RequestException as reason:
            raise TastegraphError(f"{path}: {type(reason).__name__}", status=503) from reason
        after = response.headers.get("Retry-After", "")
        wait = int(after) if after.isdigit() else 0
        raise TastegraphError(f"{path}: {response.status_code} {response.text[:500]}", response.status_code, wait)

    def _current_token(self, deadline):
        # Whoever waits for another thread's request does so within their own time limit.
        if not self._lock.acquire(timeout=max(deadline - time.monotonic(), 0)):
            raise TastegraphError("No token in time")
        try:
            if self._token is None or time.monotonic() >= self._renew_at:
                form = {"grant_type": "client_credentials", "client_id": self._key, "client_secret": self._secret}
                answer = self._send("POST", "/oauth/token", deadline, data={**form, "scope": self._scope})
                self._token = answer["access_token"]
                self._renew_at = time.monotonic() + answer["expires_in"] - RENEW_SECONDS_BEFORE_EXPIRY
            return self._token
        finally:
            self._lock.release()

    def _forget(self, token):
        with self._lock:
            if self._token == token:
                self._token = None

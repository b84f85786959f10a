"""Requests to an endpoint: address, headers, and bodies made from templates."""

from __future__ import annotations

import os
import re
from collections.abc import Callable
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

import orjson

from ....catalogues.core.errors import InputError
from ....sentences.formats.template import make_environment, render_pieces, report_template_errors
from ..tagger import Tagger, find_variables

if TYPE_CHECKING:
    from jinja2 import Template

HEADER_NAME = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+")
"""Regular expression for the name of a header."""


def make_address(tagger: Tagger) -> str:
    """Return the address of the endpoint.

    Raises
    ------
    InputError
        If the address is not a valid HTTP URL.
    """
    url = tagger.fill_placeholders(tagger.spec.endpoint.url)
    try:
        parts = urlsplit(url)
        is_valid = parts.scheme in ("http", "https") and bool(parts.hostname) and (parts.port or 1) > 0
    except ValueError:
        is_valid = False
    if not is_valid or not url.isprintable() or " " in url:
        raise InputError("invalid http.url", file=tagger.path, found=url, allowed="http(s)://HOST/…")
    if parts.username or parts.password:
        raise InputError(
            "http.url contains a user name or a password; use http.headers with {env:…}", file=tagger.path
        )
    return url


def make_headers(tagger: Tagger) -> dict[str, str]:
    """Return the headers of a request, including secrets; messages never contain header values.

    Raises
    ------
    InputError
        If an environment variable is not set, or a header is invalid.
    """
    table = tagger.spec.endpoint
    optional = {
        name: value
        for name, value in table.optional_headers.items()
        if all(os.environ.get(variable) for variable in find_variables(value))
    }
    headers = {"Content-Type": "application/json"} if table.preset else {}
    for name, value in {**table.headers, **optional}.items():
        sent = tagger.fill_placeholders(value)
        if not HEADER_NAME.fullmatch(name) or not (sent.isascii() and sent.isprintable()):
            raise InputError(
                f"http.headers.{name}: invalid name or value",
                file=tagger.path,
                allowed="letters, digits and hyphens in the name, printable ASCII characters in the value",
            )
        headers[name] = sent
    return headers


class RequestBodies:
    """Jinja templates, run in a sandbox, that make the request body for a case.

    Parameters
    ----------
    tagger : Tagger

    Raises
    ------
    InputError
        If a template is invalid.
    """

    def __init__(self, tagger: Tagger) -> None:
        self._file, self._options = tagger.path, dict(tagger.options)
        table = self._table = tagger.spec.endpoint
        sources = {"prompt": table.prompt, "system": table.system} if table.preset else {"body": table.body}
        self._templates: dict[str, Template] = {}
        for key, source in sources.items():
            if source:
                with report_template_errors(self._file, f"http.{key}"):
                    self._templates[key] = make_environment().from_string(source)
        self._model = tagger.fill_placeholders(table.model)

    def _render(self, key: str, name: str, text: str) -> str:
        names = {"text": text, "id": name, "option": self._options}
        with report_template_errors(self._file, f"http.{key}"):
            return "".join(render_pieces(self._templates[key], names))

    def make_body(self, name: str, text: str) -> bytes:
        """Return the body for one case.

        Raises
        ------
        InputError
            If a template fails.
        """
        if not self._table.preset:
            return self._render("body", name, text).encode()
        messages = [
            {"role": role, "content": self._render(key, name, text)}
            for key, role in (("system", "system"), ("prompt", "user"))
            if key in self._templates
        ]
        body: dict[str, Any] = {"model": self._model, "messages": messages}
        if self._table.temperature is not None:
            body["temperature"] = self._table.temperature
        if self._table.schema_:
            form = {"name": "mentions", "schema": self._table.schema_, "strict": True}
            body["response_format"] = {"type": "json_schema", "json_schema": form}
        return orjson.dumps(body)


BATCH_URL = "/v1/chat/completions"


def make_line_formatter(tagger: Tagger) -> Callable[[str, str], str]:
    """Return a function that makes a line of a batch file from a case's identifier and text.

    The function raises InputError if the template does not produce JSON.
    """
    bodies = RequestBodies(tagger)
    url = urlsplit(make_address(tagger)).path if tagger.spec.endpoint.url else BATCH_URL

    def line(name: str, text: str) -> str:
        try:
            body = orjson.loads(bodies.make_body(name, text))
        except orjson.JSONDecodeError as error:
            problem = f"http.body: the template does not produce JSON ({error.msg})"
            raise InputError(problem, file=tagger.path) from None
        request = {"custom_id": name, "method": "POST", "url": url, "body": body}
        return orjson.dumps(request).decode() + "\n"

    return line

"""The table ``[http]`` of a specification: where an endpoint is, what it is sent, where its answer stands."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import Field, model_validator

from ....catalogues.core.settings import Settings

CHAT_ANSWER = "choices.0.message.content"
"""Where the reply of a chat completion has its answer."""
CHAT_TOKENS = ("usage.prompt_tokens", "usage.completion_tokens")
"""Where it has the tokens that were read and written."""


class Http(Settings):
    """`[http]`: an endpoint that is asked case by case.

    Attributes
    ----------
    url : str
        Where requests are posted to; it may hold ``{option:NAME}``.
    headers : table
        Sent with every request. ``{env:NAME}`` puts in a variable of the caller's, which is written nowhere.
    optional_headers : table
        The same; one whose variable is not set is left out.
    body : str
        A Jinja2 template of a request's body; it sees ``text``, ``id`` and ``option``.
    preset : str
        ``openai``: instead of `body`, a chat completion of these:
    model, system, prompt : str
        The model, with ``{option:NAME}``; the system's message and the user's, templates as `body` is.
    temperature : float or None
        The endpoint's own when absent.
    schema : table
        A JSON schema that the answer must follow (structured output).
    answer : str
        The path of the answer in the reply (``choices.0.message.content``); without one all of it is that.
    in_flight : int
        Requests that are open at once.
    per_minute : float or None
        Requests that are begun in a minute, at most.
    tries : int
        How often a case is asked until there is an answer that can be used.
    backoff : float
        Seconds before the second try, doubled before each further one.
    tokens_in, tokens_out : str
        Paths of the numbers of tokens in the reply.
    price_in, price_out : float or None
        Price of a million tokens.
    """

    url: str = ""
    headers: dict[str, str] = Field(default_factory=dict)
    optional_headers: dict[str, str] = Field(default_factory=dict)
    body: str = ""
    preset: Literal["", "openai"] = ""
    model: str = ""
    system: str = ""
    prompt: str = "{{ text }}"
    temperature: float | None = Field(default=None, ge=0)
    schema_: dict[str, Any] = Field(default_factory=dict, alias="schema")
    answer: str = ""
    in_flight: int = Field(default=8, ge=1, le=1024)
    per_minute: float | None = Field(default=None, gt=0)
    tries: int = Field(default=5, ge=1)
    backoff: float = Field(default=1.0, ge=0)
    tokens_in: str = ""
    tokens_out: str = ""
    price_in: float | None = Field(default=None, ge=0)
    price_out: float | None = Field(default=None, ge=0)

    @model_validator(mode="after")
    def _sound(self) -> Http:
        if bool(self.preset) == bool(self.body):
            raise ValueError("http.body: needed, or http.preset in its place")
        if self.preset and not self.model:
            raise ValueError("http.model: needed by the preset 'openai'")
        if "{env:" in self.url:
            raise ValueError("http.url: {env:…} may stand in headers alone, which are written nowhere")
        return self

    @property
    def answer_path(self) -> str:
        """Where the answer stands."""
        return self.answer or (CHAT_ANSWER if self.preset else "")

    @property
    def token_paths(self) -> tuple[str, str]:
        """Where the numbers of tokens stand; empty where nobody says it."""
        known = CHAT_TOKENS if self.preset else ("", "")
        return self.tokens_in or known[0], self.tokens_out or known[1]

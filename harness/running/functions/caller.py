"""A Python function that is called as a tagger: what it takes, its options, and what becomes of its faults.

Nothing here imports more than the standard library: it runs in the function's own process too.
"""

from __future__ import annotations

import inspect
import json
import os
import traceback
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, get_origin

from .answer_shapes import ALLOWED_SHAPES, ShapeError, convert_answer, format_value

if TYPE_CHECKING:
    import asyncio

Message = dict[str, Any]
"""``mentions``; ``words``, a text that holds them as JSON; or ``fault``, ``said`` and the ``last`` line."""
Function = Callable[..., Any]
REPLY_CHARACTERS = 1 << 16
"""Characters of an answer of no known shape that are kept."""

READY_LINE = "tagsuite: the function is imported"
"""The line that our program prints before it is asked for anything."""
KINDS: dict[Any, str] = {bool: "bool", int: "int", float: "float"}
TRUE_TEXTS, FALSE_TEXTS = ("true", "yes", "1"), ("false", "no", "0")


def get_signature(function: Function) -> inspect.Signature | None:
    """A function's signature; None of one that has none, as some built-in functions."""
    try:
        return inspect.signature(function)
    except (TypeError, ValueError):
        return None


def has_list_input(function: Function) -> bool:
    """Whether a function takes a list of texts: it says ``batch = True``, or its first parameter says so."""
    if getattr(function, "batch", None) is True:
        return True
    known = get_signature(function)
    first = next(iter(known.parameters.values()), None) if known else None
    if first is None or first.kind in (first.VAR_KEYWORD, first.KEYWORD_ONLY):
        return False
    if first.name == "texts":
        return True
    form = first.annotation
    if isinstance(form, str):
        begins = form.rpartition(".")[2] if "[" not in form else form.partition("[")[0].rpartition(".")[2]
        return begins.lower() in ("list", "sequence", "iterable") and "str" in form
    origin = get_origin(form) or form
    return origin in (list, Sequence, Iterable)


def read_parameters(function: Function) -> tuple[dict[str, dict[str, Any]], bool]:
    """The options of a function: its parameters after the first; and whether it takes any name.

    Each has ``kind`` (``int``, ``float``, ``bool``, ``list``, ``text``) and ``required``.
    """
    known = get_signature(function)
    if known is None:
        return {}, False
    every = list(known.parameters.values())
    anything = any(one.kind is one.VAR_KEYWORD for one in every)
    positional = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)
    # the first takes the text
    rest = every[1:] if every and every[0].kind in (*positional, inspect.Parameter.VAR_POSITIONAL) else every
    found = {}
    for one in rest:
        if one.kind in (one.POSITIONAL_OR_KEYWORD, one.KEYWORD_ONLY):
            found[one.name] = {"kind": _get_kind(one), "required": one.default is one.empty}
    return found, anything


def _get_kind(one: inspect.Parameter) -> str:
    if one.default is not one.empty and one.default is not None:
        kind = type(one.default)
        return "list" if kind in (list, tuple) else KINDS.get(kind, "text")
    form = one.annotation
    if isinstance(form, str):
        begins = form.partition("[")[0].partition("|")[0].strip().lower()
        return begins if begins in ("bool", "int", "float", "list") else "text"
    return "list" if (get_origin(form) or form) in (list, tuple, Sequence) else KINDS.get(form, "text")


def convert_value(kind: str, text: str) -> Any:
    """An option's value from its text.

    Raises
    ------
    ValueError
        When it is none of that kind.
    """
    if kind == "bool":
        if text.lower() not in (*TRUE_TEXTS, *FALSE_TEXTS):
            raise ValueError(f"allowed: {', '.join((TRUE_TEXTS[0], FALSE_TEXTS[0]))}")
        return text.lower() in TRUE_TEXTS
    if kind == "list":
        return [part.strip() for part in text.split(",") if part.strip()]
    try:
        return int(text) if kind == "int" else float(text) if kind == "float" else text
    except ValueError:
        raise ValueError("allowed: a whole number" if kind == "int" else "allowed: a number") from None


class Caller:
    """Calls a function for texts; whatever it does with one of them is no fault of the others.

    A coroutine is awaited, on an event loop that lives as long as this.
    """

    def __init__(self, function: Function, options: Mapping[str, Any], *, several: bool) -> None:
        self._function, self._options, self._several = function, options, several
        self._loop: asyncio.AbstractEventLoop | None = None
        self._process = os.getpid()

    def answer_texts(self, texts: Sequence[str]) -> list[Message]:
        """Return an answer for each text.

        A function of a list that fails on all of them is called for each alone.
        """
        if self._several and len(texts) > 1:
            try:
                found = list(self._call(list(texts)))
            except BaseException:  # also an exit: whose fault it is turns out when each is asked alone
                found = []
            finally:
                exit_if_forked(self._process)
            if len(found) == len(texts):
                return [self._make_answer(lambda one=one: one) for one in found]  # type: ignore[misc]
        return [self._make_answer(lambda text=text: self._call_with_text(text)) for text in texts]  # type: ignore[misc]

    def close(self) -> None:
        """End the event loop, where there is one."""
        if self._loop is not None:
            self._loop.close()

    def _make_answer(self, call: Callable[[], Any]) -> Message:
        found: Any = None
        try:
            found = call()
            return {"words": found} if isinstance(found, str) else {"mentions": convert_answer(found)}
        except ShapeError as error:
            last = f"found {error.found}; allowed: {ALLOWED_SHAPES}"
            return {
                "fault": "garbage",
                "said": error.problem,
                "last": last,
                "reply": format_value(found, REPLY_CHARACTERS),
            }
        except MemoryError as error:
            return _make_fault("memory", error)
        except BaseException as error:  # an exit too is the function's own, and this case's
            return _make_fault("crash", error)
        finally:
            # a generator runs while its mentions are read
            exit_if_forked(self._process)

    def _call_with_text(self, text: str) -> Any:
        if not self._several:
            return self._call(text)
        found = self._call([text])
        listed = (
            None
            if isinstance(found, (str, bytes, Mapping)) or not isinstance(found, Iterable)
            else list(found)
        )
        if listed is None or len(listed) != 1:
            raise ShapeError("a function of a list of texts gives a list of as many answers", found)
        return listed[0]

    def _call(self, given: Any) -> Any:
        found = self._function(given, **self._options)
        if not inspect.isawaitable(found):
            return found
        if self._loop is None:
            # few functions are coroutines, and each process of a function would import it
            import asyncio

            self._loop = asyncio.new_event_loop()
        return self._loop.run_until_complete(_await_result(found))


async def _await_result(found: Any) -> Any:
    return await found


def exit_if_forked(process: int) -> None:
    """End this process here if it is not `process` but a copy that the function has forked."""
    if os.getpid() != process:
        os._exit(0)


def _make_fault(outcome: str, error: BaseException) -> Message:
    try:
        last = traceback.format_exception_only(error)[-1].strip()
    except Exception:  # an exception that cannot be shown
        last = type(error).__name__
    return {"fault": outcome, "said": f"{type(error).__name__} raised by the function", "last": last}


def has_offsets(answer: Message) -> bool:
    """Whether all mentions of an answer have offsets."""
    return "mentions" in answer and all("start" in mention for mention in answer["mentions"])


def encode_answer(answer: Message) -> bytes:
    """An answer as the forms `jsonl` and `names` read it."""
    if "words" in answer:
        return str(answer["words"]).encode("utf-8", "replace")
    return json.dumps({"mentions": answer["mentions"]}).encode() + b"\n"


def find_version(module: Any, packages: Mapping[str, Any]) -> str:
    """The ``__version__`` of a module, or of the package that it is in; empty without any."""
    for one in (module, packages.get(str(getattr(module, "__name__", "")).partition(".")[0])):
        if isinstance(said := getattr(one, "__version__", None), str):
            return said
    return ""


def inspect_function(function: Any) -> dict[str, Any]:
    """What there is to know of a function before it is run.

    Raises
    ------
    TypeError
        When it cannot be called.
    """
    if not callable(function):
        raise TypeError(f"it cannot be called: {format_value(function)}")
    options, anything = read_parameters(function)
    return {"several": has_list_input(function), "options": options, "anything": anything}

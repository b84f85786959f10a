"""Calling a Python function as a tagger: its input, its options, and its faults.

This module imports only the standard library, because it also runs in the function's own process.
"""

from __future__ import annotations

import inspect
import json
import os
import sys
import traceback
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, get_origin

from .answer_shapes import ALLOWED_SHAPES, ShapeError, convert_answer, format_value

if TYPE_CHECKING:
    import asyncio

Message = dict[str, Any]
"""Answer to one text as a dict with the key ``mentions``, ``words`` or ``fault``."""
Function = Callable[..., Any]
REPLY_CHARACTERS = 1 << 16
"""Maximum number of characters that are stored from an answer in an unknown form."""

READY_LINE = "tagsuite: the function is imported"
"""Line that `functions.program` prints when the function can receive requests."""
KINDS: dict[Any, str] = {bool: "bool", int: "int", float: "float"}
TRUE_TEXTS, FALSE_TEXTS = ("true", "yes", "1"), ("false", "no", "0")


def get_signature(function: Function) -> inspect.Signature | None:
    """Return the signature of a function, or None, for example for some built-in functions."""
    try:
        return inspect.signature(function)
    except (TypeError, ValueError):
        return None


def has_list_input(function: Function) -> bool:
    """Return True if a function's ``batch`` attribute or first parameter indicates a list of texts."""
    if getattr(function, "batch", None) is True:
        return True
    signature = get_signature(function)
    first = next(iter(signature.parameters.values()), None) if signature else None
    if first is None or first.kind in (first.VAR_KEYWORD, first.KEYWORD_ONLY):
        return False
    if first.name == "texts":
        return True
    annotation = first.annotation
    if isinstance(annotation, str):
        base_type = annotation.partition("[")[0].rpartition(".")[2]
        return base_type.lower() in ("list", "sequence", "iterable") and "str" in annotation
    origin = get_origin(annotation) or annotation
    return origin in (list, Sequence, Iterable)


def read_parameters(function: Function) -> tuple[dict[str, dict[str, Any]], bool]:
    """Return a function's options (all parameters but the first), and whether it accepts any other option.

    Each option has ``kind`` (``int``, ``float``, ``bool``, ``list``, ``text``) and ``required``.
    """
    signature = get_signature(function)
    if signature is None:
        return {}, False
    parameters = list(signature.parameters.values())
    accepts_any_name = any(p.kind is p.VAR_KEYWORD for p in parameters)
    positional = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)
    # the first parameter takes the text
    has_text = parameters and parameters[0].kind in (*positional, inspect.Parameter.VAR_POSITIONAL)
    options = {}
    for parameter in parameters[1:] if has_text else parameters:
        if parameter.kind in (parameter.POSITIONAL_OR_KEYWORD, parameter.KEYWORD_ONLY):
            is_required = parameter.default is parameter.empty
            options[parameter.name] = {"kind": _get_kind(parameter), "required": is_required}
    return options, accepts_any_name


def _get_kind(parameter: inspect.Parameter) -> str:
    if parameter.default is not parameter.empty and parameter.default is not None:
        kind = type(parameter.default)
        return "list" if kind in (list, tuple) else KINDS.get(kind, "text")
    annotation = parameter.annotation
    if isinstance(annotation, str):
        base_type = annotation.partition("[")[0].partition("|")[0].strip().lower()
        return base_type if base_type in ("bool", "int", "float", "list") else "text"
    is_list = (get_origin(annotation) or annotation) in (list, tuple, Sequence)
    return "list" if is_list else KINDS.get(annotation, "text")


def convert_value(kind: str, text: str) -> Any:
    """Convert the value of an option from text to a type: int, float, bool, list or text.

    Raises
    ------
    ValueError
        If the text is not a valid value of this type.
    """
    if kind == "bool":
        if text.lower() not in (*TRUE_TEXTS, *FALSE_TEXTS):
            raise ValueError(f"invalid value; allowed: {TRUE_TEXTS[0]}, {FALSE_TEXTS[0]}")
        return text.lower() in TRUE_TEXTS
    if kind == "list":
        return [part.strip() for part in text.split(",") if part.strip()]
    try:
        return int(text) if kind == "int" else float(text) if kind == "float" else text
    except ValueError:
        raise ValueError(f"invalid value; allowed: a {'whole ' if kind == 'int' else ''}number") from None


class Caller:
    """Function with its options; an error in a call for one text affects only the answer to that text.

    Coroutines run on one event loop, which `close` closes.
    """

    def __init__(self, function: Function, options: Mapping[str, Any], *, several: bool) -> None:
        self._function, self._options, self._several = function, options, several
        self._loop: asyncio.AbstractEventLoop | None = None
        self._process = os.getpid()

    def answer_texts(self, texts: Sequence[str]) -> list[Message]:
        """Call the function; return one answer per text.

        If a function that takes a list fails on several texts, it is called for each text separately.
        """
        if self._several and len(texts) > 1:
            try:
                answers = list(self._call(list(texts)))
            except BaseException:  # also SystemExit: single calls show which text is the cause
                answers = []
            finally:
                exit_if_forked(self._process)
            if len(answers) == len(texts):
                return [self._make_answer(lambda answer=answer: answer) for answer in answers]  # type: ignore[misc]
        return [self._make_answer(lambda text=text: self._call_with_text(text)) for text in texts]  # type: ignore[misc]

    def close(self) -> None:
        """Close the event loop that runs coroutines, if one was started."""
        if self._loop is not None:
            self._loop.close()

    def _make_answer(self, call: Callable[[], Any]) -> Message:
        answer: Any = None
        try:
            answer = call()
            return {"words": answer} if isinstance(answer, str) else {"mentions": convert_answer(answer)}
        except ShapeError as error:
            last = f"found {error.found}; allowed: {ALLOWED_SHAPES}"
            return {
                "fault": "garbage",
                "said": error.problem,
                "last": last,
                "reply": format_value(answer, REPLY_CHARACTERS),
            }
        except MemoryError as error:
            return _make_fault("memory", error)
        except BaseException as error:  # SystemExit, too, is a fault of the function on this case
            return _make_fault("crash", error)
        finally:
            # a generator runs only while its mentions are read
            exit_if_forked(self._process)

    def _call_with_text(self, text: str) -> Any:
        if not self._several:
            return self._call(text)
        returned = self._call([text])
        is_list = isinstance(returned, Iterable) and not isinstance(returned, (str, bytes, Mapping))
        answers = list(returned) if is_list else []
        if len(answers) != 1:
            raise ShapeError(
                "a function that takes a list of texts must return one answer per text", returned
            )
        return answers[0]

    def _call(self, texts: Any) -> Any:
        result = self._function(texts, **self._options)
        if not inspect.isawaitable(result):
            return result
        if self._loop is None:
            # imported here, because few functions are coroutines
            import asyncio

            self._loop = asyncio.new_event_loop()
        return self._loop.run_until_complete(_await_result(result))


async def _await_result(result: Any) -> Any:
    return await result


def exit_if_forked(process: int) -> None:
    """End the current process if it is a copy of `process` that the called function has forked."""
    if os.getpid() != process:
        os._exit(0)


def _make_fault(outcome: str, error: BaseException) -> Message:
    try:
        last = traceback.format_exception_only(error)[-1].strip()
    except Exception:  # an exception that cannot be formatted
        last = type(error).__name__
    return {"fault": outcome, "said": f"{type(error).__name__} raised by the function", "last": last}


def has_offsets(answer: Message) -> bool:
    """Return True if all mentions in an answer have offsets."""
    return "mentions" in answer and all("start" in mention for mention in answer["mentions"])


def encode_answer(answer: Message) -> bytes:
    """Return an answer as bytes, in the output form `jsonl` or `names`."""
    if "words" in answer:
        return str(answer["words"]).encode("utf-8", "replace")
    return json.dumps({"mentions": answer["mentions"]}).encode() + b"\n"


def find_version(module: Any) -> str:
    """Return the ``__version__`` of a module or of its package; empty if there is none."""
    for owner in (module, sys.modules.get(str(getattr(module, "__name__", "")).partition(".")[0])):
        if isinstance(version := getattr(owner, "__version__", None), str):
            return version
    return ""


def inspect_function(function: Any) -> dict[str, Any]:
    """Return a description of a function: its input, its options, and whether it accepts any option name.

    Raises
    ------
    TypeError
        If the function cannot be called.
    """
    if not callable(function):
        raise TypeError(f"the object is not callable: {format_value(function)}")
    options, accepts_any_name = read_parameters(function)
    return {"several": has_list_input(function), "options": options, "anything": accepts_any_name}

"""Templates of users under limits: no value, no loop and no output grows beyond what a corpus asks for.

Jinja2's sandbox keeps a template from what is not its own, but lets it ask for all memory and time there is:
``'a' * 10**10``, ``9**(9**9)``, loops in loops. Here every way to make a value larger is counted: operators,
calls, filters, joined pieces, steps of loops. The limits hang on the corpus, not on the machine.
"""

from __future__ import annotations

import contextlib
import functools
import re
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any, cast

from jinja2 import nodes
from jinja2.exceptions import SecurityError, TemplateError, TemplateSyntaxError
from jinja2.runtime import Context, LoopContext, StrictUndefined
from jinja2.sandbox import ImmutableSandboxedEnvironment
from jinja2.visitor import NodeTransformer

from ...catalogues.core.errors import InputError

LONGEST = 10_000_000
"""Characters of one value; one more for each unit of the corpus."""
ELEMENTS = 500_000
"""Elements of one value, and of what is in it; one more for each `UNITS` units of the corpus."""
WIDEST = 1_000_000
"""What a width may be: of ``center``, of a conversion in ``%`` or `format`."""
BITS = 100_000
"""Of a whole number."""
LEAST_WORK = 10_000_000
"""Steps and characters that every template may use; to these come `PER_UNIT` for each unit of the corpus."""
PER_UNIT = 100
UNITS = 100
CALL = 50
"""Steps that a call or a filter counts as."""

WIDE = {"center", "ljust", "rjust", "zfill", "expandtabs", "indent", "batch", "slice", "round", "tojson"}
"""Methods and filters that make something as large as a number that they are given."""
SHALLOW = {"length", "count", "first", "last", "default", "d", "items", "attr"}
"""Filters that do not look into what they are given."""
COLLECTIONS = (dict, list, tuple, set, frozenset)
WIDTH = re.compile(r"\d{7,}")
GIVEN_WIDTH = re.compile(r"%[^%a-zA-Z]*\*|\{[^{}]*\{")
"""A conversion whose width is an argument: ``%*d``, ``{:{}}``."""


class TooMuchError(Exception):
    """A template asks for more than a limit."""


class Work:
    """What a template has used, and how much it may use."""

    def __init__(self, units: int) -> None:
        self.most = LEAST_WORK + PER_UNIT * units
        self.longest = LONGEST + units
        self.elements = ELEMENTS + units // UNITS
        self._used = 0

    def begin(self) -> None:
        """Count anew: what comes is another template's work, or the same template's on something else."""
        self._used = 0

    def use(self, amount: int) -> None:
        """Count steps or characters."""
        self._used += amount
        if self._used > self.most:
            raise TooMuchError(f"more than {self.most:,} steps and characters")

    def fits(self, characters: int, elements: int = 0) -> None:
        """Refuse a value that is too large."""
        if characters > self.longest:
            raise TooMuchError(f"a text of more than {self.longest:,} characters")
        if elements > self.elements:
            raise TooMuchError(f"a value of more than {self.elements:,} elements")

    def made(self, value: Any) -> Any:
        """Count a value that was made, without what is in its elements."""
        if isinstance(value, (str, bytes)):
            self.fits(len(value))
            self.use(len(value))
        elif isinstance(value, COLLECTIONS):
            self.fits(0, len(value))
            self.use(len(value))
        return value

    def size(self, value: Any) -> int:
        """How large a value is as text, about: with all that is in it."""
        if isinstance(value, (str, bytes)):
            return len(value)
        if not isinstance(value, COLLECTIONS):
            return 1
        characters, elements = 0, 0
        rest: list[Any] = [value]
        while rest:
            one = rest.pop()
            elements += 1
            if isinstance(one, (str, bytes)):
                characters += len(one)
            elif isinstance(one, dict):
                rest += [*one.keys(), *one.values()]
            elif isinstance(one, COLLECTIONS):
                rest.extend(one)
            self.fits(characters, elements + len(rest))
        self.use(characters + elements)
        return characters + elements

    def steps(self, items: Iterable[Any]) -> Iterator[Any]:
        """The items, each counted."""
        for item in items:
            self.use(1)
            yield item

    def joined(self, parts: Iterable[Any]) -> str:
        """Pieces as one text."""
        kept, total = [], 0
        for part in parts:
            text = str(self.shown(part))
            total += len(text)
            self.fits(total)
            kept.append(text)
        self.use(total)
        return "".join(kept)

    def shown(self, value: Any) -> Any:
        """A value that becomes text."""
        self.size(value)
        return value

    def before(self, name: str, values: list[Any]) -> None:
        """Hold a method or filter and its arguments against the limits; the first value is its own."""
        numbers = [abs(v) for v in values[1:] if isinstance(v, int)]
        if name in WIDE and max(numbers, default=0) > WIDEST:
            raise TooMuchError(f"{name} of {max(numbers):,}")
        own, *others = [self.size(v) for v in values] or [0]
        if name in ("indent", "expandtabs", "tojson"):
            others += numbers
        if name in ("format", "format_map", "%") and isinstance(values[0], str):
            self._conversions(values[0], values[1:])
        if (own + 1) * (max(others, default=0) + 1) > 10 * self.longest:
            raise TooMuchError(f"{name} of {own:,} and {max(others):,} characters")

    @staticmethod
    def _conversions(text: str, values: list[Any]) -> None:
        widths = [int(w) for w in WIDTH.findall(text)]
        if GIVEN_WIDTH.search(text):
            flat = [v for one in values for v in (one if isinstance(one, tuple) else [one])]
            widths += [abs(v) for v in flat if isinstance(v, int)]
        if max(widths, default=0) > WIDEST:
            raise TooMuchError(f"a width of {max(widths):,}")


class _Counting(NodeTransformer):
    """Sends loops and ``~`` through filters that count."""

    def visit_For(self, node: nodes.For) -> nodes.Node:  # noqa: N802 - Jinja2's name
        self.generic_visit(node)
        node.iter = _through(node.iter, "steps of a loop")
        return node

    def visit_Concat(self, node: nodes.Concat) -> nodes.Node:  # noqa: N802 - Jinja2's name
        self.generic_visit(node)
        return _through(nodes.List(node.nodes, lineno=node.lineno), "joined by ~")


def _through(node: nodes.Node, name: str) -> nodes.Expr:
    return nodes.Filter(cast(nodes.Expr, node), name, [], [], None, None, lineno=node.lineno)


class LimitedEnvironment(ImmutableSandboxedEnvironment):
    """Jinja2's sandbox under limits; undefined names are errors.

    Parameters
    ----------
    units : int
        What the corpus is worth: the work that is allowed grows with it.
    """

    intercepted_binops = frozenset(["*", "**", "+", "%"])

    def __init__(self, units: int) -> None:
        self.work = work = Work(units)
        super().__init__(
            undefined=StrictUndefined,
            keep_trailing_newline=True,
            trim_blocks=True,
            lstrip_blocks=True,
            autoescape=False,
            finalize=work.shown,
            cache_size=0,
        )
        self.filters = {name: _limited(f, name, work) for name, f in self.filters.items()}
        self.filters["steps of a loop"] = work.steps
        self.filters["joined by ~"] = work.joined
        del self.globals["lipsum"]  # text without end, of no use to a corpus
        self.concat = work.joined  # type: ignore[method-assign]  # of blocks, macros and `set`

    def _parse(self, source: str, name: str | None, filename: str | None) -> nodes.Template:
        parsed = super()._parse(source, name, filename)
        _Counting().visit(parsed)
        return parsed.set_environment(self)  # type: ignore[return-value]

    def call_binop(self, context: Context, operator: str, left: Any, right: Any) -> Any:
        """An operator whose result may be large."""
        self.work.use(1)
        whole = isinstance(left, int) and isinstance(right, int)
        if operator == "**" and whole and abs(left) > 1 and right * left.bit_length() > BITS:
            raise TooMuchError(f"a number of more than {BITS:,} bits")
        if operator == "*":
            if whole and left.bit_length() + right.bit_length() > BITS:
                raise TooMuchError(f"a number of more than {BITS:,} bits")
            for one, other in ((left, right), (right, left)):
                if isinstance(one, int) and isinstance(other, (str, bytes)):
                    self.work.fits(one * len(other))
                elif isinstance(one, int) and isinstance(other, COLLECTIONS):
                    self.work.fits(0, one * len(other))
        if operator == "%" and isinstance(left, str):
            self.work.before("%", [left, right])
        return self.work.made(super().call_binop(context, operator, left, right))

    def call(__self, __context: Context, __obj: Any, *args: Any, **named: Any) -> Any:  # noqa: N805
        """A call; of a method of text, its size too."""
        __self.work.use(CALL)
        method = getattr(__obj, "__wrapped__", __obj)
        own = getattr(method, "__self__", None)
        if isinstance(own, (str, bytes, LoopContext)) or isinstance(__obj, LoopContext):
            args = tuple(list(__self.work.steps(a)) if isinstance(a, Iterator) else a for a in args)
        if isinstance(__obj, LoopContext):
            args = tuple(__self.work.steps(a) for a in args)
        if isinstance(own, (str, bytes)):
            __self.work.before(method.__name__, [own, *args, *named.values()])
        return __self.work.made(super().call(__context, __obj, *args, **named))


def _limited(function: Callable[..., Any], name: str, work: Work) -> Callable[..., Any]:
    """A filter under the limits; what Jinja2 passes it besides its value is its first argument or none."""
    passes = hasattr(function, "jinja_pass_arg")

    @functools.wraps(function)
    def called(*args: Any, **named: Any) -> Any:
        work.use(CALL)
        own, rest = list(args[: passes + 1]), args[passes + 1 :]
        if name not in SHALLOW and own:
            if isinstance(own[-1], Iterator) and name not in ("map", "select", "reject"):
                own[-1] = list(work.steps(own[-1]))
            work.before(name, [own[-1], *rest, *named.values()])
        return work.made(function(*own, *rest, **named))

    return called


@contextlib.contextmanager
def explained(source: Path, key: str = "") -> Iterator[None]:
    """Make of what goes wrong with a template an error that its author can act on.

    Parameters
    ----------
    source : Path
        The file that holds it.
    key : str
        Where it stands there; the whole file is the template without one, and messages have its lines.

    Raises
    ------
    InputError
    """
    what = f"{key}: the template" if key else "the template"

    def line(error: BaseException) -> int | None:
        if key:
            return None
        return error.lineno if isinstance(error, TemplateSyntaxError) else _line(error)

    try:
        yield
    except TemplateSyntaxError as error:
        raise InputError(f"{what} is not Jinja2 ({error.message})", file=source, line=line(error)) from None
    except SecurityError as error:
        problem = f"{what} does what the sandbox forbids ({error})"
        raise InputError(problem, file=source, line=line(error)) from None
    except TooMuchError as error:
        raise InputError(
            f"{what} asks for too much",
            file=source,
            line=line(error),
            found=str(error),
            allowed="what a corpus of this size needs; see docs/formats.md",
        ) from None
    except (RecursionError, MemoryError, SyntaxError) as error:
        # of the program that Jinja2 makes of it: a macro that calls itself for ever, thousands of brackets
        raise InputError(f"{what} is nested too deeply ({error})", file=source) from None
    except (TemplateError, TypeError, ValueError, ArithmeticError, LookupError, AttributeError) as error:
        raise InputError(f"{what} fails ({error})", file=source, line=line(error)) from None


def _line(error: BaseException) -> int | None:
    """The template's line that an error came from."""
    found, trace = None, error.__traceback__
    while trace is not None:
        if trace.tb_frame.f_code.co_filename == "<template>":
            found = trace.tb_lineno
        trace = trace.tb_next
    return found

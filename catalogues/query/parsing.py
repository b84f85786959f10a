"""Text to tree: the grammar is data, errors carry a caret."""

from __future__ import annotations

import re
from functools import lru_cache

from lark import Lark, Token, Tree
from lark.exceptions import UnexpectedCharacters, UnexpectedEOF, UnexpectedInput, UnexpectedToken

from ..core.files import bundled_text
from . import binding
from .errors import QueryError
from .names import Names
from .nodes import All, And, Node, Not, Or

DEEPEST = 200
"""Rules within one another (parentheses are two): what is read must also be evaluated and printed."""

# what the terminals are called in messages
_SHOWN = {
    "_AND": "and",
    "_OR": "or",
    "_NOT": "not",
    "_IN": "in",
    "_IS": "is",
    "_CONTAINS": "contains",
    "_MATCH": "~",
    "ALL": "all",
    "ABSENT": "absent",
    "PRESENT": "present",
    "COMPARISON": "= != < <= > >=",
    "NAME": "a feature",
    "WORD": "a value",
    "STRING": 'a "quoted" value',
    "REGEX": "a /pattern/",
    "LPAR": "(",
    "RPAR": ")",
    "COMMA": ",",
    "$END": "the end",
}
_ORDER = list(_SHOWN.values())


@lru_cache
def _grammar() -> Lark:
    text = bundled_text(__package__, "grammar.lark")
    return Lark(text, parser="lalr", lexer="contextual", maybe_placeholders=True)


def parse(text: str, names: Names) -> Node:
    """Read a query; names and values are checked against the features in `names`.

    Raises
    ------
    QueryError
        With a caret at the fault and what may stand there.
    """
    if text.strip():
        try:
            tree = _grammar().parse(text)
        except UnexpectedInput as error:
            raise _explain(error, text) from None
        content = tree.children[0]
    else:
        content = None
    return All() if content is None else _build(content, text, names)


def _build(part: Tree[Token] | Token, text: str, names: Names, depth: int = 0) -> Node:
    if isinstance(part, Token):
        raise TypeError(f"a token where a rule was expected: {part!r}")
    if depth > DEEPEST:
        # the first word inside: rules do not keep their places, which would cost a third of all parsing
        place = next((token.start_pos or 0 for token in part.scan_values(lambda _: True)), 0)
        allowed = f"parentheses {DEEPEST // 2} deep"
        raise QueryError("the query is nested too deeply", text, place, place + 1, allowed=allowed)
    rule = str(part.data)
    if rule in ("disjunction", "conjunction"):
        kind = Or if rule == "disjunction" else And
        terms: list[Node] = []
        for child in part.children:
            term = _build(child, text, names, depth + 1)
            # `a and (b and c)` is the same query as `a and b and c`
            terms.extend(term.terms if isinstance(term, kind) else (term,))
        return terms[0] if len(terms) == 1 else kind(tuple(terms))
    if rule == "negation":
        return Not(_build(part.children[0], text, names, depth + 1))
    if rule == "everything":
        return All()
    name, *rest = part.children
    return binding.condition(rule, name, rest, text, names)  # type: ignore[arg-type]


def _explain(error: UnexpectedInput, text: str) -> QueryError:
    start: int | None = getattr(error, "pos_in_stream", None)
    token = getattr(error, "token", None)
    if isinstance(error, UnexpectedEOF) or start is None or (token is not None and token.type == "$END"):
        start = len(text.rstrip())
    expected: set[str] = set()
    if isinstance(error, UnexpectedToken):
        expected = set(error.accepts or error.expected)
    elif isinstance(error, UnexpectedCharacters):
        expected = set(error.allowed or ())
    shown = sorted({_SHOWN.get(t, t) for t in expected}, key=lambda s: _ORDER.index(s) if s in _ORDER else 99)
    rest = text[start:]
    end = start + len(re.match(r"[\w.-]+|\S?", rest).group())  # type: ignore[union-attr]
    found = text[start:end]
    hint = _hint(rest, text[:start], expected)
    problem = f"{found!r} cannot stand here" if found else "the query ends too early"
    problem += f" ({hint})" if hint else ""
    return QueryError(problem, text, start, end, allowed=" | ".join(shown) or None)


def _hint(rest: str, before: str, expected: set[str]) -> str | None:
    """What was probably meant, for the commonest slips."""
    if rest[:1] in "\"'" and rest[:1]:
        return "the quotation mark is not closed"
    if before.rstrip().endswith("=") and rest.startswith("="):
        return "equality is a single ="
    if rest.startswith("/"):
        if "REGEX" in expected:
            return "the pattern is not closed with a slash"
        return "a pattern follows ~; a value that begins with a slash needs quotes"
    if rest.startswith(("&", "|", "!", "~")) and "_AND" in expected:
        return "the words are and, or, not"
    if "_AND" in expected and "COMPARISON" not in expected and re.match(r"[\w(<>]", rest):
        return "a value with spaces, parentheses or operators needs quotes; conditions are joined by and, or"
    if "STRING" in expected and "REGEX" in expected:
        return "a pattern is written between slashes or quotes"
    return None

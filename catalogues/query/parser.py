"""Parser of queries; it checks names and values, and marks the position of an error with a caret."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from os import PathLike

from lark import Lark, Token, Tree
from lark.exceptions import UnexpectedCharacters, UnexpectedEOF, UnexpectedInput, UnexpectedToken

from ..core.errors import InputError
from ..core.files import read_bundled_text
from ..feature import Feature
from ..taxonomy import Taxonomy
from .nodes import (
    And,
    Comparison,
    Condition,
    Containment,
    Everything,
    FeatureName,
    Membership,
    Node,
    Not,
    Or,
    PatternMatch,
    Presence,
    Truth,
)

_TRUE = frozenset({"true", "yes", "y", "1"})
_FALSE = frozenset({"false", "no", "n", "0"})
_NUMBERS = ("integer", "number")
_ORDERINGS = ("<", "<=", ">", ">=")

# names of the grammar's terminals in messages
_TOKEN_TEXTS = {
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


class QueryError(InputError):
    """Error raised if a query has a syntax error, or an unknown feature or value.

    Parameters
    ----------
    problem : str
        Description of the error.
    query : str
        Text of the query.
    start, end : int
        Half-open span of the error in `query`, in characters.
    allowed : str, optional
        Tokens or values that are allowed at the position of the error.
    near : sequence of str
        Similar names, the most similar one first.
    file, line : optional
        File and line of the query.

    Examples
    --------
    >>> print(QueryError("unknown feature", "lenght > 3", 0, 6, near=["length"]))
    unknown feature
        lenght > 3
        ^^^^^^
      did you mean length?
    """

    def __init__(
        self,
        problem: str,
        query: str = "",
        start: int = 0,
        end: int = 0,
        *,
        allowed: str | None = None,
        near: Sequence[str] = (),
        file: str | PathLike[str] | None = None,
        line: int | None = None,
    ) -> None:
        self.query = query
        self.start = start
        self.end = end
        super().__init__(problem, file=file, line=line, allowed=allowed, near=near)

    def __str__(self) -> str:
        lines = [self.placed_problem]
        begin = self.query.rfind("\n", 0, self.start) + 1
        finish = self.query.find("\n", self.start)
        finish = len(self.query) if finish < 0 else finish
        shown = self.query[begin:finish]
        # tabs are kept in the line of the caret, to align it with the line above
        lead = "".join("\t" if c == "\t" else " " for c in shown[: self.start - begin])
        width = max(1, min(self.end, finish) - self.start)
        lines += [f"    {shown}", f"    {lead}{'^' * width}"]
        if self.allowed is not None:
            lines.append(f"  allowed: {self.allowed}")
        if self.near:
            lines.append(f"  {self.suggestion()}")
        return "\n".join(lines)


@dataclass(frozen=True)
class NameResolver:
    """Resolver of the feature names in queries.

    A name without a scope refers to the only feature with this name in `scopes`. If there are several,
    features of mentions and slots take precedence (`type` is ``mention.type``, `position` is
    ``slot.position``); other ambiguous names need the scope as a prefix.

    Attributes
    ----------
    taxonomy : Taxonomy
        All features.
    scopes : tuple of str
        Allowed scopes: entity, context, slot, mention.
    """

    taxonomy: Taxonomy
    scopes: tuple[str, ...]

    def lookup(self, text: str) -> list[Feature]:
        """Return the feature that a name refers to, or several features if the name is ambiguous."""
        return _prefer_scopes(self.taxonomy.find_candidates(text, self.scopes))

    def shortest_name(self, feature: Feature) -> FeatureName:
        """Return a `FeatureName` with the shortest name of a feature that is unambiguous in all scopes."""
        alone = _prefer_scopes(self.taxonomy.find_candidates(feature.name)) == [feature]
        return FeatureName(feature, feature.name if alone else feature.qualified_name)


def _prefer_scopes(found: list[Feature]) -> list[Feature]:
    return found[:1] if found and found[0].scope in ("mention", "slot") else found


@lru_cache
def _grammar() -> Lark:
    text = read_bundled_text(__package__, "grammar.lark")
    return Lark(text, parser="lalr", lexer="contextual", maybe_placeholders=True)


def parse_query(text: str, names: NameResolver) -> Node:
    """Parse a query, and check its names and values with the taxonomy and scopes of `names`.

    Raises
    ------
    QueryError
        If the query is not valid; the message marks the error with a caret and shows what is allowed.
    """
    if not text.strip():
        return Everything()
    try:
        tree = _grammar().parse(text)
    except UnexpectedInput as error:
        raise _explain(error, text) from None
    return _build(tree.children[0], text, names)


def _build(part: Tree[Token] | Token, text: str, names: NameResolver) -> Node:
    if isinstance(part, Token):
        raise TypeError(f"expected a grammar rule in the parse tree, but found the token {part!r}")
    rule = str(part.data)
    if rule in ("disjunction", "conjunction"):
        kind = Or if rule == "disjunction" else And
        terms: list[Node] = []
        for child in part.children:
            term = _build(child, text, names)
            # `a and (b and c)` is the same query as `a and b and c`
            terms.extend(term.terms if isinstance(term, kind) else (term,))
        return terms[0] if len(terms) == 1 else kind(tuple(terms))
    if rule == "negation":
        return Not(_build(part.children[0], text, names))
    if rule == "everything":
        return Everything()
    name, *rest = part.children
    return _condition(rule, name, rest, text, names)  # type: ignore[arg-type]


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
    shown = [text for token, text in _TOKEN_TEXTS.items() if token in expected]
    rest = text[start:]
    end = start + len(re.match(r"[\w.-]+|\S?", rest).group())  # type: ignore[union-attr]
    found = text[start:end]
    hint = _hint(rest, text[:start], expected)
    problem = f"unexpected {found!r}" if found else "the query is incomplete"
    problem += f" ({hint})" if hint else ""
    return QueryError(problem, text, start, end, allowed=" | ".join(shown) or None)


def _hint(rest: str, before: str, expected: set[str]) -> str | None:
    """Return a hint about a common mistake in the syntax of a query, or None."""
    if rest.startswith(('"', "'")):
        return "the quotation mark is not closed"
    if before.rstrip().endswith("=") and rest.startswith("="):
        return "use a single = for equality"
    if rest.startswith("/"):
        if "REGEX" in expected:
            return "the pattern is not closed with a slash"
        return "use ~ before a pattern; put a value that begins with a slash in quotes"
    if rest.startswith(("&", "|", "!", "~")) and "_AND" in expected:
        return "use the words and, or, not"
    if "_AND" in expected and "COMPARISON" not in expected and re.match(r"[\w(<>]", rest):
        return "put a value with spaces, parentheses or operators in quotes; join conditions with and, or"
    if "STRING" in expected and "REGEX" in expected:
        return "write a pattern between slashes or quotes"
    return None


def _condition(rule: str, name: Token, rest: list[Token], text: str, names: NameResolver) -> Condition:
    """Make the node of a condition from its grammar rule and tokens."""
    named = _name(name, text, names, rest)
    feature = named.feature
    if rule == "bare":
        if feature.kind != "boolean" and feature.kind not in _NUMBERS:
            raise _error(
                f"{named} needs an operator and a value, because it is {_with_article(feature)}",
                name,
                text,
                _operator_advice(feature),
            )
        return Truth(named)
    if rule in ("absent", "present"):
        return Presence(named, rule == "present")
    if rule == "match":
        return PatternMatch(named, _pattern(rest[0], feature, text))
    if rule == "contains":
        return Containment(named, _contained_value(rest[0], name, feature, text))
    if rule == "comparison":
        operator, value = rest
        if operator in _ORDERINGS and feature.kind not in _NUMBERS:
            raise _error(
                f"{named} cannot be compared with {operator}, because it is {_with_article(feature)}",
                operator,
                text,
                _operator_advice(feature),
            )
        return Comparison(named, str(operator), _value(value, feature, text))
    return Membership(named, tuple(_value(v, feature, text) for v in rest), rule == "not_member")


def unquote(token: Token) -> str:
    r"""Return the text of a value; in a quoted value, ``\"``, ``\'`` and ``\\`` are unescaped."""
    if token.type == "STRING":
        return re.sub(r"\\([\"'\\])", r"\1", str(token)[1:-1])
    return str(token)


def _name(token: Token, text: str, names: NameResolver, values: Sequence[Token]) -> FeatureName:
    found = names.lookup(str(token))
    words = [unquote(value) for value in values if value.type in ("STRING", "WORD")]
    if len(found) > 1 and words:
        # the values decide between context.type (type = tp) and entity.type (type = disease)
        fixed = [f for f in found if f.values and all(map(f.find_value, words))]
        found = fixed or [f for f in found if not f.values]
    if len(found) == 1:
        return names.shortest_name(found[0])
    if found:
        choices = ", ".join(f.qualified_name for f in found)
        raise _error(f"ambiguous name: several features are called {str(token)!r}", token, text, choices)
    other = names.taxonomy.find_candidates(str(token))
    if other:
        raise _error(
            f"{other[0].qualified_name} cannot be used in this query",
            token,
            text,
            "features of scope " + ", ".join(names.scopes),
        )
    near = names.taxonomy.nearest_names(str(token), names.scopes)
    raise _error(f"unknown feature {str(token)!r}", token, text, near=near)


def _value(token: Token, feature: Feature, text: str) -> str | int | float | bool:
    content = unquote(token)
    if token.type == "WORD" and content.casefold() in ("and", "or", "not", "in", "is", "contains"):
        raise _error(f"missing value before {content!r}", token, text, f'a value, or "{content}" in quotes')
    if feature.kind == "boolean":
        if content.casefold() in _TRUE:
            return True
        if content.casefold() in _FALSE:
            return False
        raise _error(f"the value of {feature.name} must be true or false", token, text, "true, false")
    if feature.kind in _NUMBERS:
        return _number(content, token, feature, text)
    return _known(content, token, feature, text)


def _number(content: str, token: Token, feature: Feature, text: str) -> int | float:
    try:
        number = float(content)
    except ValueError:
        problem = f"the value of {feature.name} must be a number"
        raise _error(problem, token, text, "a number such as 3") from None
    if not math.isfinite(number):
        raise _error(f"the value of {feature.name} must be finite", token, text, "a number such as 3")
    return int(number) if number == int(number) else number


def _known(content: str, token: Token, feature: Feature, text: str) -> str:
    if not feature.values:
        return content
    value = feature.find_value(content)
    if value is None:
        allowed = ", ".join(v.label for v in feature.nearest_values(content))
        raise _error(f"{feature.name} has no value {content!r}", token, text, allowed)
    return value


def _contained_value(token: Token, name: Token, feature: Feature, text: str) -> str:
    if feature.kind == "set":
        return str(_value(token, feature, text))
    if feature.kind == "text":
        return unquote(token)
    raise _error(
        f"the operator `contains` needs a set or a text, but {name} is {_with_article(feature)}",
        name,
        text,
        _operator_advice(feature),
    )


def _pattern(token: Token, feature: Feature, text: str) -> str:
    if feature.kind not in ("text", "category", "set"):
        raise _error(
            f"a pattern can be compared only with texts, but {feature.name} is {_with_article(feature)}",
            token,
            text,
            _operator_advice(feature),
        )
    raw = str(token)[1:-1] if token.type == "REGEX" else unquote(token)
    # store an escaped slash as a plain slash, so that equal patterns have one spelling
    pattern = re.sub(r"\\(.)", lambda m: "/" if m.group(1) == "/" else m.group(), raw, flags=re.DOTALL)
    try:
        re.compile(pattern)
    except (re.error, OverflowError, RecursionError) as error:
        place = getattr(error, "pos", None)
        start = (token.start_pos or 0) + 1 + (place or 0)
        message = getattr(error, "msg", str(error))
        problem = f"the pattern is not a regular expression: {message}"
        raise QueryError(problem, text, start, start + 1, allowed="Python's re syntax") from None
    return pattern


def _with_article(feature: Feature) -> str:
    return f"an {feature.kind}" if feature.kind == "integer" else f"a {feature.kind}"


def _operator_advice(feature: Feature) -> str:
    name = feature.name
    first = feature.values[0].name if feature.values else "VALUE"
    if feature.kind == "boolean":
        return f"{name}, not {name}, {name} = true, {name} is absent"
    if feature.kind in _NUMBERS:
        return f"{name}, {name} >= 3, {name} in (3, 4), {name} is absent"
    if feature.kind == "set":
        return f"{name} = {first}, {name} contains {first}, {name} is absent"
    if feature.kind == "category":
        return f"{name} = {first}, {name} in ({first}, ...), {name} is absent"
    return f"{name} = VALUE, {name} ~ /pattern/, {name} contains VALUE, {name} is absent"


def _error(
    problem: str, token: Token, text: str, allowed: str | None = None, near: Sequence[str] = ()
) -> QueryError:
    start = token.start_pos or 0
    return QueryError(problem, text, start, token.end_pos or start + len(token), allowed=allowed, near=near)

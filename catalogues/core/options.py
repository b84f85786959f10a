"""Options that are declared once: type, default, help and legal values stand at the field of a dataclass.

From the declaration come the options of a command, the keywords of a function, the keys of a TOML file and
the checks with their messages.
"""

from __future__ import annotations

import functools
import inspect
import math
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import MISSING, dataclass, fields, replace
from os import PathLike
from pathlib import Path
from types import MappingProxyType
from typing import Annotated, Any, Literal, Optional, Self, TypeVar, get_args, get_origin, get_type_hints

from .errors import InputError

Function = TypeVar("Function", bound=Callable[..., Any])


@dataclass(frozen=True)
class Option:
    """What is declared of an option beside its type and default.

    Attributes
    ----------
    help : str
        The line of the command's help.
    label : str
        What a message about an illegal value calls it; its name by default.
    flag : str
        Its name on the command line, where it is not that of the field.
    key : str
        Its name in TOML, where it is not that of the field.
    minimum, maximum : float
        Legal numbers.
    upper_bound : float
        What legal numbers do not reach.
    shows_range : bool
        Whether the command line shows these; else the help does, where they matter.
    pattern : str
        What a legal text matches.
    takes_files : bool
        Whether the command line takes files, as which it shows them.
    metavar : str
        What the command line shows as its value, where that is not the type.
    type, default : Any
        Those of the field, which `declared` puts here; ``...`` for an option without a default.
    """

    help: str
    label: str = ""
    flag: str = ""
    key: str = ""
    minimum: float = -math.inf
    maximum: float = math.inf
    upper_bound: float = math.inf
    shows_range: bool = False
    pattern: str = ""
    takes_files: bool = False
    metavar: str = ""
    type: Any = None
    default: Any = ...

    @property
    def bounds_text(self) -> str:
        """The legal numbers in words."""
        if not math.isinf(self.upper_bound):
            return f"from {self.minimum} to less than {self.upper_bound}"
        return (
            f"from {self.minimum} on"
            if math.isinf(self.maximum)
            else f"from {self.minimum} to {self.maximum}"
        )


@dataclass(frozen=True)
class Options:
    """Base of every object of options; the type of each field is ``Annotated[type, Option(...)]``.

    A text or list where a tuple is declared becomes one, and a text where a path is declared; what is no
    legal value is refused by name.
    """

    def __post_init__(self) -> None:
        for name, one in get_declared_options(type(self)).items():
            kind, value = one.type, getattr(self, name)
            if get_origin(kind) is tuple:
                value = (value,) if isinstance(value, (str, PathLike)) else tuple(value or ())
                value = tuple(map(Path, value)) if is_path_type(kind) else value
                object.__setattr__(self, name, value)
            elif is_path_type(kind) and isinstance(value, (str, PathLike)):
                object.__setattr__(self, name, Path(value))
            if value is not None:
                self._check(one, value)

    def _check(self, one: Option, value: Any) -> None:
        legal = allowed_values(one.type)
        for each in value if isinstance(value, tuple) else (value,):
            if legal and each not in legal:
                raise InputError(f"unknown {one.label}", found=each, allowed=", ".join(filter(None, legal)))
        is_bounded = not all(map(math.isinf, (one.minimum, one.maximum, one.upper_bound)))
        is_number = isinstance(value, (int, float))
        if is_bounded and not (is_number and one.minimum <= value <= one.maximum and value < one.upper_bound):
            raise InputError(f"the {one.label} is out of range", found=value, allowed=one.bounds_text)
        if one.pattern and not re.fullmatch(one.pattern, value):
            raise InputError(f"not a {one.label}", found=value, allowed=f"what matches {one.pattern}")

    @classmethod
    def from_keywords(cls, keywords: dict[str, Any]) -> Self:
        """The options among some keywords, which are taken out of these."""
        return cls(**{name: keywords.pop(name) for name in get_declared_options(cls) if name in keywords})

    def to_table(self, *always: str) -> dict[str, Any]:
        """What of these options has not its usual value, and some `always`, as a TOML table has it."""
        return {
            one.key: _plain(getattr(self, name))
            for name, one in get_declared_options(type(self)).items()
            if name in always or getattr(self, name) != one.default
        }

    @property
    def paths(self) -> list[Path]:
        """The files and folders among the values."""
        values = [getattr(self, one.name) for one in fields(self)]
        each = [v for value in values for v in (value if isinstance(value, tuple) else (value,))]
        return [value for value in each if isinstance(value, Path)]

    def to_arguments(self) -> list[str]:
        """What of these options has not its usual value, as it is written on the command line."""
        words: list[str] = []
        for own, one in get_declared_options(type(self)).items():
            value, flag = getattr(self, own), one.flag
            if value == one.default:
                continue
            if isinstance(value, bool):
                words.append(flag)
            elif isinstance(value, Mapping):
                words += [word for name, text in value.items() for word in (flag, f"{name}={text}")]
            elif isinstance(value, tuple):
                words += [word for each in value for word in (flag, str(each))]
            else:
                words += [flag, str(value)]
        return words


def _plain(value: Any) -> Any:
    """A value as TOML has it."""
    if isinstance(value, Options):
        return value.to_table()
    return [_plain(each) for each in value] if isinstance(value, tuple) else value


# each class is looked through once: every object of it is checked against what it declares
_DECLARED: dict[type[Options], Mapping[str, Option]] = {}


def get_declared_options(kind: type[Options]) -> Mapping[str, Option]:
    """What is declared of each option, by name."""
    if kind in _DECLARED:
        return _DECLARED[kind]
    hints, found = get_type_hints(kind, include_extras=True), {}
    for own in fields(kind):
        one: Option = hints[own.name].__metadata__[0]
        default = own.default if own.default_factory is MISSING else own.default_factory()
        words = own.name.replace("_", "-")
        found[own.name] = replace(
            one,
            type=get_args(hints[own.name])[0],
            default=... if default is MISSING else default,
            flag=one.flag or f"--{words}",
            key=one.key or own.name,
            label=one.label or words.replace("-", " "),
        )
    return _DECLARED.setdefault(kind, MappingProxyType(found))


def allowed_values(kind: Any) -> tuple[str, ...]:
    """The words that a type allows; none where it allows all."""
    if get_origin(kind) is tuple:
        return allowed_values(get_args(kind)[0])
    return get_args(kind) if get_origin(kind) is Literal else ()


def is_path_type(kind: Any) -> bool:
    """Whether a value of a type is a path, or several."""
    return Path in (kind, *get_args(kind))


def with_options(**taken: Sequence[str]) -> Callable[[Function], Function]:
    """Give a command the options of its parameters of an `FormatOptions` class, in these parameters' place.

    Parameters
    ----------
    **taken
        For each such parameter the names of the options that the command has; all where it is not named.

    Examples
    --------
    >>> @with_options(scoring=["pairing", "confidence"])  # doctest: +SKIP
    ... def compare_command(*, runs: list[Path], scoring: ScoringOptions, form: FormatOption) -> None: ...
    """

    def with_parameters(function: Function) -> Function:
        signature = inspect.signature(function, eval_str=True)
        objects = {
            p.name: p.annotation
            for p in signature.parameters.values()
            if isinstance(p.annotation, type) and issubclass(p.annotation, Options)
        }
        names = {name: tuple(taken.get(name, get_declared_options(kind))) for name, kind in objects.items()}
        parameters: list[inspect.Parameter] = []
        for p in signature.parameters.values():
            if p.name in objects:
                parameters += [
                    _typer_parameter(name, get_declared_options(objects[p.name])[name])
                    for name in names[p.name]
                ]
            else:
                parameters.append(p)

        @functools.wraps(function)
        def called(**given: Any) -> Any:
            made = {
                # what was not given (None) keeps its default
                own: kind(**{n: v for n in names[own] if (v := given.pop(n, None)) is not None})
                for own, kind in objects.items()
            }
            return function(**given, **made)

        called.__signature__ = signature.replace(parameters=parameters)  # type: ignore[attr-defined]
        called.__annotations__ = {p.name: p.annotation for p in parameters}
        return called  # type: ignore[return-value]  # as a command it has more parameters

    return with_parameters


def with_keywords(
    *taken: type[Options] | tuple[type[Options], Sequence[str]],
) -> Callable[[Function], Function]:
    """Let a function with ``**options`` take options, and show them as its own.

    Of each class all are taken, or those that are named beside it. Any other keyword is refused as Python
    does it, with the nearest name.

    Examples
    --------
    >>> @with_keywords((ScoringOptions, ["pairing", "confidence"]))  # doctest: +SKIP
    ... def compare(found: Run, **options: Any) -> pd.DataFrame: ...
    """

    def with_parameters(function: Function) -> Function:
        signature = inspect.signature(function)
        own = {n: p for n, p in signature.parameters.items() if p.kind is not p.VAR_KEYWORD}
        shown = {
            name: inspect.Parameter(
                name,
                inspect.Parameter.KEYWORD_ONLY,
                default=get_declared_options(kind)[name].default,
                annotation=get_declared_options(kind)[name].type,
            )
            for kind, names in (
                one if isinstance(one, tuple) else (one, get_declared_options(one)) for one in taken
            )
            for name in names
        }

        @functools.wraps(function)
        def called(*arguments: Any, **given: Any) -> Any:
            for name in given:
                if name not in own and name not in shown:
                    raise TypeError(_unexpected_keyword_message(function.__name__, name, [*own, *shown]))
            return function(*arguments, **given)

        parameters = [*own.values(), *shown.values()]
        called.__signature__ = signature.replace(parameters=parameters)  # type: ignore[attr-defined]
        return called  # type: ignore[return-value]  # the same for a type checker

    return with_parameters


def _unexpected_keyword_message(function: str, name: str, known: list[str]) -> str:
    from difflib import get_close_matches

    near = get_close_matches(name, known, n=1)
    hint = f"; did you mean {near[0]!r}?" if near else ""
    return f"{function}() got an unexpected keyword argument {name!r}{hint}"


def _typer_parameter(name: str, one: Option) -> inspect.Parameter:
    """An option as the parameter of a command."""
    import typer

    form, default = one.type, one.default
    several = isinstance(default, (tuple, Mapping))
    bounds: dict[str, Any] = {"min": one.minimum, "max": one.maximum} if one.shows_range else {}
    shown = typer.Option(
        one.flag,
        help=one.help,
        metavar=one.metavar or None,
        show_default=not several,
        **{side: value for side, value in bounds.items() if not math.isinf(value)},
    )
    if several:
        own = Path if one.takes_files else get_args(form)[0]
        form = Optional[list[own if own in (Path, int, float) else str]]  # type: ignore[misc]  # noqa: UP045
        default = None
    elif allowed_values(form):
        form = str
    annotation = Annotated[form, shown]  # type: ignore[valid-type]  # made from the declaration
    return inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=default, annotation=annotation)


def split_pair(
    text: str, option: str, expected_form: str, *, keep_white_space: bool = False
) -> tuple[str, str]:
    """The two sides of an option's pair; the first ``=`` parts them.

    Parameters
    ----------
    text : str
    option, expected_form : str
        Named where it is no pair: ``--list`` and ``NAME=FILE``.
    keep_white_space : bool
        Whether white space counts, and the value may be empty.

    Raises
    ------
    InputError
        When a side is missing.

    Examples
    --------
    >>> pair_of("known=a=b.txt", "--list", "NAME=FILE")
    ('known', 'a=b.txt')
    >>> pair_of("prefix=", "--option", "NAME=VALUE", verbatim=True)
    ('prefix', '')
    """
    key, equals, value = text.partition("=")
    if not (key.strip() and equals and (keep_white_space or value.strip())):
        raise InputError(f"{option} does not hold a pair", found=text, allowed=expected_form)
    return (key, value) if keep_white_space else (key.strip(), value.strip())


def parse_pairs(
    given: Sequence[str] | Mapping[str, str] | None,
    option: str,
    expected_form: str,
    *,
    keep_white_space: bool = False,
) -> dict[str, str]:
    """A mapping as it is, or the mapping that texts of the form ``KEY=VALUE`` make; see `split_pair`."""
    if isinstance(given, Mapping):
        return dict(given)
    return dict(
        split_pair(text, option, expected_form, keep_white_space=keep_white_space) for text in given or ()
    )

"""Declaration of options as dataclass fields with a type, a default, a help text and allowed values.

The command-line option, the keyword argument, the TOML key and the checks of the value are all derived from
this declaration.
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
from typing import (
    Annotated,
    Any,
    ClassVar,
    Literal,
    Optional,
    Self,
    TypeVar,
    get_args,
    get_origin,
    get_type_hints,
)

from .errors import InputError, find_similar, unknown_name_error

Function = TypeVar("Function", bound=Callable[..., Any])

COMMON, OUTPUT, OTHER = "Common options", "Output", "Other options"
"""Titles of groups of options in a command's help: the first group and the last two."""


@dataclass(frozen=True)
class Option:
    """Declaration of an option.

    Attributes
    ----------
    help : str
        Help text on the command line.
    group : str
        Title of the option's group in the help.
    label : str
        Name of the option in messages about a wrong value; the field's name by default.
    flag : str
        Name on the command line, if it differs from the field's name.
    key : str
        Name in TOML files, if it differs from the field's name.
    minimum, maximum : float
        Inclusive bounds of a number.
    upper_bound : float
        Exclusive upper bound of a number.
    shows_range : bool
        True if the command line checks and shows the bounds.
    pattern : str
        Regular expression that a text must match.
    takes_files : bool
        True if the command line converts the values to paths.
    metavar : str
        Placeholder for the value in the help; derived from the type by default.
    type, default : Any
        Type and default of the field, set by `get_declared_options`; the default of a required option is
        ``...``.
    """

    help: str
    group: str = ""
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
        """Allowed range of an option's value, in words."""
        if not math.isinf(self.upper_bound):
            return f"from {self.minimum} to less than {self.upper_bound}"
        return (
            f"at least {self.minimum}"
            if math.isinf(self.maximum)
            else f"from {self.minimum} to {self.maximum}"
        )


@dataclass(frozen=True)
class Options:
    """Base class of option objects; the type of each field is ``Annotated[type, Option(...)]``.

    The class attribute `help_group` is the title under which the help lists options without a group.

    Texts and lists are converted to tuples, and texts to paths, where the field's type requires it.

    Raises
    ------
    InputError
        If a value is not allowed.
    """

    help_group: ClassVar[str] = ""

    def __post_init__(self) -> None:
        for name, option in get_declared_options(type(self)).items():
            kind, value = option.type, getattr(self, name)
            if get_origin(kind) is tuple:
                value = (value,) if isinstance(value, (str, PathLike)) else tuple(value or ())
                value = tuple(map(Path, value)) if is_path_type(kind) else value
                object.__setattr__(self, name, value)
            elif is_path_type(kind) and isinstance(value, (str, PathLike)):
                object.__setattr__(self, name, Path(value))
            if value is not None:
                self._check(option, value)

    def _check(self, option: Option, value: Any) -> None:
        choices = allowed_values(option.type)
        for item in value if isinstance(value, tuple) else (value,):
            if choices and item not in choices:
                raise unknown_name_error(option.label, item, filter(None, choices))
        is_bounded = not all(map(math.isinf, (option.minimum, option.maximum, option.upper_bound)))
        if is_bounded and not (
            isinstance(value, (int, float))
            and option.minimum <= value <= option.maximum
            and value < option.upper_bound
        ):
            raise InputError(f"the {option.label} is out of range", found=value, allowed=option.bounds_text)
        if option.pattern and not re.fullmatch(option.pattern, value):
            raise InputError(
                f"invalid {option.label}", found=value, allowed=f"a text that matches {option.pattern}"
            )

    @classmethod
    def from_keywords(cls, keywords: dict[str, Any]) -> Self:
        """Make an options object from keyword arguments, and remove the used ones from `keywords`."""
        return cls(**{name: keywords.pop(name) for name in get_declared_options(cls) if name in keywords})

    def to_table(self, *always: str) -> dict[str, Any]:
        """Return a TOML table of the options named in `always` and those that differ from their defaults."""
        return {
            option.key: _to_toml_value(getattr(self, name))
            for name, option in get_declared_options(type(self)).items()
            if name in always or getattr(self, name) != option.default
        }

    @property
    def paths(self) -> list[Path]:
        """Paths of all files and folders that the options name."""
        values = [getattr(self, field.name) for field in fields(self)]
        items = [item for value in values for item in (value if isinstance(value, tuple) else (value,))]
        return [item for item in items if isinstance(item, Path)]

    def to_arguments(self) -> list[str]:
        """Return the command-line arguments of the options that differ from their defaults."""
        words: list[str] = []
        for field_name, option in get_declared_options(type(self)).items():
            value, flag = getattr(self, field_name), option.flag
            if value == option.default:
                continue
            if isinstance(value, bool):
                words.append(flag)
            elif isinstance(value, Mapping):
                words += [word for name, text in value.items() for word in (flag, f"{name}={text}")]
            elif isinstance(value, tuple):
                words += [word for item in value for word in (flag, str(item))]
            else:
                words += [flag, str(value)]
        return words


def _to_toml_value(value: Any) -> Any:
    if isinstance(value, Options):
        return value.to_table()
    return [_to_toml_value(item) for item in value] if isinstance(value, tuple) else value


# cache: each class is inspected once
_DECLARED: dict[type[Options], Mapping[str, Option]] = {}


def get_declared_options(kind: type[Options]) -> Mapping[str, Option]:
    """Return the declarations of the options of a class, keyed by field name."""
    if kind in _DECLARED:
        return _DECLARED[kind]
    hints, options = get_type_hints(kind, include_extras=True), {}
    for field in fields(kind):
        option: Option = hints[field.name].__metadata__[0]
        default = field.default if field.default_factory is MISSING else field.default_factory()
        words = field.name.replace("_", "-")
        options[field.name] = replace(
            option,
            type=get_args(hints[field.name])[0],
            default=... if default is MISSING else default,
            flag=option.flag or f"--{words}",
            key=option.key or field.name,
            label=option.label or words.replace("-", " "),
            group=option.group or kind.help_group,
        )
    return _DECLARED.setdefault(kind, MappingProxyType(options))


def allowed_values(kind: Any) -> tuple[str, ...]:
    """Return the values of a `Literal` type or a tuple of `Literal`; return no values for any other type."""
    if get_origin(kind) is tuple:
        return allowed_values(get_args(kind)[0])
    return get_args(kind) if get_origin(kind) is Literal else ()


def is_path_type(kind: Any) -> bool:
    """Return True if a type is a path, an optional path or a tuple of paths."""
    return Path in (kind, *get_args(kind))


def with_options(**taken: Sequence[str]) -> Callable[[Function], Function]:
    """Return a decorator that replaces each parameter of an `Options` type with command-line options.

    Parameters
    ----------
    **taken
        For each replaced parameter, the names of the options to add; by default, all options of its type.

    Examples
    --------
    >>> @with_options(scoring=["pairing", "confidence"])  # doctest: +SKIP
    ... def compare_command(*, runs: list[Path], scoring: ScoringOptions, form: FormatOption) -> None: ...
    """

    def replace_parameters(function: Function) -> Function:
        signature = inspect.signature(function, eval_str=True)
        objects: dict[str, type[Options]] = {}
        names: dict[str, tuple[str, ...]] = {}
        parameters: list[inspect.Parameter] = []
        for p in signature.parameters.values():
            if isinstance(p.annotation, type) and issubclass(p.annotation, Options):
                declared = get_declared_options(p.annotation)
                objects[p.name], names[p.name] = p.annotation, tuple(taken.get(p.name, declared))
                parameters += [_typer_parameter(name, declared[name]) for name in names[p.name]]
            else:
                parameters.append(p)

        @functools.wraps(function)
        def call(**keywords: Any) -> Any:
            option_objects = {
                # None: the option was not given and keeps its default
                parameter: kind(
                    **{n: v for n in names[parameter] if (v := keywords.pop(n, None)) is not None}
                )
                for parameter, kind in objects.items()
            }
            return function(**keywords, **option_objects)

        call.__signature__ = signature.replace(parameters=parameters)  # type: ignore[attr-defined]
        call.__annotations__ = {p.name: p.annotation for p in parameters}
        return call  # type: ignore[return-value]  # as a command it has more parameters

    return replace_parameters


def with_keywords(
    *taken: type[Options] | tuple[type[Options], Sequence[str]],
) -> Callable[[Function], Function]:
    """Return a decorator that declares the keyword arguments of a function with ``**options``.

    Parameters
    ----------
    *taken
        Option classes, or pairs of an option class and the names of the options to accept (all by default).

    Raises
    ------
    TypeError
        If the decorated function is called with an unknown keyword; the message suggests the nearest name.

    Examples
    --------
    >>> @with_keywords((ScoringOptions, ["pairing", "confidence"]))  # doctest: +SKIP
    ... def compare(found: Run, **options: Any) -> pd.DataFrame: ...
    """

    def add_parameters(function: Function) -> Function:
        signature = inspect.signature(function)
        declared = {n: p for n, p in signature.parameters.items() if p.kind is not p.VAR_KEYWORD}
        options: dict[str, inspect.Parameter] = {}
        keyword_of_flag = {f"--{name.replace('_', '-')}": name for name in declared}
        keyword_of_flag["--force"] = "overwrite=True"
        for item in taken:
            kind, names = item if isinstance(item, tuple) else (item, get_declared_options(item))
            for name in names:
                option = get_declared_options(kind)[name]
                options[name] = inspect.Parameter(
                    name, inspect.Parameter.KEYWORD_ONLY, default=option.default, annotation=option.type
                )
                keyword_of_flag[option.flag] = name

        @functools.wraps(function)
        def call(*arguments: Any, **keywords: Any) -> Any:
            for name in keywords:
                if name not in declared and name not in options:
                    near = find_similar(name, [*declared, *options])[:1]
                    hint = f"; did you mean {near[0]!r}?" if near else ""
                    raise TypeError(
                        f"{function.__name__}() got an unexpected keyword argument {name!r}{hint}"
                    )
            try:
                return function(*arguments, **keywords)
            except InputError as error:
                error.use_keywords(keyword_of_flag)
                raise

        parameters = [*declared.values(), *options.values()]
        call.__signature__ = signature.replace(parameters=parameters)  # type: ignore[attr-defined]
        return call  # type: ignore[return-value]  # the same for a type checker

    return add_parameters


def _typer_parameter(name: str, option: Option) -> inspect.Parameter:
    """Convert the declaration of an option to a parameter of a typer command."""
    import typer

    kind, default = option.type, option.default
    is_repeatable = isinstance(default, (tuple, Mapping))
    choices = tuple(filter(None, allowed_values(kind)))
    bounds: dict[str, Any] = {"min": option.minimum, "max": option.maximum} if option.shows_range else {}
    declaration = typer.Option(
        option.flag,
        help=option.help,
        metavar=option.metavar or "|".join(choices) or None,
        show_default=not is_repeatable,
        rich_help_panel=option.group or None,
        autocompletion=(lambda incomplete: [c for c in choices if c.startswith(incomplete)])
        if choices
        else None,
        **{side: value for side, value in bounds.items() if not math.isinf(value)},
    )
    if is_repeatable:
        item = Path if option.takes_files else get_args(kind)[0]
        kind = Optional[list[item if item in (Path, int, float) else str]]  # type: ignore[misc]  # noqa: UP045
        default = None
    elif choices:
        # checked by the object of options
        kind = str
    annotation = Annotated[kind, declaration]  # type: ignore[valid-type]  # made from the declaration
    return inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=default, annotation=annotation)


def split_pair(
    text: str, option: str, expected_form: str, *, keep_white_space: bool = False
) -> tuple[str, str]:
    """Return the name and the value of a ``NAME=VALUE`` pair, split at the first ``=``.

    Parameters
    ----------
    text : str
        Text of the pair.
    option, expected_form : str
        Option and expected form shown in the error message, for example ``--list`` and ``NAME=FILE``.
    keep_white_space : bool
        Keep white space around the name and the value, and allow an empty value.

    Raises
    ------
    InputError
        If the name or the value is missing.

    Examples
    --------
    >>> split_pair("known=a=b.txt", "--list", "NAME=FILE")
    ('known', 'a=b.txt')
    """
    key, equals, value = text.partition("=")
    if not (key.strip() and equals and (keep_white_space or value.strip())):
        raise InputError(f"{option} needs a name and a value", found=text, allowed=expected_form)
    return (key, value) if keep_white_space else (key.strip(), value.strip())


def parse_pairs(
    pairs: Sequence[str] | Mapping[str, str] | None,
    option: str,
    expected_form: str,
    *,
    keep_white_space: bool = False,
) -> dict[str, str]:
    """Convert ``NAME=VALUE`` texts or a mapping to a dictionary; for the parameters see `split_pair`."""
    if isinstance(pairs, Mapping):
        return dict(pairs)
    return dict(
        split_pair(text, option, expected_form, keep_white_space=keep_white_space) for text in pairs or ()
    )

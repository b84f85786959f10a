"""Targeted test suites for entity taggers.

These names are the public interface:

=================  =====================================================================================
`taxonomy`         return all features of entities, contexts, slots and mentions
`read_entities`    read catalogues of entities into a table with one row per entity
`read_contexts`    read contexts and their slots
`use_taxonomy`     add features of your own to the taxonomy
`Query`            Boolean query over features
`diagnose`         find out what a tagger gets wrong: make a suite, run, score, search for faults, report
`generate`         generate a test suite
`read_corpus`      read a suite or corpus as texts with mentions
`annotate`         compute all features of the mentions in a corpus
`run`              run a tagger on a suite or corpus: once, repeatedly, or with varied options
`score`            score a run or other predictions, per class and notion of correctness
`repeats`          measure how often answers change between repetitions of a run
`effects`          estimate the effect of each option value on recall
`invariance`       find perturbations of texts that change a tagger's answers
`discover`         find combinations of features on which a tagger performs worse
`compare`          compare predictions about classes with results on a corpus
`calibrate`        estimate results per class on a corpus from a suite and a few annotated sentences
`accept`           accept or reject taggers by criteria
`report`           write an HTML report about one or more runs
=================  =====================================================================================
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from .catalogues.core.version import __version__ as __version__

if TYPE_CHECKING:
    from .catalogues.entities import read_entities
    from .catalogues.own_features import use_taxonomy
    from .catalogues.query import Query
    from .catalogues.taxonomy import taxonomy
    from .reports.api import diagnose, generate, report
    from .reports.api_running import invariance, run
    from .reports.api_scoring import accept, calibrate, compare, discover, effects, repeats, score
    from .sentences.annotate import annotate
    from .sentences.contexts import read_contexts
    from .sentences.formats import read_corpus

__all__ = [
    "Query",
    "accept",
    "annotate",
    "calibrate",
    "compare",
    "diagnose",
    "discover",
    "effects",
    "generate",
    "invariance",
    "read_contexts",
    "read_corpus",
    "read_entities",
    "repeats",
    "report",
    "run",
    "score",
    "taxonomy",
    "use_taxonomy",
]

_NAMES = {
    "catalogues.entities": ["read_entities"],
    "catalogues.own_features": ["use_taxonomy"],
    "catalogues.query": ["Query"],
    "catalogues.taxonomy": ["taxonomy"],
    "reports.api": ["diagnose", "generate", "report"],
    "reports.api_running": ["invariance", "run"],
    "reports.api_scoring": ["accept", "calibrate", "compare", "discover", "effects", "repeats", "score"],
    "sentences.annotate": ["annotate"],
    "sentences.contexts": ["read_contexts"],
    "sentences.formats": ["read_corpus"],
}
"""Public names of the package, by the module that defines them."""

if not TYPE_CHECKING:  # a type checker that saw `__getattr__` would accept any name

    def __getattr__(name: str) -> object:
        """Load a public name on first access."""
        home = next((module for module, names in _NAMES.items() if name in names), None)
        if home is None:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        from importlib import import_module

        value = getattr(import_module(f".{home}", __name__), name)
        globals()[name] = value
        return value

    def __dir__() -> list[str]:
        """Return the public names, including those not yet loaded."""
        return sorted({*globals(), *__all__})

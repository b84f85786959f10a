"""Targeted test suites for entity taggers.

A few names are all that a notebook needs; each is loaded when it is first used.

=================  ==================================================================
`taxonomy`         the features that anything may be chosen by
`read_entities`    catalogues of entities, a row an entity and a column a feature
`read_contexts`    contexts and their slots
`Query`            a Boolean query over features
`diagnose`         find out what a tagger gets wrong: suite, run, faults and report in one call
`generate`         make a suite
`read_corpus`      a suite or any corpus as texts with mentions
`annotate`         a corpus's mentions with all features
`run`              run a tagger over a suite or corpus, once, repeatedly or varied
`score`            score a run, or any predictions, per class and notion
`repeats`          how often answers change from one repetition of a run to the next
`effects`          what each value of a varied option does to recall
`invariance`       where a tagger's answer changes with texts that are perturbed
`discover`         the combinations of features that a tagger fails at
`compare`          what was predicted of classes, against what a corpus shows
`calibrate`        what to expect of classes in a corpus, from a suite and a few annotated sentences
`accept`           pass or fail: criteria for runs
`report`           one HTML file about one run or several
=================  ==================================================================
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from .catalogues.core.version import __version__ as __version__

if TYPE_CHECKING:
    from .catalogues.entities import read_entities
    from .catalogues.query import Query
    from .catalogues.taxonomy import taxonomy
    from .reports.api import diagnose, generate, invariance, report, run
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
]

_MODULES = {
    "Query": "catalogues.query",
    "accept": "reports.api_scoring",
    "annotate": "sentences.annotate",
    "calibrate": "reports.api_scoring",
    "compare": "reports.api_scoring",
    "diagnose": "reports.api",
    "discover": "reports.api_scoring",
    "effects": "reports.api_scoring",
    "generate": "reports.api",
    "invariance": "reports.api",
    "read_contexts": "sentences.contexts",
    "read_corpus": "sentences.formats",
    "read_entities": "catalogues.entities",
    "repeats": "reports.api_scoring",
    "report": "reports.api",
    "run": "reports.api",
    "score": "reports.api_scoring",
    "taxonomy": "catalogues.taxonomy",
}

if not TYPE_CHECKING:  # a type checker must see the imports above alone, else any name would be right

    def __getattr__(name: str) -> object:
        """Load one of the names above when it is first asked for."""
        home = _MODULES.get(name)
        if home is None:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        from importlib import import_module

        value = getattr(import_module(f".{home}", __name__), name)
        globals()[name] = value
        return value

    def __dir__() -> list[str]:
        """The public names, loaded or not."""
        return sorted({*globals(), *__all__})

"""The documentation page on the bundled contexts: how often each value occurs.

``python -m tagsuite.sentences.context_pages > docs/contexts-coverage.md``
"""

from __future__ import annotations

import sys

import pandas as pd

from ..catalogues.core.tables import Format, render
from .contexts import Contexts, read_contexts
from .contexts_check import attested

HEAD = """# The bundled contexts in numbers

Written by `python -m tagsuite.sentences.context_pages > docs/contexts-coverage.md`; change the XML, not the
page. A set counts under each of its values, a context with several slots under each slot's value, once. What
the features mean is in [features.md](features.md), how contexts are written in [contexts.md](contexts.md).
"""


def coverage_page() -> str:
    """The page as Markdown."""
    contexts = read_contexts()
    parts = [
        HEAD,
        "## Files\n",
        _markdown(_files(contexts)),
        "## Slots by what they accept\n",
        "Slots of fp contexts are for look-alikes; the tables after this one leave them out.\n",
        _markdown(_accepted(contexts)),
        "## Lists: contexts by the kind of list and the slot's place in it\n",
        _markdown(_lists(contexts)),
        "## Marks that touch a slot\n",
        _markdown(_marks(contexts)),
        "## Contexts by value\n",
        _markdown(attested(contexts)),
    ]
    return "\n".join(parts)


def _markdown(frame: pd.DataFrame) -> str:
    return render(frame, Format.markdown)


def _files(contexts: Contexts) -> pd.DataFrame:
    table = pd.DataFrame(
        {
            "file": [entry.file for entry in contexts.entries],
            "contexts": 1,
            "tp": [int(entry.type == "tp") for entry in contexts.entries],
            "fp": [int(entry.type == "fp") for entry in contexts.entries],
            "slots": [len(entry.slots) for entry in contexts.entries],
            "marked tokens": [len(entry.tokens) for entry in contexts.entries],
        }
    )
    summed = table.groupby("file", sort=True).sum().reset_index()
    total = summed.drop(columns="file").sum()
    return pd.concat([summed, pd.DataFrame([{"file": "all", **total}])], ignore_index=True)


def _accepted(contexts: Contexts) -> pd.DataFrame:
    """In how many contexts of names and of look-alikes a slot accepts each kind."""
    joined = contexts.joined().dropna(subset="slot")
    said = joined["accepts"].astype("object").where(joined["accepts"].notna(), "(not judged)")
    table = joined[["context_id", "context.type"]].assign(accepts=said.str.split("|")).explode("accepts")
    groups = table.groupby(["accepts", "context.type"])["context_id"].nunique()
    return groups.unstack(fill_value=0)[["tp", "fp"]].reset_index().rename_axis(columns=None)


def _of_names(contexts: Contexts) -> pd.DataFrame:
    """The slots that are for names."""
    return contexts.slots[~contexts.slots["context_id"].isin(contexts.for_look_alikes)]


def _lists(contexts: Contexts) -> pd.DataFrame:
    groups = (
        _of_names(contexts).groupby(["list_type", "list_position"], observed=True)["context_id"].nunique()
    )
    return groups.unstack(fill_value=0).reset_index()


def _marks(contexts: Contexts) -> pd.DataFrame:
    slots = _of_names(contexts)
    counts = {edge: slots[f"{edge}_punctuation"].value_counts() for edge in ("left", "right")}
    table = pd.DataFrame(counts).fillna(0).astype("int64").rename_axis("mark").reset_index()
    order = (-(table["left"] + table["right"])).to_frame("n").assign(mark=table["mark"])
    return table.loc[order.sort_values(["n", "mark"]).index]


if __name__ == "__main__":
    sys.stdout.write(coverage_page())

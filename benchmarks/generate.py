"""How fast suites are made, beside CheckList's ``Editor.template`` and beside plain string concatenation.

    python benchmarks/generate.py                         # ours and plain concatenation: 1,000,000 cases
    python benchmarks/generate.py --cases 10000000        # peak memory is told as well
    python benchmarks/generate.py --checklist PYTHON DIR  # CheckList in its own environment, in the same run
    python benchmarks/generate.py --covering              # covering arrays on the catalogue and on free
    parameters

CheckList 0.0.11 needs an old notebook to build and torch to be imported, neither of which
``Editor.template`` uses. Its own code is measured all the same: unpack the source distribution (``pip
download --no-deps --no-binary :all:``, in an environment with ``setuptools<60`` and ``notebook<7``) into
DIR, and give as PYTHON the interpreter of an environment with ``munch`` and ``numpy``. Only its notebook
viewer, which plays no part in filling templates, is left out. All figures are of one core.
"""

from __future__ import annotations

import argparse
import json
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

CHECKLIST = """
import json, sys, time, types
viewer = types.ModuleType("checklist.viewer.template_editor")
viewer.TemplateEditor = object
sys.modules["checklist.viewer.template_editor"] = viewer
sys.path.insert(0, sys.argv[1])
package = types.ModuleType("checklist")
package.__path__ = [sys.argv[1] + "/checklist"]
sys.modules["checklist"] = package
from checklist.editor import Editor
work = json.load(sys.stdin)
editor = Editor()
best = 0.0
for _ in range(3):
    made, begin = 0, time.process_time()
    for template in work["templates"]:
        found = editor.template(template, form=work["forms"], meta=True, labels=1)
        made += len(found.data)
        assert len(found.meta) == len(found.data) == len(found.labels)
    best = max(best, made / (time.process_time() - begin))
print(json.dumps({"cases": made, "rate": best}))
"""


def plain(templates: list[str], forms: list[str]) -> tuple[int, float]:
    """Concatenate prefix, form and suffix, and note the span: the least that anything could do."""
    begin = time.process_time()
    made = 0
    for template in templates:
        before, after = template.split("<>")
        start = len(before)
        lines = [(before + form + after, start, start + len(form)) for form in forms]
        made += len(lines)
    return made, time.process_time() - begin


def bundled(cases: int) -> tuple[object, object, int]:
    """The one-slot product of the bundled catalogue, repeated as often as needed."""
    from tagsuite.generator.material import assemble_material
    from tagsuite.generator.plan import plan_part
    from tagsuite.generator.recipe import PartRecipe
    from tagsuite.generator.sources import read_sources

    sources = read_sources([], [], [], wants_look_alikes=False)
    contexts = sources.contexts
    one = contexts.contexts[contexts.contexts["slots"].str.count("<>") == 1]
    slots = contexts.slots[contexts.slots["context_id"].isin(one["context_id"])]
    material = assemble_material(sources.entities, one, slots)
    part = plan_part(material, PartRecipe(contexts="context.type = tp"), 0, 0)
    return material, part, max(1, round(cases / part.cases))


def main() -> None:
    """Measure and print one JSON object a line."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--cases", type=int, default=1_000_000)
    parser.add_argument("--checklist", nargs=2, metavar=("PYTHON", "DIR"))
    parser.add_argument("--covering", action="store_true")
    parser.add_argument("--catalogue", action="append", default=[], help="entities for --covering")
    parser.add_argument(
        "--memory-only", action="store_true", help="only the suite on disk, for its peak memory"
    )
    options = parser.parse_args()
    if options.covering:
        covering(options.catalogue)
        return
    import pyarrow as pa

    pa.set_cpu_count(1)
    pa.set_io_thread_count(1)
    from tagsuite.generator.assemble import Assembler
    from tagsuite.generator.batches import gathered
    from tagsuite.generator.suite import write_blocks

    material, part, repeats = bundled(options.cases)

    def blocks():  # type: ignore[no-untyped-def]
        for _ in range(repeats):
            yield from part.blocks()

    figures: dict[str, float] = {}
    if not options.memory_only:
        assemble = Assembler(material)
        begin = time.process_time()
        made = sum(len(assemble(block, lines=False).slots) for block in gathered(blocks()))
        figures["in_memory"] = made / (time.process_time() - begin)
        print(
            json.dumps(
                {
                    "what": "tagsuite in memory: text, entity and span of each case",
                    "cases": made,
                    "rate": round(figures["in_memory"]),
                }
            )
        )
    with tempfile.TemporaryDirectory() as folder:
        begin, wall = time.process_time(), time.perf_counter()
        counts = write_blocks(Path(folder), material, blocks())
        figures["on_disk"] = counts.cases / (time.process_time() - begin)
        size = sum(p.stat().st_size for p in Path(folder).iterdir())
        print(
            json.dumps(
                {
                    "what": "tagsuite to raw, gold, cases and mentions on disk",
                    "cases": counts.cases,
                    "rate": round(figures["on_disk"]),
                    "wall_rate": round(counts.cases / (time.perf_counter() - wall)),
                    "bytes": size,
                    "peak_MB": round(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024),
                }
            )
        )
    if options.memory_only:
        return
    templates = [t for t in material.contexts["slots"] if t.count("<>") == 1 and "{" not in t]
    forms = material.forms
    made, seconds = plain(templates, forms)
    print(
        json.dumps({"what": "plain concatenation with offsets", "cases": made, "rate": round(made / seconds)})
    )
    if options.checklist:
        python, folder = options.checklist
        work = {
            "templates": [t.replace("<>", "{form}") for t in templates],
            "forms": [f for f in forms if "{" not in f],
        }
        done = subprocess.run(
            [python, "-c", CHECKLIST, folder],
            input=json.dumps(work),
            capture_output=True,
            text=True,
            check=False,
        )
        if done.returncode:
            sys.exit(f"CheckList did not run:\n{done.stderr}")
        found = json.loads(done.stdout)
        print(json.dumps({"what": "CheckList Editor.template with meta and labels", **found}))
        for name, rate in figures.items():
            print(json.dumps({"what": f"{name} against CheckList", "times": round(rate / found["rate"], 1)}))


def covering(catalogue: list[str]) -> None:
    """Covering arrays on free parameters, and covering suites on a catalogue."""
    import numpy as np
    from tagsuite.generator.build import make_plan
    from tagsuite.generator.covering.arrays import Parameters, covering_array
    from tagsuite.generator.covering.bounds import lower_bound
    from tagsuite.generator.covering.tway import cover
    from tagsuite.generator.recipe import PartRecipe, Recipe, SuiteSettings

    levels = [2, 3, 4, 5, 6] * 3
    for t in (2, 3):
        begin = time.process_time()
        rows = covering_array(levels, t)
        seconds = time.process_time() - begin
        known = Parameters(levels, t)
        assert len(np.unique(known.codes(rows))) == known.total
        print(
            json.dumps({"what": f"15 parameters, t = {t}", "rows": len(rows), "seconds": round(seconds, 1)})
        )
    plan = make_plan(Recipe(suite=SuiteSettings(catalogue=catalogue), part=[PartRecipe(combine="each")]))
    space = plan.parts[0].space
    ten = (
        "case", "name_vs_symbol", "contains_hyphen", "contains_Greek_letter", "postmodifier",
        "slot.position", "list_type", "appositive_side", "following_word_is_keyword", "sentence_words",
    )  # fmt: skip
    for t, features in ((2, ()), (3, ten)):
        begin = time.process_time()
        found = cover(space, t, features=features)
        row = {
            "what": f"tway {t} over {len(features) or 'all closed'} features",
            "entities": len(space.fillers),
            "contexts": len(space.places.contexts),
            "attested": found.attested,
            "uncovered": found.open,
            "cases": len(found.chosen),
            "mentions": sum(len(c.kinds) or 1 for c in found.chosen),
            "seconds": round(time.process_time() - begin, 1),
        }
        if t == 2:
            bound = lower_bound(found.problem)
            row |= {"bound_cases": bound.cases, "bound_pair": bound.pairs}
        row["peak_MB"] = round(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024)
        print(json.dumps(row), flush=True)


if __name__ == "__main__":
    main()

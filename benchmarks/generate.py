"""Compare the speed of making suites with CheckList's ``Editor.template`` and with string concatenation.

    python benchmarks/generate.py                         # tagsuite and plain concatenation: 1,000,000 cases
    python benchmarks/generate.py --cases 10000000        # peak memory is printed too
    python benchmarks/generate.py --checklist PYTHON DIR  # CheckList in its own environment, in the same run
    python benchmarks/generate.py --covering              # covering suites on the catalogue

CheckList 0.0.11 needs an old notebook version to build and torch to import, although ``Editor.template`` uses
neither. To measure it, unpack its source distribution (``pip download --no-deps --no-binary :all:``, in an
environment with ``setuptools<60`` and ``notebook<7``) into DIR, and give as PYTHON the interpreter of an
environment with ``iso-639``, ``munch`` and ``numpy``. Only its notebook viewer is left out.

All figures are for one core, in cases per second of processor time (`rate`) and of wall-clock time
(`wall_rate`). The best of five runs by processor time counts; the first run, which reads and prepares
everything, is printed as `first_rate`. The programs take turns, so that other load affects all of them.
Files are written twice per turn: on a virtual machine, memory freed by the previous program may have been
returned to the host, which slows the first writer by up to a second. `after_others` is the rate of the first
writing.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from measuring import options_of, peak_memory

if TYPE_CHECKING:
    from tagsuite.generator.cases import Cases
    from tagsuite.generator.material import Material
    from tagsuite.generator.part_plans import PartPlan

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
made, begin, wall = 0, time.process_time(), time.perf_counter()
for template in work["templates"]:
    found = editor.template(template, form=work["forms"], meta=True, labels=1)
    made += len(found.data)
    assert len(found.meta) == len(found.data) == len(found.labels)
print(json.dumps([made, time.process_time() - begin, time.perf_counter() - wall]))
"""

ROUNDS = 5


@dataclass
class Measured:
    """Measurements of one way to make cases."""

    what: str
    cases: int = 0
    seconds: list[float] = field(default_factory=list)
    wall: list[float] = field(default_factory=list)
    more: dict[str, int] = field(default_factory=dict)

    def add(self, cases: int, seconds: float, wall: float) -> None:
        """Add the times of one run."""
        self.cases = cases
        self.seconds.append(seconds)
        self.wall.append(wall)

    @property
    def rate(self) -> float:
        """Cases per second of processor time in the best run."""
        return self.cases / min(self.seconds)

    def row(self) -> dict[str, object]:
        """Return the figures to print."""
        return {
            "what": self.what,
            "cases": self.cases,
            "rate": round(self.rate),
            "wall_rate": round(self.cases / min(self.wall)),
            "first_rate": round(self.cases / self.seconds[0]),
            **self.more,
        }


def plain(templates: list[str], forms: list[str]) -> int:
    """Concatenate prefix, form and suffix and record the span: the minimal work."""
    made = 0
    for template in templates:
        before, after = template.split("<>")
        start = len(before)
        lines = [(before + form + after, start, start + len(form)) for form in forms]
        made += len(lines)
    return made


def bundled(cases: int) -> tuple[Material, PartPlan, int]:
    """Return the one-slot product of the bundled catalogue, repeated to the requested size."""
    from tagsuite.generator.material import Part, assemble_material
    from tagsuite.generator.part_options import PartOptions
    from tagsuite.generator.part_plans import plan_part
    from tagsuite.generator.recipe import SuiteRecipe
    from tagsuite.generator.sources import read_sources

    sources = read_sources(SuiteRecipe())
    contexts = sources.contexts
    one = contexts.contexts[contexts.contexts["slots"].str.count("<>") == 1]
    slots = contexts.slots[contexts.slots["context_id"].isin(one["context_id"])]
    material = assemble_material(sources.entities, one, slots)
    part = plan_part(Part(material, PartOptions(contexts="context.type = tp")))
    return material, part, max(1, round(cases / part.cases))


def main() -> None:
    """Run the measurements and print one JSON object per line."""
    parser = options_of(__doc__)
    parser.add_argument("--cases", type=int, default=1_000_000)
    parser.add_argument("--checklist", nargs=2, metavar=("PYTHON", "DIR"))
    parser.add_argument("--covering", action="store_true")
    parser.add_argument("--catalogue", action="append", default=[], help="entities for --covering")
    parser.add_argument(
        "--memory-only", action="store_true", help="write the suite once, only to measure peak memory"
    )
    options = parser.parse_args()
    if options.covering:
        covering(options.catalogue)
    else:
        speed(options.cases, options.checklist, memory_only=options.memory_only)


def speed(cases: int, checklist: tuple[str, str] | None, *, memory_only: bool) -> None:
    """Measure the ways to make a one-slot product, in turns."""
    import pyarrow as pa

    pa.set_cpu_count(1)
    pa.set_io_thread_count(1)
    material, part, repeats = bundled(cases)

    def blocks() -> Iterator[Cases]:
        for _ in range(repeats):
            yield from part.blocks()

    templates = [t for t in material.contexts["slots"] if t.count("<>") == 1 and "{" not in t]
    memory = Measured("tagsuite in memory: lines, text, entity and span of each case")
    disk = Measured("tagsuite to raw, gold, cases and mentions on disk")
    least = Measured("plain concatenation with offsets")
    peer = Measured("CheckList Editor.template with meta and labels")
    after_others = []
    for _ in range(1 if memory_only else ROUNDS):
        _on_disk(disk, material, blocks)
        if memory_only:
            continue
        after_others.append(disk.seconds[-1])
        _on_disk(disk, material, blocks)
        _in_memory(memory, material, blocks)
        begin, wall = time.process_time(), time.perf_counter()
        made = plain(templates, material.forms)
        least.add(made, time.process_time() - begin, time.perf_counter() - wall)
        if checklist is not None:
            peer.add(*_checklist(checklist, templates, material.forms))
    if after_others:
        disk.more["after_others"] = round(disk.cases / min(after_others))
    for measured in (memory, disk, least, peer):
        if measured.seconds:
            print(json.dumps(measured.row()))
    if peer.seconds:
        for measured in (memory, disk):
            times = round(measured.rate / peer.rate, 1)
            print(json.dumps({"what": f"{measured.what}, against CheckList", "times": times}))


def _on_disk(measured: Measured, material: Material, blocks: Callable[[], Iterator[Cases]]) -> None:
    from tagsuite.generator.suite import write_blocks

    with tempfile.TemporaryDirectory() as folder:
        begin, wall = time.process_time(), time.perf_counter()
        counts = write_blocks(Path(folder), material, blocks())
        measured.add(counts.cases, time.process_time() - begin, time.perf_counter() - wall)
        measured.more["bytes"] = sum(p.stat().st_size for p in Path(folder).iterdir())
    measured.more["peak_MB"] = round(peak_memory())


def _in_memory(measured: Measured, material: Material, blocks: Callable[[], Iterator[Cases]]) -> None:
    from tagsuite.generator.cases import join_small_blocks
    from tagsuite.generator.writing.case_texts import CaseTextWriter

    begin, wall = time.process_time(), time.perf_counter()
    assemble = CaseTextWriter(material)
    made = 0
    for block in join_small_blocks(blocks()):
        found = assemble(block)
        made += len(found.text)
    measured.add(made, time.process_time() - begin, time.perf_counter() - wall)


def _checklist(command: tuple[str, str], templates: list[str], forms: list[str]) -> tuple[int, float, float]:
    python, folder = command
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
    made, seconds, wall = json.loads(done.stdout)
    return int(made), float(seconds), float(wall)


def covering(catalogue: list[str]) -> None:
    """Measure covering suites on a catalogue."""
    from tagsuite.generator.covering.tway import choose_covering_cases
    from tagsuite.generator.part_options import PartOptions
    from tagsuite.generator.recipe import SuiteOptions, SuiteRecipe
    from tagsuite.generator.suite_plan import plan_suite_parts

    plan = plan_suite_parts(
        SuiteRecipe((PartOptions(combine="each"),), SuiteOptions(catalogue=tuple(catalogue)))
    )
    space = plan.parts[0].space
    ten = (
        "case", "name_vs_symbol", "contains_hyphen", "contains_Greek_letter", "postmodifier",
        "slot.position", "list_type", "appositive_side", "following_word_is_keyword", "sentence_words",
    )  # fmt: skip
    for t, features in ((2, ()), (3, ten)):
        begin = time.process_time()
        found = choose_covering_cases(space, PartOptions(combine="tway", t=t, features=features))
        row = {
            "what": f"tway {t} over {len(features) or 'all closed'} features",
            "entities": len(space.fillers),
            "contexts": len(space.places.contexts),
            "attested": found.attested,
            "uncovered": found.open_count,
            "cases": len(found.chosen),
            "mentions": sum(len(c.kinds) or 1 for c in found.chosen),
            "seconds": round(time.process_time() - begin, 1),
        }
        row["peak_MB"] = round(peak_memory())
        print(json.dumps(row), flush=True)


if __name__ == "__main__":
    main()

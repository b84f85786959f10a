"""Measure the time of the ontology measures, and compare them with independent programs.

    python benchmarks/ontology.py [--obo FILE] [--pairs 1000000] [--peers PYTHON --peer-pairs 300]

Without --obo, a random graph of 4,000 concepts is used. --peers names a Python with goatools and nxontology
(`python -m venv peers && peers/bin/pip install goatools nxontology`); they are slow, so use few pairs.
"""

from __future__ import annotations

import json
import subprocess
import tempfile
import time
from pathlib import Path

import numpy as np
from measuring import options_of

from tagsuite.harness.tasks.ontology import (
    Information,
    Ontology,
    information_from_documents,
    jiang_conrath,
    lin,
    read_obo,
    resnik,
    wang,
)

WEIGHT = 0.65
PEER = """
import json, sys
from goatools.obo_parser import GODag
from goatools.semsim.termwise.wang import SsWang
from nxontology import NXOntology

path, weight, pairs = sys.argv[1], float(sys.argv[2]), json.load(sys.stdin)
dag = GODag(path, prt=None)
terms = {term.id: term for term in dag.values()}
similarity = SsWang(set(terms), dag, None, {"is_a": weight, "part_of": weight})
graph = NXOntology()
for name in terms:
    graph.graph.add_node(name)
for name, term in terms.items():
    for parent in term.parents:
        graph.add_edge(parent.id, name)
content = {name: graph.node_info(name).intrinsic_ic_sanchez for name in terms}
rows = []
for a, b in pairs:
    other = graph.similarity(a, b, ic_metric="intrinsic_ic_sanchez")
    rows.append([similarity.get_sim(a, b), other.resnik, other.lin, other.jiang])
json.dump({"content": content, "rows": rows}, sys.stdout)
"""


def made_up(path: Path, size: int, seed: int) -> Path:
    """Return a random graph in which each concept has one or two parents among earlier concepts."""
    rng = np.random.default_rng(seed)
    stanzas = ["[Term]\nid: M:0\nname: root\n"]
    for i in range(1, size):
        parents = {int(rng.integers(max(0, i // 4), i)) for _ in range(1 + int(rng.random() < 0.15))}
        lines = "".join(f"is_a: M:{p}\n" for p in sorted(parents))
        stanzas.append(f"[Term]\nid: M:{i}\nname: concept {i}\n{lines}")
    path.write_text("format-version: 1.2\n\n" + "\n".join(stanzas), encoding="utf-8")
    return path


def timed(label: str, work: object, *arguments: object, **options: object) -> object:
    """Call a function and print the seconds it takes."""
    begin = time.perf_counter()
    result = work(*arguments, **options)  # type: ignore[operator]
    print(f"{label:32s} {time.perf_counter() - begin:8.2f} s")
    return result


def against_peers(path: Path, ontology: Ontology, python: str, number: int, seed: int) -> None:
    """Print the greatest difference between our values and theirs, per measure."""
    rng = np.random.default_rng(seed)
    places = rng.integers(0, len(ontology), (number, 2))
    pairs = [[str(ontology.ids[a]), str(ontology.ids[b])] for a, b in places]
    begin = time.perf_counter()
    command = [python, "-c", PEER, str(path), str(WEIGHT)]
    done = subprocess.run(command, input=json.dumps(pairs), capture_output=True, text=True, check=True)
    seconds = time.perf_counter() - begin
    found = json.loads(done.stdout[done.stdout.index("{") :])
    content = np.array([found["content"][name] for name in ontology.ids])
    information = Information(np.exp(-content), np.exp(-content), content)
    a, b = places[:, 0], places[:, 1]
    theirs = np.array(found["rows"], dtype=float)
    ours = (
        wang(ontology, a, b, weight=WEIGHT),
        resnik(ontology, information, a, b),
        lin(ontology, information, a, b),
        jiang_conrath(ontology, information, a, b),
    )
    print(f"peers: {number} pairs in {seconds:.1f} s; greatest differences:")
    for name, place, values in zip(("wang", "resnik", "lin", "jiang-conrath"), range(4), ours, strict=True):
        print(f"  {name:14s} {np.abs(values - theirs[:, place]).max():.1e}")


def main() -> None:
    """Time each measure once."""
    options = options_of(__doc__)
    options.add_argument("--obo", type=Path)
    options.add_argument("--pairs", type=int, default=1_000_000)
    options.add_argument("--peers")
    options.add_argument("--peer-pairs", type=int, default=300)
    options.add_argument("--seed", type=int, default=7)
    given = options.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        path = given.obo or made_up(Path(folder) / "made-up.obo", 4000, given.seed)
        ontology = timed("read", read_obo, path)
        assert isinstance(ontology, Ontology)
        timed("ancestors", lambda: ontology.distances)
        rng = np.random.default_rng(given.seed)
        a, b = rng.integers(0, len(ontology), (2, given.pairs))
        information = timed(
            "information, 100,000 annotations",
            information_from_documents,
            ontology,
            rng.integers(0, 20_000, 100_000),
            rng.integers(0, len(ontology), 100_000),
        )
        print(f"{given.pairs:,} pairs:")
        timed("wang", wang, ontology, a, b)
        for measure in (resnik, lin, jiang_conrath):
            timed(measure.__name__, measure, ontology, information, a, b)
        if given.peers:
            against_peers(path, ontology, given.peers, given.peer_pairs, given.seed)


if __name__ == "__main__":
    main()

"""The same answer has the same score in every output form; duplicates count once, drops are reported."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Callable
from pathlib import Path

import pandas as pd
import pytest

from tagsuite import score
from tagsuite.harness.running.folder.recording import record_predictions
from tagsuite.harness.running.run import run

Command = Callable[..., subprocess.CompletedProcess[str]]
TEXT = "HPV16 E6 and E7 bind p53"
# a gold of three mentions, one of them in two fragments: HPV16 E7
GOLD = [[(0, 8)], [(0, 5), (13, 15)], [(21, 24)]]
BRAT = "T1\tgp 0 8\tHPV16 E6\nT2\tgp 0 5;13 15\tHPV16 E7\nT3\tgp 21 24\tp53\n"


def annotated(path: Path, annotation: str) -> str:
    """Write a brat folder with one text."""
    path.mkdir()
    (path / "1.txt").write_text(TEXT, encoding="utf-8")
    (path / "1.ann").write_text(annotation, encoding="utf-8")
    return f"brat:{path}"


def printing(folder: Path, content: str, extra: str) -> Path:
    """Return a function that writes a tagger with a fixed output for each case."""
    (folder / "said.txt").write_text(content, encoding="utf-8")
    path = folder / "tagger.toml"
    head = 'format = 1\nname = "printing"\nmode = "document"\ncommand = ["cat", "{here}/said.txt"]\n'
    path.write_text(head + extra, encoding="utf-8")
    return path


def as_json(mentions: list[list[tuple[int, int]]]) -> str:
    made = [
        {"type": "gp", "fragments": m} if len(m) > 1 else {"type": "gp", "start": m[0][0], "end": m[0][1]}
        for m in mentions
    ]
    return json.dumps({"id": "1", "mentions": made}) + "\n"


def as_bioc(mentions: list[list[tuple[int, int]]]) -> str:
    annotations = "".join(
        f"<annotation id='{i}'><infon key='type'>gp</infon>"
        + "".join(f"<location offset='{s}' length='{e - s}'/>" for s, e in spans)
        + "</annotation>"
        for i, spans in enumerate(mentions)
    )
    document = f"<document><id>1</id><passage><offset>0</offset>{annotations}</passage></document>"
    return f"<collection><source/><date/><key/>{document}</collection>"


ROADS = [("brat", BRAT), ("jsonl", as_json(GOLD)), ("bioc", as_bioc(GOLD))]


@pytest.mark.parametrize(("form", "content"), ROADS, ids=[r[0] for r in ROADS])
def test_fragments_survive_every_road(form: str, content: str, tmp_path: Path) -> None:
    gold = annotated(tmp_path / "gold", BRAT)
    tagger = printing(tmp_path, content, f'[output]\nform = "{form}"\n')
    live = run(gold, tagger, tmp_path / "live")
    recorded = record_predictions(gold, annotated(tmp_path / "found", BRAT), "brat", tmp_path / "recorded")
    assert live.fragments is not None
    assert live.fragments[["start", "end"]].to_numpy().tolist() == [[0, 5], [13, 15]]
    direct = score(gold=gold, predicted=f"brat:{tmp_path / 'found'}")
    tables = [score(live).table, score(recorded).table, direct.table]
    for table in tables:
        row = table[table["notion"] == "strict"].iloc[0]
        assert (row["tp"], row["fp"], row["fn"]) == (3, 0, 0)
        numbers = table.select_dtypes("number")
        pd.testing.assert_frame_equal(numbers, tables[0].select_dtypes("number"))


def test_a_wrong_fragment_is_a_mention_without_a_place(tmp_path: Path) -> None:
    gold = annotated(tmp_path / "gold", BRAT)
    tagger = printing(tmp_path, as_json([[(0, 5), (13, 99)], [(21, 24)]]), '[output]\nform = "jsonl"\n')
    done = run(gold, tagger, tmp_path / "run")
    assert done.outcome_counts == {"ok": 0, "unaligned": 1}
    assert done.predictions[["start", "end"]].to_numpy().tolist() == [[21, 24]]
    assert done.fragments is None


SPANS = '{"start": 21, "end": 24, "type": "gp", "score": %s}'
TRIPLED = f'{{"id": "1", "mentions": [{SPANS % 0.5}, {SPANS % 0.9}, {SPANS % "null"}]}}\n'
TWICE = as_json([GOLD[1], GOLD[1], [(0, 15)]])
OTHER = SPANS % 1
SAME = [
    # what was printed, mentions, how many were merged, why
    (TRIPLED, "", [(21, 24)], 2, "a row an identifier"),
    (TRIPLED, 'duplicates = "keep"\n', [(21, 24)] * 3, 0, "kept when asked for"),
    (TWICE, "", [(0, 15), (0, 15)], 1, "the same fragments twice, and their hull, which is another"),
    (
        f'{{"id": "1", "mentions": [{OTHER}, {OTHER.replace("gp", "rna")}]}}\n',
        "",
        [(21, 24), (21, 24)],
        0,
        "two types are two mentions",
    ),
]


@pytest.mark.parametrize(("content", "extra", "spans", "merged", "why"), SAME, ids=[s[4] for s in SAME])
def test_a_mention_that_is_there_again_counts_once(
    content: str, extra: str, spans: list[tuple[int, int]], merged: int, why: str, tmp_path: Path
) -> None:
    gold = annotated(tmp_path / "gold", BRAT)
    done = run(gold, printing(tmp_path, content, f'[output]\nform = "jsonl"\n{extra}'), tmp_path / "run")
    found = done.predictions
    assert list(zip(found["start"], found["end"], strict=True)) == spans, why
    assert done.meta["run"]["merged"] == merged
    if content is TRIPLED and merged:
        assert found["score"].tolist() == [0.9]


def test_tripled_mentions_give_the_same_score_by_every_road(tmp_path: Path, tagsuite: Command) -> None:
    gold = annotated(tmp_path / "gold", BRAT)
    again = BRAT + BRAT.replace("T", "T1")
    found = annotated(tmp_path / "found", again)
    live = run(gold, printing(tmp_path, again, '[output]\nform = "brat"\n'), tmp_path / "live")
    recorded = record_predictions(gold, found, "brat", tmp_path / "recorded")
    assert live.meta["run"]["merged"] == recorded.meta["run"]["merged"] == 3
    for table in (score(live).table, score(recorded).table, score(gold=gold, predicted=found).table):
        row = table[table["notion"] == "strict"].iloc[0]
        assert (row["tp"], row["fp"], row["fn"]) == (3, 0, 0)
        assert row["predicted"] == 3
    shown = tagsuite("run", gold, "--tagger", tmp_path / "tagger.toml", "--out", tmp_path / "live")
    assert shown.stdout.splitlines()[0].split()[-1] == "merged"
    said = tagsuite("score", "--gold", gold, "--predicted", found).stderr
    assert "3 of 6 mentions that repeat another one (same text, span and type)" in said
    kept = found.replace("brat:", "brat[duplicates=keep]:")
    table = score(gold=gold, predicted=kept).table
    assert table[table["notion"] == "strict"].iloc[0]["predicted"] == 6


def test_merged_mentions_keep_the_identifiers_of_all(tmp_path: Path) -> None:
    from tagsuite.sentences.formats import read_corpus, read_predictions

    gold = annotated(tmp_path / "gold", BRAT)
    again = (
        "T1\tgp 21 24\tp53\nT2\tgp 21 24\tp53\n"
        "N1\tReference T1 GeneID:7157\tTP53\nN2\tReference T2 GeneID:22059\tTrp53\n"
    )
    found = read_predictions(annotated(tmp_path / "found", again), read_corpus(gold))
    assert len(found.mentions) == 1
    assert found.normalisations is not None
    assert sorted(found.normalisations["identifier"]) == ["22059", "7157"]
    assert set(found.normalisations["mention_id"]) == set(found.mentions["mention_id"])


PLAIN = '{"id": "1", "mentions": [{"start": 21, "end": 24}]}\n'
TYPED = '{"id": "1", "mentions": [{"start": 21, "end": 24, "type": "GENE"}]}\n'
# what was printed, what follows in the specification, types, unmapped, dropped, foreign, why
TYPES: list[tuple[str, str, list[str], dict[str, int], list[str], dict[str, int], str]] = [
    (PLAIN, "", ["gp"], {}, [], {}, "no type is the default type"),
    (PLAIN, 'type = "rna"\n', ["rna"], {}, [], {"rna": 1}, "a default type of one's own"),
    (PLAIN, '[types]\n"*" = ""\n', ["gp"], {}, [], {}, "which the map does not drop"),
    (PLAIN, '[types]\n"" = "x"\n', ["x"], {}, [], {"x": 1}, "unless it names it"),
    (TYPED, "", ["GENE"], {}, [], {"GENE": 1}, "a type that no gold mention has"),
    (TYPED, '[types]\nGENE = "gp"\n', ["gp"], {}, [], {}, "the same, mapped"),
    (TYPED, '[types]\nrna = "gp"\n', ["GENE"], {"GENE": 1}, [], {"GENE": 1}, "unknown to the map"),
    (TYPED, '[types]\n"*" = ""\n', [], {"GENE": 1}, ["GENE"], {}, "dropped by the map"),
    (TYPED, '[types]\n"*" = "x"\n', ["x"], {}, [], {"x": 1}, "all others"),
]


@pytest.mark.parametrize(
    ("content", "extra", "types", "unmapped", "dropped", "foreign", "why"), TYPES, ids=[t[6] for t in TYPES]
)
def test_types(
    content: str,
    extra: str,
    types: list[str],
    unmapped: dict[str, int],
    dropped: list[str],
    foreign: dict[str, int],
    why: str,
    tmp_path: Path,
) -> None:
    gold = annotated(tmp_path / "gold", BRAT)
    done = run(gold, printing(tmp_path, content, f'[output]\nform = "jsonl"\n{extra}'), tmp_path / "run")
    assert done.predictions["type"].tolist() == types, why
    assert done.meta["unmapped_types"] == unmapped
    assert done.meta["dropped_types"] == dropped
    assert done.meta["foreign_types"] == foreign


def test_what_is_dropped_and_what_matches_nothing_is_said(tmp_path: Path, tagsuite: Command) -> None:
    gold = annotated(tmp_path / "gold", BRAT)
    tagger = printing(tmp_path, TYPED, '[output]\nform = "jsonl"\n')
    done = tagsuite("run", gold, "--tagger", tagger, "--out", tmp_path / "run", "--format", "json")
    assert "1 mentions of type 'GENE', which no gold mention has" in done.stderr
    tagger = printing(tmp_path, TYPED, '[output]\nform = "jsonl"\n[types]\n"*" = ""\n')
    done = tagsuite("run", gold, "--tagger", tagger, "--out", tmp_path / "dropped", "--format", "json")
    assert json.loads(done.stdout)["runs"][0]["unmapped_types"] == 1
    assert "1 mentions of type 'GENE', which the type map drops" in done.stderr


def test_check_tells_of_both(tmp_path: Path) -> None:
    from tagsuite.harness.running.check import check_tagger

    (tmp_path / "t.toml").write_text(
        'format = 1\nname = "t"\ncommand = ["sed", "s|p53|<GENE>p53</GENE>|;s|MDM2|<x><y>MDM2</y></x>|"]\n'
        '[types]\nGENE = "GENE"\nx = "gp"\ny = "gp"\n',
        encoding="utf-8",
    )
    said = "\n".join(check_tagger(str(tmp_path / "t.toml")).findings)
    assert "mentions of type 'GENE' can match only gold mentions of that type" in said
    assert "1 mentions have the same text, span and type" in said


def test_a_mention_without_a_place_is_no_text_without_predictions(tmp_path: Path, tagsuite: Command) -> None:
    gold = annotated(tmp_path / "gold", BRAT)
    content = as_json([[(21, 24)], [(90, 99)]])
    run(gold, printing(tmp_path, content, '[output]\nform = "jsonl"\n'), tmp_path / "run")
    said = tagsuite("score", tmp_path / "run").stderr
    assert "1 mention has no position in 1 text of 1 and counts as not predicted; the other" in said
    assert "without predictions" not in said

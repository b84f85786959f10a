"""The attested contexts: where they come from, what stands in no test part, how many have which value."""

from __future__ import annotations

import csv
import subprocess
from collections.abc import Callable, Iterable, Mapping
from functools import cache
from pathlib import Path

import pytest
from tagsuite.catalogues.core.errors import InputError
from tagsuite.catalogues.core.text import squeezed
from tagsuite.catalogues.curation.values import LEAST, shortages
from tagsuite.sentences import choosing, context_records, contexts_xml
from tagsuite.sentences.contexts import JUDGED, Contexts, build, bundled_files, read_contexts
from tagsuite.sentences.contexts_check import attested
from tagsuite.sentences.contexts_xml import ContextFile, Entry, read_bytes
from tagsuite.sentences.corpus import Corpus
from tagsuite.sentences.curation import build as curation_build
from tagsuite.sentences.curation import choices, sources
from tagsuite.sentences.curation.__main__ import HERE, OUT, main
from tagsuite.sentences.curation.build import file_of
from tagsuite.sentences.curation.offering import lacking
from tagsuite.sentences.curation.sources import Candidates, candidates, reason
from tagsuite.sentences.curation.typography import letters, usual

IN_ALL, SINGLE = 600, 400
"""How many attested contexts there are at least, and how many of them with one name."""


@cache
def bundled() -> ContextFile:
    return dict_of_files()[OUT.name]


def dict_of_files() -> Mapping[str, ContextFile]:
    return {name: read_bytes(content, name) for name, content in bundled_files()}


@cache
def bundled_contexts() -> Contexts:
    return build(bundled().entries)


@pytest.fixture(scope="module")
def held_out(shared_data: Path) -> frozenset[str]:
    return sources.held_out(shared_data)


@pytest.fixture(scope="module")
def training(shared_data: Path) -> Corpus:
    return sources.training(shared_data)


@pytest.fixture(scope="module")
def offered(shared_data: Path, held_out: frozenset[str], training: Corpus) -> Candidates:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sources, "held_out", {shared_data: held_out}.__getitem__)
        patch.setattr(sources, "training", {shared_data: training}.__getitem__)
        return candidates(shared_data)


@pytest.fixture(scope="module")
def made_again(offered: Candidates) -> ContextFile:
    return file_of(choices.read_choices(HERE), offered.entries)


@pytest.fixture
def read_once(
    offered: Candidates, made_again: ContextFile, shared_data: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The tool's commands have the material that is there already."""

    def again(chosen: Iterable[choices.Choice], entries: Mapping[str, Entry]) -> ContextFile:
        assert [c.id for c in chosen] == [c.id for c in choices.read_choices(HERE)]
        assert entries is offered.entries
        return made_again

    monkeypatch.setattr(sources, "candidates", {shared_data: offered}.__getitem__)
    monkeypatch.setattr(curation_build, "file_of", again)


def test_there_are_as_many_as_promised() -> None:
    assert len(bundled().entries) >= IN_ALL
    single = [e for e in bundled().entries if e.type == "tp" and len(e.slots) == 1]
    assert len(single) >= SINGLE


def test_each_value_occurs_often_enough_or_says_why_not() -> None:
    counts = {
        (row["feature"], row["value"]): row["contexts"]
        for row in attested(bundled_contexts()).to_dict("records")
    }
    rare = {value for value, count in counts.items() if count < LEAST}
    assert rare == set(shortages("tagsuite.sentences.curation"))
    assert all(len(why) > 20 for why in shortages("tagsuite.sentences.curation").values())


def test_no_sentence_of_a_test_part_is_bundled(held_out: frozenset[str]) -> None:
    assert len(held_out) > 11_000
    for name, file in dict_of_files().items():
        for entry in file.entries:
            forms = (entry.template, entry.stored.get("original_form_in_source", ""))
            # letters and digits alone: white space, case and marks do not matter
            assert not [form for form in forms if form and letters(form) in held_out], (name, entry.id)


def test_each_is_in_the_training_part_under_its_id(training: Corpus) -> None:
    texts = dict(zip(training.texts["text_id"], training.texts["text"], strict=True))
    kinds = {"T": "title", "A": "abstract"}
    for entry in bundled().entries:
        source_id = entry.stored["source_id"]
        assert entry.id == f"bc2gm-{source_id}"
        assert texts[source_id] == entry.stored["original_form_in_source"], source_id
        assert entry.stored["source_type"] == kinds[source_id[9]]


@pytest.mark.usefixtures("read_once")
def test_the_bundled_file_is_what_the_choice_makes(
    offered: Candidates,
    made_again: ContextFile,
    shared_data: Path,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    contexts_xml.write_file(tmp_path / "again.xml", made_again)
    assert (tmp_path / "again.xml").read_bytes() == OUT.read_bytes()
    # those that are chosen are not offered again, and the offer is what a choice can name
    arguments = ["candidates", "--data", str(shared_data), "--names", "1", "--contexts", "position = final"]
    assert main(arguments) == 0
    rows = [line.split("\t") for line in capsys.readouterr().out.splitlines() if line]
    assert len(rows) > 50
    chosen = {entry.stored["source_id"] for entry in made_again.entries}
    assert not chosen & {row[0] for row in rows}
    assert all(offered.entries[row[0]].template == row[1] and row[1].count("<>") == 1 for row in rows)


@pytest.mark.usefixtures("read_once")
def test_bundled_contexts_have_every_pair_that_the_candidates_have(
    shared_data: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["lacking", "--data", str(shared_data)]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) > 100
    assert [line for line in lines if line.endswith("\tinvented: 0")] == []


def test_slots_differ_from_the_sentence_by_the_name_alone() -> None:
    for entry in bundled().entries:
        original = squeezed(entry.stored["original_form_in_source"])
        place = 0
        for piece in entry.template.replace("{a} <>", "a<>").replace("{A} <>", "A<>").split("<>"):
            place = original.find(squeezed(piece), place)
            assert place >= 0, entry.id
            place += len(squeezed(piece))


def test_slots_are_judged() -> None:
    slots = bundled_contexts().slots
    assert slots["accepts"].notna().all()
    values = {value for cell in slots["accepts"] for value in cell.split("|")}
    assert {"gene", "protein", "RNA", "complex", "family"} <= values
    assert set(slots["number"].dropna()) <= {"singular", "plural"}
    assert slots["slot.species"].dropna().nunique() >= 10


def test_judgements_are_features_of_slots() -> None:
    contexts = read_contexts()
    rows = choosing.rows(contexts, "accepts contains RNA and number = singular and slot.species = mouse")
    assert len(rows) > 0
    assert set(rows["slot.species"]) == {"mouse"}
    assert all("RNA" in cell.split("|") for cell in rows["accepts"])
    shown = choosing.show(contexts, str(rows["context_id"].iloc[0]))
    assert {"accepts", "species", "number"} <= set(shown["feature"])


@pytest.mark.parametrize(
    ("name", "value"),
    [("accepts", "gene drug"), ("accepts", ""), ("species", "unicorn"), ("number", "dual"), ("expects", "x")],
)
def test_a_judgement_that_is_none_is_refused(name: str, value: str, tmp_path: Path) -> None:
    xml = tmp_path / "c.xml"
    xml.write_text(
        '<contexts format="1">\n<context id="c" type="tp">\n'
        f'<sentence>Loss of <slot {name}="{value}"/> was seen.</sentence></context></contexts>',
        encoding="utf-8",
    )
    with pytest.raises(InputError) as error:
        contexts_xml.read_file(xml)
    assert error.value.line
    records = tmp_path / "c.txt"
    entry = Entry("c", "tp", "Loss of <> was seen.", {}, ({name: value},))
    context_records.write_file(records, ContextFile((entry,)))
    with pytest.raises(InputError, match=rf"unknown value of a slot's {name}.*allowed"):
        context_records.read_file(records)


def test_usual_typography_changes_white_space_only() -> None:
    for text, expected in (
        ("The ( PLEVA ) of <> , as seen .", "The (PLEVA) of <>, as seen."),
        ("P < .05 for <>.", "P < .05 for <>."),
        ("Levels--of <>--rose.", "Levels -- of <> -- rose."),
        ("The  <> 's role .", "The <>'s role."),
    ):
        assert usual(text) == expected
        assert squeezed(usual(text)) == squeezed(text)
    for entry in bundled().entries:
        assert usual(entry.template) == entry.template


ENTRY = Entry("c", "tp", "Loss of <> was seen.", {"original_form_in_source": "Loss of p53 was seen."}, ({},))


@pytest.mark.parametrize(
    ("source_id", "original", "why"),
    [
        ("P00000001A0000", "Loss of p53 was seen.", ""),
        ("P00000001T0000", "Loss of p53 was seen.", ""),
        ("P00000001T0030", "Loss of p53 was seen.", "cut off"),
        ("P00000001X0000", "Loss of p53 was seen.", "neither title nor abstract"),
        ("P00000001A0000", "Loss of p53 was seen. It was.", "several sentences"),
        ("P00000001A0000", "A test, of a part!", "in a test part"),
    ],
)
def test_what_is_left_out(source_id: str, original: str, why: str) -> None:
    assert reason(source_id, original, ENTRY, frozenset({letters("a TEST of  a (part).")})) == why


@pytest.mark.parametrize("text", ["It fell (1.2 vs.", "It fell (by half.", "it fell by half.", "It fell by"])
def test_what_is_cut_off_is_left_out(text: str) -> None:
    entry = Entry("c", "fp", text, {"original_form_in_source": text})
    assert reason("P00000001A0000", text, entry, frozenset()) == "cut off"


OFFERED = {
    "P1": Entry(
        "bc2gm-P1",
        "tp",
        "The <> fell and <> rose.",
        {
            "source_id": "P1",
            "source_type": "abstract",
            "original_form_in_source": "The p53 gene fell and p21 rose.",
        },
        ({}, {}),
    )
}


NULL = "slot.list_position = single and slot.tokenisation_hazards = hyphen"
FINAL = "slot.position = final and slot.tokenisation_hazards = hyphen"
BEFORE = "slot.list_type = none and slot.preceding_word_is_species = true"


@pytest.mark.parametrize(
    ("offers", "chosen", "invented", "line", "tail"),
    [
        (["<>-null cells grew."], 0, [], NULL, "1\toffered: 1\tinvented: 0"),
        (["<>-null cells grew."], 0, ["<>-null mice died."], NULL, "1\toffered: 1\tinvented: 1"),
        # the two values in two sentences make no pair
        (["We saw pro-<>."], 0, ["<>-null mice died.", "We saw <>."], FINAL, "1\toffered: 1\tinvented: 0"),
        (["In mouse <> fell.", "In rat <> fell."], 0, ["Rat <> rose."], BEFORE, "1\toffered: 2\tinvented: 1"),
        # what the choice has is not lacking
        (["In mouse <> fell.", "In rat <> fell."], 1, ["Rat <> rose."], BEFORE, None),
        # what no candidate has is not wanted
        (["<> fell."], 0, ["<>-null mice died."], NULL, None),
        # single values are counted too
        (["<>-null cells grew."], 0, ["<>-null mice died."], "slot.tokenisation_hazards = hyphen",
         "1\toffered: 1\tinvented: 1"),
    ],
)  # fmt: skip
def test_what_is_lacking_says_how_many_invented_contexts_have_it(
    offers: list[str], chosen: int, invented: list[str], line: str, tail: str | None
) -> None:
    entries = [Entry(f"c{i}", "tp", text, {}, ({},)) for i, text in enumerate(offers)]
    found = Candidates({e.id: e for e in entries}, {}, {})
    own = [Entry(f"i{i}", "tp", text, {}, ({},)) for i, text in enumerate(invented)]
    rows = dict(row.split("\t", 1) for row in lacking(found, build(entries[:chosen]), build(own)))
    assert rows.get(line) == tail


def made(folder: Path, *rows: tuple[str, ...]) -> ContextFile:
    with (folder / "attested.tsv").open("w", encoding="utf-8") as stream:
        writer = csv.writer(stream, delimiter="\t", lineterminator="\n", quoting=csv.QUOTE_NONE)
        writer.writerows([choices.COLUMNS, *rows])
    return file_of(choices.read_choices(folder), OFFERED)


def test_a_choice_is_made_a_context(tmp_path: Path) -> None:
    row = (
        "P1",
        "gene; gene protein",
        "-; symbol",
        "human",
        "singular; -",
        "-; protein",
        "regulator; -",
        "The <> gene fell and <> rose.",
        "why",
    )
    (entry,) = made(tmp_path, row).entries
    assert entry.template == "The <> gene fell and <> rose."
    first, second = ({k: v for k, v in slot.items() if k in JUDGED} for slot in entry.slots)
    assert first == {"accepts": "gene", "species": "human", "number": "singular", "function": "regulator"}
    assert second == {"accepts": "gene protein", "expects": "symbol", "species": "human", "head": "protein"}
    assert entry.stored["position"] == "medial"


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        ([("P2", "gene")], r"attested.tsv:2: no such candidate: found 'P2'"),
        (
            [("P1", "gene"), ("P1", "gene")],
            r"attested.tsv:3: a sentence is chosen twice \(first in attested.tsv:2\)",
        ),
        ([("P1", "gene; gene; gene")], r"accepts: not as many values as slots.*one value for all, or 2"),
        (
            [("P1", "gene", "", "", "", "", "", "The <> rose and <> fell.")],
            r"differs in more than white space",
        ),
        ([("P1", "gene", "", "", "", "", "", "", "", "more")], r"more cells than columns"),
    ],
)
def test_a_choice_that_cannot_be(rows: list[tuple[str, ...]], message: str, tmp_path: Path) -> None:
    with pytest.raises(InputError, match=message):
        made(tmp_path, *rows)


def test_a_folder_without_choices_and_other_columns(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no file of choices"):
        list(choices.read_choices(tmp_path))
    (tmp_path / "attested.tsv").write_text("id\tkinds\n", encoding="utf-8")
    with pytest.raises(InputError, match="other columns"):
        list(choices.read_choices(tmp_path))
    (tmp_path / "attested.tsv").write_text("\n", encoding="utf-8")
    with pytest.raises(
        InputError, match=r"attested.tsv: the file is empty; allowed: a head line: id, accepts"
    ):
        list(choices.read_choices(tmp_path))


def test_attested_and_invented_contexts_are_scored_apart(
    tmp_path: Path, tagsuite: Callable[..., subprocess.CompletedProcess[str]]
) -> None:
    suite = tmp_path / "s"
    drawn = ("--contexts", "type = tp", "--combine", "sample", "--size", 200, "--seed", 3)
    done = tagsuite("generate", *drawn, "--out", suite)
    assert done.returncode == 0, done.stderr
    predicted = f"sgml:{suite / 'gold.sgml'}"
    by = ("--by", "context.source_type", "--notion", "strict", "--format", "csv")
    done = tagsuite("score", "--gold", suite, "--predicted", predicted, *by)
    assert done.returncode == 0, done.stderr
    rows = {row["class"]: row for row in csv.DictReader(done.stdout.splitlines())}
    gold = {
        kind: int(rows[f"context.source_type = {kind}"]["gold"])
        for kind in ("title", "abstract", "invention")
    }
    assert all(gold.values())
    assert sum(gold.values()) == int(rows["all"]["gold"])
    assert all(rows[f"context.source_type = {kind}"]["recall"] == "1.0" for kind in gold)

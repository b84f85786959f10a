"""Each reader raises an InputError with the file name for each kind of faulty file."""

from __future__ import annotations

from pathlib import Path

import pytest

from tagsuite.catalogues.core.errors import InputError
from tagsuite.sentences.formats import read_corpus, read_predictions

UTF16 = "p53 é".encode("utf-16")
HEAD = "<collection><source/><date/><key/><document><id>d</id><passage><offset>0</offset>"
BIOC = HEAD + "<text>p53 gene</text>{}</passage></document></collection>"
PLACE = '<annotation id="{i}"><infon key="type">gp</infon><location offset="{a}" length="{n}"/>'
MARK = PLACE + "<text>p53</text></annotation>"
GOOD = MARK.format(i="T1", a=0, n=3)
JSON = '{{"documents":[{{"id":"d","passages":[{{"offset":0,"text":"p53 gene","annotations":[{}]}}]}}]}}'
BOMB = '<!DOCTYPE c [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;&a;">]><collection><source>&b;</source></collection>'
TEXTS = "text_id,document_id,text\nS1,,p53\n"
BC = {"x.in": "S1 p53 gene\n", "GENE.eval": "S1|0 2|p53\n"}
GT = {"TAGGED_GENE_CORPUS": "@@1 p53/NEWGENE gene/NN\n", "Gold.format": "@@1|0 0|p53\n"}


def ann(content: str) -> dict[str, bytes | str]:
    return {"a.txt": "p53", "a.ann": content}


FILES: list[tuple[str, bytes | str, str]] = [
    ("sgml", "", "empty"),
    ("sgml", "p53\0 gene\n", ":1: the text contains a NUL character"),
    ("sgml", "a <gp>p <x>53</gp> g</x>\n", ":1: found </gp> where </x> is expected"),
    ("sgml", UTF16, "UTF-16"),
    ("conll", "\n\n", "no token lines"),
    ("conll", "p53\tB-gp\ngene\n", ":2: a token line has no tag"),
    ("conll", "p53\tX-gp\n", ":1: invalid tag"),
    ("conll", "# text = p53\n\np53\tO\n", ":2: no tokens follow the comment lines"),
    ("conll", "# text = p53\ngene\tO\n", ":2: the tokens differ from the text"),
    ("bioc", "<collection><document>", "not well-formed"),
    ("bioc", BOMB, "declares entities"),
    ("bioc", BIOC.format(MARK.format(i="T1", a=4, n=3)), "differs from the text at its offsets"),
    ("bioc", BIOC.format(GOOD + GOOD), "occurs twice"),
    ("bioc", BIOC.replace("<offset>0", "<offset>1_0").format(GOOD), "needs an integer as its offset"),
    ("bioc", BIOC.format('<relation id="R1"><node refid="T9" role="a"/></relation>'), "unknown id"),
    ("biocjson", '{"documents": [', "not valid JSON"),
    ("biocjson", "[]", "not a BioC collection"),
    ("biocjson", JSON.format('{"id":"1","text":"p53","locations":[]}'), "'1': a mention has no location"),
    (
        "pubtator",
        "1|t|p53 gene\n1|a|\n1\t0\t3\n",
        ":3: a mention line has no text, type; found fields: ID, start, end",
    ),
    ("pubtator", "hello\n", ":1: not a PubTator line"),
    ("pubtator", "1|t|p53\n2\t0\t3\tp53\tgp\n", ":2: the record has no line ID|t|title"),
    ("pubtator", "1|t|p53\n\n1|t|p53\n", ":3: duplicate line 1|t|"),
    ("pubtator", "1|t|p53 gene\n1\t4\t8\tp53\tgp\n", ":2: the recorded text"),
    ("jsonl", '{"text": "p53"}\n{"text": "p', ":2:"),
    ("jsonl", "[1]\n", ":1: not an object"),
    ("jsonl", '{"text":"p53","mention":[]}\n', ":1: unknown key"),
    (
        "jsonl",
        '{"text":"p53","mentions":[{"start":0,"end":9223372036854775808}]}\n',
        ":1: end is out of range",
    ),
    ("jsonl", '{"text":"p53","relations":[{"id":{},"type":"a"}]}\n', ":1: the value of id is not text"),
    ("bioc", BIOC.format(MARK.format(i="T1", a="9" * 5000, n=3)), "start is out of range"),
]
FOLDERS: list[tuple[str, dict[str, bytes | str], str]] = [
    ("bc2gm", {}, "one *.in"),
    ("bc2gm", {**BC, "x.in": ""}, "empty"),
    ("bc2gm", {**BC, "x.in": "S1"}, "x.in:1: not a sentence line"),
    ("bc2gm", {**BC, "x.in": "S1 a\nS1 b\n"}, "duplicate text id (repeated by text number 2)"),
    ("bc2gm", {**BC, "GENE.eval": "S1|0 2|p53\nS1|0"}, "GENE.eval:2: the line does not describe a mention"),
    ("bc2gm", {**BC, "GENE.eval": "S9|0 2|p53\n"}, "GENE.eval:1: the gold corpus has no text with this id"),
    ("genetag", {}, "the folder contains neither"),
    ("brat", {}, "no texts"),
    ("brat", {"a.txt": "p53"}, "the annotations of this text are missing"),
    ("brat", {"a.txt": "p53", "a.ann": "", "b.ann": ""}, "b.ann: the text of these annotations is missing"),
    ("brat", ann("T1\tgp 0"), "a.ann:1: a text-bound line has no end, text"),
    ("brat", ann("T1\tgp x 3\tp53"), "a.ann:1: start is not an integer"),
    ("brat", ann("hello"), "a.ann:1: unknown kind of line"),
    ("brat", ann("T1\tgp 0 9\tp53"), "a.ann:1: a mention lies outside its text"),
    ("brat", ann("T1\tgp 0 3\tp53\nT1\tgp 0 3\tp53"), "a.ann:2: duplicate id T1"),
    ("brat", {"a.txt": "p53 x", "a.ann": "T1\tgp 0 3\tp54"}, "a.ann:1: the recorded text"),
    (
        "bionlp",
        {"a.txt": "p53", "a.a1": "T1\tgp 0 3\tp53", "a.a2": "*\tEquiv T1"},
        "a.a2:1: not an equivalence line",
    ),
    ("csv", {"texts.csv": "a,b\n1,2\n"}, "columns are missing"),
    ("csv", {"texts.csv": TEXTS + '"2,\n3,,"z"\n'}, "texts.csv:4: not a readable CSV file"),
    (
        "csv",
        {"texts.csv": TEXTS + "2,,a,b\n"},
        "texts.csv:3: the row and the header line have different numbers",
    ),
    ("suite", {}, "not a suite folder"),
    ("suite", {"suite.toml": "format = 1\n"}, "cases.parquet: no such file"),
    (
        "parquet",
        {"texts.parquet": b"PAR1" + b"x" * 64 + b"PAR1"},
        "texts.parquet: not a readable Parquet file",
    ),
    ("suite", {"suite.toml": "format = 9\n"}, "a format that this version cannot read"),
]
MENTIONS = "mention_id,text_id,side,start,end,type,score\n"


def put(path: Path, content: bytes | str) -> None:
    path.write_bytes(content.encode() if isinstance(content, str) else content)


@pytest.mark.parametrize(("name", "content", "message"), FILES)
def test_files(tmp_path: Path, name: str, content: bytes | str, message: str) -> None:
    put(tmp_path / "f", content)
    with pytest.raises(InputError) as caught:
        read_corpus(f"{name}:{tmp_path / 'f'}")
    assert message in str(caught.value)
    assert str(tmp_path / "f") in str(caught.value)


@pytest.mark.parametrize(("name", "files", "message"), FOLDERS)
def test_folders(tmp_path: Path, name: str, files: dict[str, bytes | str], message: str) -> None:
    for file, content in files.items():
        put(tmp_path / file, content)
    with pytest.raises(InputError) as caught:
        read_corpus(f"{name}:{tmp_path}")
    assert message in str(caught.value)
    assert str(tmp_path) in str(caught.value)


@pytest.mark.parametrize(
    ("mentions", "message"),
    [
        ("1,S1,gold,0,9,gp,\n", "a mention lies outside its text"),
        ("1,S9,gold,0,1,gp,\n", "a mention refers to a text that does not exist"),
        ("1,S1,gold,0,1,gp,\n1,S1,gold,0,1,gp,\n", "duplicate mention_id"),
        ("1,S1,gold,x,1,gp,\n", "has a value that is not a number"),
        ("1,S1,gold,0,9223372036854775808,gp,\n", "a value that is not a number .*9223372036854775808"),
        ("1,S1,silver,0,1,gp,\n", "unknown side"),
    ],
)
def test_tables(tmp_path: Path, mentions: str, message: str) -> None:
    put(tmp_path / "texts.csv", "text_id,document_id,text\nS1,,p53\n")
    put(tmp_path / "mentions.csv", MENTIONS + mentions)
    with pytest.raises(InputError, match=message):
        read_corpus(f"csv:{tmp_path}")


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        ("bc2gn:x", "unknown format: found 'bc2gn'; allowed: .*did you mean bc2gm"),
        ("sgml:nowhere", "no such file"),
        (
            "sgml[tag]:x",
            "an option of a format needs a name and a value: found 'tag'; allowed: FORMAT[option",
        ),
        ("sgml[colour=red]:x", "unknown option of format sgml"),
        ("sgml:", "the path after the format is missing"),
        ("conll[scheme=bilou]:x", "invalid value for option scheme.*found 'bilou'; allowed: iob2"),
        ("conll[comments=maybe]:x", "invalid value for option comments.*allowed: yes, no"),
        ("template:x", "cannot read files in this format"),
        ("nowhere", "no such folder"),
    ],
)
def test_places(spec: str, message: str) -> None:
    with pytest.raises(InputError, match=message.replace("[", r"\[")):
        read_corpus(spec)


def test_a_long_text_is_no_fault_of_csv(tmp_path: Path) -> None:
    put(tmp_path / "texts.csv", TEXTS + "S2,," + "x" * 200_000 + "\n")
    put(tmp_path / "mentions.csv", MENTIONS)
    assert read_corpus(f"csv:{tmp_path}").texts["text"].str.len().tolist() == [3, 200_000]


def test_predictions_must_fit_the_gold(tmp_path: Path) -> None:
    for file, content in BC.items():
        put(tmp_path / file, content)
    gold = read_corpus(f"bc2gm:{tmp_path}")
    put(tmp_path / "short", "one\ntwo\n")
    with pytest.raises(InputError, match="as many texts as the gold"):
        read_predictions(f"sgml:{tmp_path / 'short'}", gold)
    put(tmp_path / "other", "<gp>p54</gp> gene\n")
    with pytest.raises(InputError, match="differs from the gold text"):
        read_predictions(f"sgml:{tmp_path / 'other'}", gold)
    put(tmp_path / "spaced", "<gp>p 53</gp>  gene\n")
    laid = read_predictions(f"sgml:{tmp_path / 'spaced'}", gold)
    assert laid.mentions[["start", "end"]].to_numpy().tolist() == [[0, 3]]
    put(tmp_path / "none", "")
    assert len(read_predictions(f"bc2gm:{tmp_path / 'none'}", gold).mentions) == 0

"""Valid files for every reader, from which mutants are made."""

from __future__ import annotations

import gzip
import io
import json
import zipfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from tagsuite.catalogues import entities, entities_xml, taxonomy
from tagsuite.catalogues.core.files import MARKER
from tagsuite.catalogues.core.settings import load_settings
from tagsuite.catalogues.imports.registry import SOURCE_KINDS
from tagsuite.catalogues.query import Query
from tagsuite.generator.recipe_file import read_recipe
from tagsuite.harness.running.folder.recording import record_predictions
from tagsuite.harness.running.folder.runs import read_run
from tagsuite.harness.running.inputs.cases import Batch, read_cases
from tagsuite.harness.running.outputs.parse import parse_output as parse_output
from tagsuite.harness.running.specification import Specification
from tagsuite.harness.running.specification_forms import Output
from tagsuite.harness.scoring.acceptance.criteria import read_criteria
from tagsuite.harness.scoring.classes import read_classes
from tagsuite.harness.scoring.comparison.predictions import read_predictions_file
from tagsuite.harness.tasks.bacteria_biotope.corpus import read_task_data
from tagsuite.harness.tasks.bioid.identifiers import read_equivalence
from tagsuite.harness.tasks.bioid.reading import read_collection
from tagsuite.harness.tasks.indexing.reading import read_indexing
from tagsuite.harness.tasks.indexing.tree import read_frequencies, read_tree
from tagsuite.harness.tasks.ontology.files import read_mesh_trees, read_obo
from tagsuite.reports.files import read_scores
from tagsuite.reports.study.study_file import read_study
from tagsuite.sentences import contexts
from tagsuite.sentences.formats import read_corpus, read_predictions, write_corpus
from tagsuite.sentences.formats.draft import Draft, assemble_corpus
from tagsuite.sentences.formats.registry import FORMAT_NAMES, get_format

Files = dict[str, bytes]
Read = Callable[[Path], Any]


@dataclass(frozen=True)
class Golden:
    """Valid files by name, and the function that reads them, which is called with their folder."""

    name: str
    files: Files
    read: Read


def file_golden(name: str, file: str, content: bytes | str, read: Read) -> Golden:
    """Return a golden with one file; `read` is called with its path."""
    written = content.encode() if isinstance(content, str) else content
    return Golden(name, {file: written}, lambda folder: read(folder / file))


TEXTS = ["the p53 gene binds IL-2", "β-actin, 𝛼-tubulin (n < 5)", "no gene here"]
ROWS, STARTS, ENDS = [0, 0, 1, 1], [4, 19, 0, 9], [7, 23, 7, 18]


def corpus(name: str) -> Any:
    """Return a small corpus with rows in every table."""
    ids = ["T1", "T2", "T3"] if get_format(name).has_text_ids else ["0", "1", "2"]
    draft = Draft(ids, TEXTS, ids, ROWS, STARTS, ENDS, ["gp", "Gene", "gp", "gp"])
    draft.scores = [0.5, float("nan"), 0.25, 1.0]
    draft.fragments = [(2, 0, 2), (2, 3, 7)]
    draft.alternatives = (ROWS, STARTS, ENDS, ["gp"] * 4)
    draft.normalisations = [(0, "NCBI", "7157")]
    draft.relations = [(0, 0, "Binds", "Arg1", 0, -1), (0, 0, "Binds", "Arg2", 1, -1)]
    draft.equivalences = [(0, 2), (0, 3)]
    draft.mention_columns = {"length": pd.Series([3, 4, 7, 9]), "data": pd.Series(["a", "b", "c", "d"])}
    return assemble_corpus(draft, name="golden", digest="")


def contents(folder: Path) -> Files:
    files = (p for p in folder.rglob("*") if p.is_file() and p.name != MARKER)
    return {p.relative_to(folder).as_posix(): p.read_bytes() for p in files}


def _formats(work: Path) -> list[Golden]:
    made = []
    for name in FORMAT_NAMES:
        form = get_format(name)
        if form.read is None or form.write is None:
            continue
        gold = corpus(name)
        place = work / name / ("f" if form.place == "file" else "d")
        place.parent.mkdir()
        write_corpus(gold, f"{name}:{place}")
        inside = place.name

        def read(folder: Path, name: str = name, inside: str = inside) -> None:
            read_corpus(f"{name}:{folder / inside}")

        def predicted(folder: Path, name: str = name, inside: str = inside, gold: Any = gold) -> None:
            read_predictions(f"{name}:{folder / inside}", gold)

        files = contents(place.parent)
        made += [Golden(name, files, read), Golden(f"{name}-predictions", files, predicted)]
    gold = corpus("parquet")

    def table(form: str, content: bytes, name: str) -> Golden:
        return file_golden(name, "f", content, lambda path: read_predictions(f"{form}:{path}", gold))

    spans = pd.DataFrame({"text_id": ["T1"], "start": [4], "end": [7], "type": ["gp"], "score": [0.5]})
    return [
        *made,
        table("parquet", parquet(spans), "parquet-table"),
        table("csv", spans.to_csv(index=False).encode(), "csv-table"),
        table("bc2gm", b"T1|3 5|p53\nT1|15 18|IL-2\n", "bc2gm-lines"),
    ]


def parquet(frame: pd.DataFrame) -> bytes:
    sink = io.BytesIO()
    frame.to_parquet(sink, index=False)
    return sink.getvalue()


def suite() -> Files:
    """Return a suite folder as written by version 0.1.0, without digests, which would reject every mutant."""
    numbers = {"case_id": np.arange(3), "pair_id": np.arange(3)}
    cases = pd.DataFrame({**numbers, "text": TEXTS, "context_id": ["c1", "c2", "c3"], "part": "a"})
    mentions = pd.DataFrame({"text_id": ROWS, "start": STARTS, "end": ENDS, "mention_id": np.arange(4)})
    forms = [TEXTS[r][s:e] for r, s, e in zip(ROWS, STARTS, ENDS, strict=True)]
    mentions = mentions.assign(side="gold", type="gp", score=np.nan, data=forms)
    meta = 'format = 1\n\n[suite]\nname = "small"\nsignature = "suite:abc"\nseed = 1\n'
    return {
        "suite.toml": meta.encode(),
        "raw.txt": "".join(t + "\n" for t in TEXTS).encode(),
        "cases.parquet": parquet(cases),
        "mentions.parquet": parquet(mentions),
    }


def keyed_suite() -> Files:
    """Return the suite of `suite` as written now, with features in separate tables."""
    files = suite()
    mentions = pd.read_parquet(io.BytesIO(files["mentions.parquet"]))
    keys = np.arange(len(mentions), dtype=np.int32)
    entities = pd.DataFrame(
        {"entity_key": keys, "entity_id": [f"e{k}" for k in keys], "data": mentions["data"]}
    )
    slots = pd.DataFrame({"slot_key": keys, "slot": 0, "position": "initial"})
    keyed = mentions.drop(columns="data").assign(entity_key=keys, slot_key=keys)
    tables = {"mentions": keyed, "entities": entities, "slots": slots}
    return files | {f"{name}.parquet": parquet(frame) for name, frame in tables.items()}


def _suites(work: Path) -> list[Golden]:
    files = {f"suite/{name}": content for name, content in suite().items()}
    keyed = {f"suite/{name}": content for name, content in keyed_suite().items()}
    put(work / "run-input", files)
    mention = {"id": 0, "start": 4, "end": 7, "type": "gp", "score": 0.5}
    lines = [
        json.dumps({"text_id": str(i), "text": text, "mentions": [] if i else [mention]})
        for i, text in enumerate(TEXTS)
    ]
    (work / "p.jsonl").write_text("\n".join(lines) + "\n", encoding="utf-8")
    record_predictions(
        str(work / "run-input/suite"), f"jsonl:{work / 'p.jsonl'}", "stranger", work / "run-input/run"
    )
    run = {k: v for k, v in contents(work / "run-input").items() if k.startswith("run/")}

    def whole(folder: Path) -> None:
        found = read_run(folder / "run")
        _ = found.name, found.tagger, found.signature, found.input, found.failed
        _ = found.predictions, found.outcomes

    return [
        Golden("suite", files, lambda d: read_corpus(str(d / "suite"))),
        Golden("suite-keys", keyed, lambda d: read_corpus(str(d / "suite")).inline_features()),
        Golden("suite-cases", files, lambda d: read_cases(str(d / "suite"))),
        Golden("run", run, whole),
    ]


ENTITIES = """<entities format="1" kind="entity" licence="CC0" note="n">
  <entity id="e1" source_authority="HGNC" source_id="HGNC:1" name_vs_symbol="symbol">p53</entity>
  <entity id="e2" name_vs_symbol="name">tumour &lt;necrosis&gt; factor α</entity>
</entities>
"""
RECORDS = "ID: e1\nsource_authority: HGNC\ndata: p53\n\nID: e2\ndata: IL-2\n"


def _catalogues() -> list[Golden]:
    contexts_xml = "\n".join(contexts.read_bundled_context_files()[0][1].decode().splitlines())
    small = "<context ".join(contexts_xml.split("<context ")[:4])
    small += "" if "</contexts>" in small else "</contexts>\n"
    features = Path(str(taxonomy.__file__)).with_name("features.xml").read_bytes()
    table = entities.build_entity_frame(entities_xml.parse_entity_file(ENTITIES.encode(), "e.xml").entries)

    def bundle(path: Path) -> None:
        frame = entities.read_entities(path)
        Query.parse("data ~ /p/ or length > 2 or case = upper", ("entity",)).evaluate(frame)

    def parse_taxonomy(path: Path) -> None:
        taxonomy.parse_features(path.read_bytes(), "t.xml")

    return [
        file_golden("entities-xml", "e.xml", ENTITIES, entities_xml.read_entity_file),
        file_golden("entities-records", "e.txt", RECORDS, entities_xml.read_entity_file),
        file_golden("entities-parquet", "e.parquet", parquet(table), bundle),
        file_golden("contexts-xml", "c.xml", small, contexts.read_context_file),
        file_golden(
            "taxonomy", "t.xml", features, lambda p: taxonomy.parse_features(p.read_bytes(), "t.xml")
        ),
    ]


OBO = (
    b'format-version: 1.2\n\n[Term]\nid: OBT:1\nname: habitat\nsynonym: "place" EXACT []\n\n'
    b"[Term]\nid: OBT:2\nname: soil\nis_a: OBT:1 ! habitat\n"
)
SOURCES = {
    "hgnc": b"hgnc_id\tsymbol\tname\tstatus\talias_symbol\tprev_symbol\talias_name\tprev_name\n"
    b'HGNC:5\tA1BG\talpha-1-B glycoprotein\tApproved\t"x|y"\t\t\t\n',
    "gene_info": b"#tax_id\tGeneID\tSymbol\tLocusTag\tSynonyms\tdbXrefs\tchromosome\tmap_location\t"
    b"description\ttype_of_gene\tSymbol_from_nomenclature_authority\tFull_name_from_nomenclature_authority\t"
    b"Nomenclature_status\tOther_designations\tModification_date\tFeature_type\n"
    b"9606\t1\tA1BG\t-\tA1B|ABG\tMIM:1\t19\t19q\talpha-1\tprotein-coding\tA1BG\talpha-1-B\tO\tx|y\t20200101\t-\n",
    "flybase": b"## comment\n##gene_symbol\torganism_abbreviation\tprimary_FBgn#\tsecondary_FBgn#(s)\t"
    b"annotation_ID\tsecondary_annotation_ID(s)\nwhite\tDmel\tFBgn0003996\tFBgn0000001\tCG2759\t\n",
    "uniprot": b"Entry\tEntry Name\tProtein names\tGene Names\n"
    b"P04637\tP53_HUMAN\tCellular tumor antigen p53 (P53)\tTP53 P53\n",
    "obo": OBO,
    "csv": b'data,name_vs_symbol,source_id\np53,symbol,1\n"IL, 2",symbol,2\n',
    "list": "p53\nIL-2\nβ-actin\n".encode(),
}


def _imports() -> list[Golden]:
    def reader(kind: str) -> Read:
        return lambda path: SOURCE_KINDS[kind](path, None).to_frame()

    made = [file_golden(f"import-{k}", "source", content, reader(k)) for k, content in SOURCES.items()]
    packed = gzip.compress(SOURCES["hgnc"], mtime=0)
    return [*made, file_golden("import-gzip", "source", packed, reader("hgnc"))]


TOML: dict[str, tuple[str, Callable[[Path], Any]]] = {
    "specification": (
        'format = 1\nname = "t"\ncommand = ["cat", "{input}"]\nversion = "1"\n\n[input]\nform = "lines"\n\n'
        '[output]\nform = "offsets"\ncolumns = ["id", "start", "end", "type"]\nunit = "bytes"\n\n'
        "[limits]\nbatch = 100\nmemory_mb = 100\n",
        lambda path: load_settings(path, Specification),
    ),
    "study": (
        'format = 1\ntitle = "s"\n\n[[suite]]\nname = "a"\nrecipe = "r.toml"\n\n'
        '[[tagger]]\nname = "k"\ntagger = "kex"\n',
        read_study,
    ),
    "recipe": (
        'format = 1\n\n[suite]\nname = "a"\nseed = 1\n\n[[part]]\nname = "p"\nentities = "all"\n',
        read_recipe,
    ),
    "classes": (
        'format = 1\n\n[[class]]\nname = "short"\nquery = "length < 4 and data ~ /^p/"\nnote = "n"\n',
        read_classes,
    ),
    "predictions": (
        'format = 1\n\n[[class]]\nname = "short"\nquery = "length < 4"\nrecall = "low"\n'
        "precision = {min = 0.5, max = 0.9}\n",
        read_predictions_file,
    ),
    "criteria": (
        'format = 1\n\n[[class]]\nname = "c"\nquery = "all"\nnotion = "strict"\nmin_recall = 0.5\n',
        read_criteria,
    ),
}


def _toml() -> list[Golden]:
    return [file_golden(f"toml-{name}", "f.toml", text, read) for name, (text, read) in TOML.items()]


BIOC = (
    "<collection><source/><date/><key/><document><id>d</id>"
    '<infon key="pmc_id">P1</infon><infon key="figure">F1</infon><passage><offset>0</offset>'
    "<text>p53 gene β</text>"
    '<annotation id="1"><infon key="type">Protein:1</infon><location offset="0" length="3"/><text>p53</text>'
    "</annotation></passage></document></collection>"
)
BB = {
    "ref/d.txt": b"E. coli lives in soil",
    "ref/d.a1": b"T1\tTitle 0 21\tE. coli lives in soil\n",
    "ref/d.a2": b"T2\tMicroorganism 0 7\tE. coli\nT3\tHabitat 17 21\tsoil\n"
    b"R1\tLives_In Microorganism:T2 Location:T3\nN1\tOntoBiotope Annotation:T3 Referent:OBT:2\n"
    b"N2\tNCBI_Taxonomy Annotation:T2 Referent:562\n",
    "pred/d.a2": b"T2\tMicroorganism 0 7\tE. coli\n*\tEquiv T2 T2\n",
    "o.obo": OBO,
}
INDEXING = {
    "medline": b"PMID- 1\nTI  - A title\nAB  - Text\n      more\n"
    b"MH  - *Liver/drug effects\nMH  - Humans\n\nPMID- 2\nTI  - b\n",
    "mti": b"1|*Liver|C0023884|1000|MH|RtM via: x|TI|MM\n1|Humans|C0086418|10|CT|x||\n",
    "test-set": b"1|t|A title\n1|a|Text\n1|m|Liver!x*|Humans\n",
    "csv": b'document,term\n1,Liver\n1,"Humans, x"\n',
    "jsonl": b'{"document": "1", "terms": ["Liver"], "text": "x"}\n{"document": 2, "terms": []}\n',
    "xml": b"<PubmedArticleSet><PubmedArticle><MedlineCitation><PMID>1</PMID><Article>"
    b"<ArticleTitle>a</ArticleTitle>"
    b"<Abstract><AbstractText>x</AbstractText></Abstract></Article><MeshHeadingList><MeshHeading>"
    b"<DescriptorName>Liver</DescriptorName></MeshHeading></MeshHeadingList></MedlineCitation></PubmedArticle>"
    b"</PubmedArticleSet>",
}
MESH = b"Body Regions;A01\nAbdomen;A01.923.047\nTorso;A01.923\n"


def _zip(files: Files) -> bytes:
    sink = io.BytesIO()
    with zipfile.ZipFile(sink, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in files.items():
            archive.writestr(zipfile.ZipInfo(name, (1980, 1, 1, 0, 0, 0)), content)
    return sink.getvalue()


def _tasks() -> list[Golden]:
    def biotope(folder: Path, reference: str = "ref") -> None:
        ontology = read_obo(folder / "o.obo")
        read_task_data(folder / reference, folder / "pred", ontology, normalised=True, as_published=False)

    zipped = {"ref.zip": _zip({k.removeprefix("ref/"): v for k, v in BB.items() if k.startswith("ref/")})}
    zipped |= {k: v for k, v in BB.items() if not k.startswith("ref/")}
    bioid = {"in/1.xml": BIOC.encode()}
    return [
        Golden("bioid", bioid, lambda d: read_collection(d / "in")),
        Golden("bioid-published", bioid, lambda d: read_collection(d / "in", as_published=True)),
        file_golden("bioid-equivalence", "e.json", b'[["a:1", "b:2"], ["c:3"]]', read_equivalence),
        Golden("biotope", BB, biotope),
        Golden("biotope-zip", zipped, lambda d: biotope(d, "ref.zip")),
        file_golden("mesh", "m.bin", MESH, read_mesh_trees),
        file_golden("tree", "m.tree", MESH, read_tree),
        file_golden("frequencies", "f.tsv", b"Torso\t3\nBody\t4\n", read_frequencies),
        *(file_golden(f"indexing-{name}", "f", text, read_indexing) for name, text in INDEXING.items()),
    ]


SCORES = "run,corpus,type,class,notion,gold,predicted,tp,fp,fn,recall\nr,c,,all,strict,4,3,2,1,2,0.5\n"
QUERY = (
    "is_ASCII and not (case in (lower, mixed) or length >= 3) "
    'and data ~ /^\\d+-[a-z]*(x|y)?$/ and source_id = "a \\" b"'
)


def _reports() -> list[Golden]:
    def query(path: Path) -> None:
        found = Query.parse(path.read_bytes().decode("utf-8", "replace"), ("entity",))
        found.evaluate(pd.DataFrame({"data": ["p53", "aaaaaaaaaaaaaaaaaaaaaaaa!"], "length": [3, 4]}))
        Query.parse(str(found), ("entity",))

    scores = json.dumps({"scores": [dict(zip(*[r.split(",") for r in SCORES.split()], strict=True))]})
    return [
        file_golden("scores-csv", "s.csv", SCORES, read_scores),
        file_golden("scores-json", "s.json", scores, read_scores),
        file_golden("query", "q", QUERY, query),
    ]


def goldens(work: Path) -> dict[str, Golden]:
    """Return all goldens by name; `work` is an empty folder for temporary files."""
    listed = [*_formats(work), *_suites(work), *_catalogues(), *_imports(), *_toml(), *_tasks(), *_reports()]
    return {g.name: g for g in listed}


BATCH = Batch(TEXTS, ["1", "2", "3"])
OUTPUTS: dict[str, tuple[dict[str, Any], str]] = {
    "sgml": (
        {"form": "sgml"},
        "the <gp>p53</gp> gene binds IL-2\n<gp>β-actin</gp>, 𝛼-tubulin (n < 5)\nno gene here\n",
    ),
    "offsets": ({"form": "offsets", "columns": ["id", "start", "end", "type"]}, "1\t4\t7\tgp\n2\t0\t7\tgp\n"),
    "jsonl": (
        {"form": "jsonl"},
        '{"id": "1", "mentions": [{"start": 4, "end": 7, "type": "gp", "score": 0.5}]}\n',
    ),
    "pubtator": ({"form": "pubtator"}, "1|t|the p53 gene binds IL-2\n1\t4\t7\tp53\tGene\n"),
    "brat": ({"form": "brat"}, "T1\tgp 4 7\tp53\nT2\tgp 0 3;4 7\tthe p53\n"),
    "bioc": ({"form": "bioc"}, BIOC.replace("<id>d</id>", "<id>1</id>")),
    "biocjson": (
        {"form": "biocjson"},
        '{"documents": [{"id": "1", "passages": [{"offset": 0, "text": "x", "sentences": [], "annotations": '
        '[{"id": "1", "infons": {"type": "gp"}, "text": "p53", '
        '"locations": [{"offset": 4, "length": 3}]}]}]}]}',
    ),
    "conll": ({"form": "conll"}, "the\tO\np53\tB-gp\ngene\tI-gp\n\nβ-actin\tB-gp\n"),
    "token_tag": ({"form": "token_tag", "separator": "/"}, "the/O p53/B-gp gene/O\n"),
}


def outputs() -> dict[str, Golden]:
    """Return the outputs of taggers, with a reader for each output format."""

    def reader(form: Output, *, whole_case: bool) -> Read:
        sent = BATCH.take([0]) if whole_case else BATCH
        return lambda path: parse_output(path.read_bytes(), form, sent, is_single_case=whole_case)

    return {
        f"output-{name}": file_golden(
            f"output-{name}", "out", content, reader(Output.model_validate(shape), whole_case=name == "brat")
        )
        for name, (shape, content) in OUTPUTS.items()
    }


def put(folder: Path, files: Files) -> None:
    for name, content in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)

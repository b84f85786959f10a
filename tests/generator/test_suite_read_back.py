"""A suite folder and its gold.sgml are the same corpus, whichever of the two is read."""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from pathlib import Path

from tagsuite.sentences.formats import read_corpus

Call = Callable[..., "subprocess.CompletedProcess[str]"]


def test_the_folder_and_its_gold_file_are_one_corpus(tagsuite: Call, tmp_path: Path) -> None:
    suite = tmp_path / "suite"
    entities = "contains_Greek_letter and words <= 2"
    asked = ("--entities", entities, "--combine", "sample", "--size", 60, "--seed", 3)
    done = tagsuite("generate", *asked, "--contexts", "all", "--out", suite)
    assert done.returncode == 0, done.stderr
    folder, file = read_corpus(str(suite)), read_corpus(f"sgml:{suite / 'gold.sgml'}")
    assert len(folder.texts) == 60
    assert file.texts["text"].tolist() == folder.texts["text"].tolist()
    # cases are numbered, lines of a file are named by their number
    places = ["text_id", "start", "end", "type"]
    ours, theirs = (
        c.mentions[places].astype({"type": "str", "text_id": "int64"}).sort_values(places, ignore_index=True)
        for c in (folder, file)
    )
    assert len(ours) > 30
    assert ours.to_numpy().tolist() == theirs.to_numpy().tolist()


def test_a_list_that_the_catalogue_lacks_is_refused(tagsuite: Call, tmp_path: Path) -> None:
    asked = ("--entities", "in_list.training = false", "--contexts", "all", "--out", tmp_path / "suite")
    refused = tagsuite("generate", *asked)
    assert refused.returncode == 2
    assert "no such list" in refused.stderr
    assert "--list training=FILE" in refused.stderr
    assert not (tmp_path / "suite").exists()

"""Ontologies read from OBO files or MeSH trees, and the similarity of their concepts."""

from __future__ import annotations

from .files import read_mesh_trees, read_obo
from .graph import Ontology
from .information import Information, information_from_counts, information_from_documents
from .similarity import (
    Similarity,
    average_matches,
    best_match_average,
    best_matches,
    jiang_conrath,
    lin,
    resnik,
    wang,
)

__all__ = [
    "Information",
    "Ontology",
    "Similarity",
    "average_matches",
    "best_match_average",
    "best_matches",
    "information_from_counts",
    "information_from_documents",
    "jiang_conrath",
    "lin",
    "read_mesh_trees",
    "read_obo",
    "resnik",
    "wang",
]

"""What an evaluation is asked: which task, of which material, looked up where, counted how."""

from __future__ import annotations

from dataclasses import dataclass

from ..ontology import Ontology
from ..tables import signed
from .corpus import Material
from .options import BacteriaBiotopeOptions
from .resources import Resources


@dataclass(frozen=True, eq=False)
class Question:
    """A task over the material of both sides.

    Attributes
    ----------
    task : str
        norm, norm+ner, rel, rel+ner, kb or kb+ner.
    material : Material
    ontology : Ontology
    resources : Resources
    options : BacteriaBiotopeOptions
    """

    task: str
    material: Material
    ontology: Ontology
    resources: Resources
    options: BacteriaBiotopeOptions

    @property
    def as_published(self) -> bool:
        """Whether what the published program computes is wanted."""
        return self.options.as_published

    def signature(self, notion: str, scoring: str) -> str:
        """The signature of a row."""
        return signed(
            self.material.reference_digest,
            self.material.prediction_digest,
            f"BB-{self.task} {scoring}",
            **self.options.signature_parts(self.task, notion),
        )

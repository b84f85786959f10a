"""Computation of entity features from surface forms."""

from .feature_columns import entity_features

__all__ = ["entity_features"]

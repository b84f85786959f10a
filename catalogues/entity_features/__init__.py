"""Entity features, computed from the surface form by columns over distinct strings."""

from .feature_columns import entity_features

__all__ = ["entity_features"]

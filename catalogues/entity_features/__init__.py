"""Entity features, computed from the surface form by columns over distinct strings."""

from .compute import entity_features

__all__ = ["entity_features"]

"""Parquet written page by page: a page that occurs again is encoded once and written many times."""

from __future__ import annotations

from .columns import Column, coded, fixed, texts
from .writer import PageWriter

__all__ = ["Column", "PageWriter", "coded", "fixed", "texts"]

"""All of them."""

from __future__ import annotations

from samples.desk import others, sheets, statistics, texts

FILES = (*texts.files(), *sheets.files(), *statistics.files(), *others.files())

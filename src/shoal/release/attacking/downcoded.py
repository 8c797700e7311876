"""Guess the raw values of a published table back, with the frequencies of the original to guess by."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from shoal.attacks.attack import SEED
from shoal.attacks.downcoding import downcoding
from shoal.hierarchies.build import build
from shoal.verifier.domain import Domain
from shoal.verifier.hierarchies.build import Form

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from shoal.attacks.attack import Attack, Todo
    from shoal.data.frequency import FrequencySet
    from shoal.engines.engine import Engine
    from shoal.release.recipe.recipe import Recipe

CLASSES = 2_000  # that are looked at; a sample of them where there are more


def downcoded(recipe: Recipe, release: Engine, original: Engine) -> Todo:
    """Both engines have loaded their data."""
    names = recipe.schema_.quasi_values
    published = {name: list(release.domain(name).counts) for name in names}
    raw = {name: list(original.domain(name).counts) for name in names}
    shown = release.frequency_set({name: build(None, published[name]) for name in names}, {})
    held = original.frequency_set({name: build(None, raw[name]) for name in names}, {})
    cover = [covering(recipe, name, published[name], raw[name]) for name in names]
    return (("downcoding", lambda: (_attack(shown, held, cover),)),)


def covering(recipe: Recipe, name: str, published: list[str | None], raw: list[str | None]) -> NDArray[np.bool_]:
    """(published leaves, raw leaves): which values each published one may stand for, as the verifier reads them.

    Leaves are numbered as the hierarchies number them that hold nothing but these values.
    """
    codes, rows = build(None, raw), build(None, published)
    texts = [codes.labels[leaf] for leaf in range(codes.leaf_count)]
    domain = Domain(texts, Form(recipe.columns[name].hierarchy, recipe.folder).over(raw))
    matrix = np.zeros((rows.leaf_count, codes.leaf_count), np.bool_)
    for leaf in range(rows.leaf_count):
        matrix[leaf, sorted(domain.covered_by(rows.labels[leaf]))] = True
    return matrix


def _attack(shown: FrequencySet, held: FrequencySet, cover: list[NDArray[np.bool_]]) -> Attack:
    chosen = np.arange(len(shown.counts))
    what = "all quasi-identifiers"
    if len(chosen) > CLASSES:
        chosen = np.sort(np.random.default_rng(SEED).choice(len(chosen), CLASSES, replace=False))
        what += f" (a sample of {CLASSES:,} classes)"
    groups, counts = [np.empty(0, np.int64)], [np.empty(0, np.int64)]
    for number in chosen.tolist():
        fits = np.ones(len(held.counts), np.bool_)
        for column, matrix in enumerate(cover):
            fits &= matrix[shown.codes[number, column]][held.codes[:, column]]
        weights = held.counts[fits]
        if len(weights):
            # as many people as the class shows, spread as the combinations occur
            share = np.floor(weights * (int(shown.counts[number]) / int(weights.sum()))).astype(np.int64)
            share[int(np.argmax(weights))] += int(shown.counts[number]) - int(share.sum())
            groups.append(np.full(len(weights), number, np.int64))
            counts.append(share)
    return downcoding(np.concatenate(groups), np.concatenate(counts), int(held.counts.max(initial=0)), what)

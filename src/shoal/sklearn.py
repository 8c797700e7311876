"""A transformer for scikit-learn: `fit` decides one level of blur for each column, `transform` shows values at these levels.

    from shoal.sklearn import Anonymizer

    blurred = Anonymizer(quasi=["age", "sex", "postcode"], k=5).fit_transform(people)

What `fit_transform` gives keeps the promise: the verifier has passed the same records. What `transform` gives of other rows shows
nothing that the fitted records do not show: a value that was not there, or a combination that nobody had, is refused. It is no
release all the same: rows stay in their order, and nothing is written. Publish with `shoal.run`.

Needs scikit-learn: `pip install shoal[sklearn]`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

import numpy as np
import pyarrow as pa

from shoal.data.text import texts
from shoal.errors import DataError, RecipeError
from shoal.release.run import anonymize

try:
    from sklearn.base import BaseEstimator, OneToOneFeatureMixin, TransformerMixin
    from sklearn.utils.validation import check_is_fitted, validate_data
except ImportError:
    raise ImportError("shoal.sklearn needs scikit-learn 1.6 or newer: pip install 'shoal[sklearn]'") from None

if TYPE_CHECKING:
    from typing import Self

    from numpy.typing import NDArray

    from shoal.recoding.tables.levels import LevelRecoding
    from shoal.release.result import Release

_METHODS = ("optimal", "incognito")  # one level for each column, so that other rows can be shown the same way


class Anonymizer(OneToOneFeatureMixin, TransformerMixin, BaseEstimator):  # type: ignore[misc,unused-ignore]  # no types of theirs
    """Blurs columns so that each row looks like at least k - 1 others.

    Parameters
    ----------
    k : int, default=5
        So many records, at least, look alike.
    quasi : list of column names or numbers, or dict of them to rules of blur, default=None
        What others could know of a person. None: all columns that are not named otherwise. A rule is what
        `shoal.intervals`, `shoal.mask` and the like give; without one it is proposed from the data.
    sensitive : column, or list of them, default=None
        What nobody is to learn; shown as it is.
    plain : list of columns, default=None
        Shown as they are.
    l, t : numbers, default=None
        l-diversity and t-closeness of the sensitive columns.
    method : {"optimal", "incognito"}, default="optimal"
        One that takes one level for each column.

    Attributes
    ----------
    release_ : shoal.Release
        What was decided for the fitted records, with the verdict, the loss and the recipe.
    levels_ : dict
        Column → the level at which it is shown; 0: as it is.
    """

    def __init__(
        self,
        k: int = 5,
        *,
        quasi: Any = None,
        sensitive: Any = None,
        plain: Any = None,
        l: float | None = None,  # noqa: E741  # the name of the parameter in the literature and in every recipe
        t: float | None = None,
        method: str = "optimal",
    ) -> None:
        self.k, self.quasi, self.sensitive, self.plain = k, quasi, sensitive, plain
        self.l, self.t, self.method = l, t, method

    def fit(self, X: Any, y: Any = None) -> Self:  # noqa: N803  # as every estimator calls it
        """Decide the levels, and let the verifier judge what these records show. y is not looked at."""
        if self.method not in _METHODS:
            raise ValueError(f"`method` must be one of {', '.join(_METHODS)}; got {self.method!r}.")
        rows = self._rows(X, reset=True)
        names = self._names()
        sensitive, plain = self._named(self.sensitive, names), self._named(self.plain, names)
        others = [name for name in names if name not in (*sensitive, *plain)]
        quasi = dict.fromkeys(others) if self.quasi is None else self._quasi(names)
        if rows.num_rows < 2:
            raise ValueError(f"Found array with {rows.num_rows} sample(s) while a minimum of 2 is required.")
        try:
            self.release_: Release = anonymize(
                rows,
                quasi=quasi,
                sensitive=sensitive or None,
                plain=plain or None,
                k=self.k,
                l=self.l,
                t=self.t,
                method=self.method,
            )
        except (RecipeError, DataError) as reason:
            raise ValueError(str(reason)) from reason
        recoding = cast("LevelRecoding", self.release_.decision.recoding)  # as these methods decide
        self._recoding = recoding
        self.levels_ = dict(zip(recoding.columns, recoding.levels, strict=True))
        self._combinations = set(zip(*self._shown(rows), strict=True))
        return self

    def transform(self, X: Any) -> Any:  # noqa: N803
        """The rows in their order, each column at its level. What was not among the fitted records is refused."""
        check_is_fitted(self)
        rows = self._rows(X, reset=False)
        shown = self._shown(rows)
        strange = sum(one not in self._combinations for one in zip(*shown, strict=True))
        if strange:
            raise ValueError(
                f"{strange:,} of {rows.num_rows:,} rows show a combination that no fitted record shows: they would stand out. Fit "
                "on all records, or leave these rows out."
            )
        blurred = dict(zip(self._recoding.columns, shown, strict=True))
        columns = [
            blurred[name] if self.levels_.get(name) else rows.column(name).to_pylist() for name in rows.column_names
        ]
        table: NDArray[np.object_] = np.empty((rows.num_rows, len(columns)), object)
        for c, values in enumerate(columns):
            table[:, c] = values
        return table

    def _rows(self, X: Any, *, reset: bool) -> pa.Table:  # noqa: N803
        """As texts and numbers under the names of the columns."""
        checked = validate_data(
            self, X, reset=reset, dtype=None, ensure_all_finite="allow-nan", ensure_min_samples=1, accept_sparse=False
        )
        try:
            return pa.table([_column(checked[:, c]) for c in range(checked.shape[1])], names=self._names())
        except (pa.ArrowException, TypeError, OverflowError):
            raise ValueError("A column mixes types or holds objects. Give each column one type.") from None

    def _names(self) -> list[str]:
        known = getattr(self, "feature_names_in_", None)
        return [str(name) for name in known] if known is not None else [f"x{i}" for i in range(self.n_features_in_)]

    def _named(self, columns: Any, names: list[str]) -> list[str]:
        """By name, or by number."""
        if columns is None:
            return []
        listed = [columns] if isinstance(columns, str | int) else list(columns)
        return [names[one] if isinstance(one, int | np.integer) else str(one) for one in listed]

    def _quasi(self, names: list[str]) -> dict[str, Any]:
        rules = list(self.quasi.values()) if isinstance(self.quasi, dict) else None
        columns = self._named(self.quasi, names)
        return dict(zip(columns, rules or [None] * len(columns), strict=True))

    def _shown(self, rows: pa.Table) -> list[list[Any]]:
        """Of each quasi-identifier, the label of every row at its level."""
        shown = []
        for c, (name, hierarchy) in enumerate(zip(self._recoding.columns, self._recoding.hierarchies, strict=True)):
            codes = [hierarchy.code(text) for text in texts(rows.column(name).combine_chunks())]
            unseen = sum(code is None for code in codes)
            if unseen:
                raise ValueError(
                    f"Column '{name}': {unseen:,} rows hold a value that no fitted record held and no rule of blur covers. Fit on "
                    "all records, or give the column a rule with fixed bounds."
                )
            labels, groups = self._recoding.labels(c), hierarchy.groups[self._recoding.levels[c]]
            shown.append([labels[groups[code]] for code in codes])
        return shown

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True  # missing is a value of its own
        tags.transformer_tags.preserves_dtype = []  # labels are texts
        tags.input_tags.string = tags.input_tags.categorical = True
        return tags


def _column(values: NDArray[Any]) -> pa.Array:
    if values.dtype != object:
        return pa.array(values, from_pandas=True)
    plain = [None if value is None or value != value else value for value in values.tolist()]  # noqa: PLR0124  # NaN
    return pa.array(plain)

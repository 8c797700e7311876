"""What somebody wants to promise, in numbers. Which guarantees that makes is asked of the kind of data."""

from __future__ import annotations

from dataclasses import dataclass, fields

from shoal.errors import RecipeError


@dataclass(frozen=True)
class Wanted:
    """None where nothing is wanted. private: names of the columns of private facts."""

    k: int | None = None
    l: float | None = None  # noqa: E741  # the names of the parameters in the literature and in every recipe
    t: float | None = None
    m: int | None = None
    n: int | None = None
    private: tuple[str, ...] = ()

    def only(self, *names: str, about: str) -> None:
        """Refuse numbers that say nothing about this kind of data. about: what it is, in words."""
        given = [one.name for one in fields(self) if one.name != "private" and getattr(self, one.name) is not None]
        strange = [name for name in given if name not in names]
        problems = [f"{name}: says nothing about {about}. Here are: {', '.join(names)}." for name in strange]
        if self.k is None:
            problems.append("k: must be given: how many people shall look the same, at least.")
        if {"l", "t"} & {*given} and not self.private:
            problems.append("sensitive: must name a column; l and t are promises about private facts.")
        if problems:
            raise RecipeError(*problems)

"""What simulated attacks on a release came to, in words: read by terminal and notebook."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from shoal.report.risk import Line, register_lines

if TYPE_CHECKING:
    from shoal.attacks.attack import Attack, Simulated
    from shoal.attacks.tables.register import RegisterRisk


@dataclass(frozen=True)
class Attacked:
    """Attacks on one release. Rates only: nobody is named, and no value.

    Examples
    --------
    >>> import pyarrow, shoal
    >>> frame = pyarrow.table({"age": ["30-39"] * 3})
    >>> recipe = {"columns": {"age": {"role": "quasi"}}, "guarantee": [{"name": "k-anonymity", "k": 2}]}
    >>> [one.name for one in shoal.attack(frame, recipe).attacks][0]
    'prosecutor: the people easiest to find'
    """

    kind: str
    simulated: Simulated
    register: RegisterRisk | None = None  # of the population, where the recipe names one

    @property
    def attacks(self) -> tuple[Attack, ...]:
        """In the order in which they were made."""
        return self.simulated.attacks

    @property
    def left_out(self) -> tuple[str, ...]:
        """Attacks for which there was no time."""
        return self.simulated.left_out

    @property
    def broken(self) -> tuple[Attack, ...]:
        """Attacks that succeed more often than is promised."""
        return tuple(one for one in self.attacks if one.kept is False)

    def to_json(self) -> dict[str, Any]:
        """As `--json` prints it."""
        return {
            "verdict": "fail" if self.broken else "pass",
            "kind": self.kind,
            "attacks": [
                {
                    "question": one.question,
                    "name": one.name,
                    "attacks": one.meter.attacks,
                    "successes": one.meter.successes,
                    "rate": one.meter.rate,
                    "low": one.meter.interval[0],
                    "high": one.meter.interval[1],
                    "baseline": one.baseline,
                    "control": None if one.control is None else one.control.rate,
                    "bound": one.bound,
                    "kept": one.kept,
                }
                for one in self.attacks
            ],
            "left_out": list(self.left_out),
            **({} if self.register is None else {"register": self.register.to_json()}),
        }

    def lines(self) -> tuple[Line, ...]:
        """For a terminal: under the three questions."""
        lines: list[Line] = []
        for question in ("singling out", "linkability", "inference"):
            mine = [one for one in self.attacks if one.question == question]
            lines.append(Line(f"{question.capitalize()}{'' if mine else ': not measured'}", bold=True))
            lines += [Line(f"  {one.name}: {_words(one)}") for one in mine]
        if self.register is not None:
            lines += register_lines(self.register)
        if self.left_out:
            lines.append(Line(f"Left out for want of time (--budget): {', '.join(self.left_out)}."))
        return tuple(lines)

    def __repr__(self) -> str:
        return f"Attacked({len(self.attacks)} attacks, {len(self.broken)} succeed more often than promised)"


def _words(one: Attack) -> str:
    low, high = one.meter.interval
    text = f"{one.meter.rate:.2%} ({low:.2%} to {high:.2%}) of {one.meter.attacks:,}; guessing {one.baseline:.2%}"
    if one.control is not None:
        text += f"; without their own record {one.control.rate:.2%}"
    if one.bound is not None:
        text += f"; promised at most {one.bound:.2%}{'' if one.kept else ': NOT KEPT'}"
    return text

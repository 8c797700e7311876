"""Arguments that several commands take alike."""

from __future__ import annotations

import click
import pytest

from shoal.cli.arguments import Time
from shoal.release.examples import write_example


@pytest.mark.parametrize(
    ("text", "seconds"), [("60s", 60), ("2m", 120), ("1.5h", 5400), ("250ms", 0.25), ("2", 2), ("0.5", 0.5), (3.0, 3)]
)
def test_times(text, seconds):
    assert Time().convert(text, None, None) == seconds


@pytest.mark.parametrize("text", ["soon", "", "-1", "-1s", "0s", "nan", "inf", "infs", "5 parsecs", "m"])
def test_what_is_no_time(text):
    for time in (Time(), Time(zero=True)):
        with pytest.raises(click.BadParameter, match="is no time"):
            time.convert(text, None, None)


def test_no_time_at_all_where_it_makes_sense():
    assert Time(zero=True).convert("0", None, None) == 0
    with pytest.raises(click.BadParameter):
        Time().convert("0", None, None)


@pytest.mark.parametrize("command", ["attack", "compare", "frontier"])
def test_every_budget_is_a_time(call, tmp_path, command):
    *_, recipe = write_example("table", tmp_path)
    words = [tmp_path / "patients.csv", "--recipe", recipe] if command == "attack" else [recipe]
    code, _, err = call(command, *words, "--budget", "soon")
    assert code == 2 and "--budget" in err and '"60s"' in err


def test_attack_takes_a_time_and_seconds(call, tmp_path):
    *_, recipe = write_example("table", tmp_path)
    for budget in ("2m", "120"):
        code, out, _ = call("attack", tmp_path / "patients.csv", "--recipe", recipe, "--budget", budget)
        assert code == 1 and "want of time" not in out  # the data as it is
    assert "want of time" in call("attack", tmp_path / "patients.csv", "--recipe", recipe, "--budget", "0")[1]

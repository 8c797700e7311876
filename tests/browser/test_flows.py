"""From a file to a signed release, in a browser, for what people bring; then `shoal verify`, as anybody else would."""

from __future__ import annotations

import os
import re
import subprocess

import brought
import pytest
from keys import KeyboardSteward
from test_accessibility import look_around

import postgresql_server
import tpch_server
from studio_process import SHOAL, running


def walk(steward, visit=lambda page: None, **roles: str) -> None:
    """From the first rows to the signature, by the buttons that lead on. roles: what is not as suggested."""
    visit(steward.page)
    steward.next()
    steward.confirm_columns(**roles)
    visit(steward.page)
    walk_on(steward, visit)


def walk_on(steward, visit=lambda page: None) -> None:
    """From confirmed columns to the signature."""
    for title in ("How may each column", "What do you promise", "How risky", "Choose how much", "[Cc]ompare"):
        steward.next()
        steward.at(re.compile(title))
        if title.startswith("What do you") and steward.find("Promise what is usual").count():
            steward.click("Promise what is usual")
            steward.page.get_by_role("heading", name="What could an attacker do?").first.wait_for()
        steward.wait_for_work()
        visit(steward.page)
    steward.next()
    steward.publish()
    steward.sign()
    visit(steward.page)


def verified(steward, **env: str) -> str:
    """What `shoal verify` says of the release, with its recipe and the original."""
    release, recipe = steward.released()
    end = subprocess.run(
        [*SHOAL, "verify", str(release), "--recipe", str(recipe), "--original", str(recipe)],
        check=False,
        capture_output=True,
        text=True,
        timeout=600,
        env={**os.environ, **env},
    )
    assert end.returncode == 0, end.stdout + end.stderr
    return end.stdout + end.stderr


def test_a_file_of_a_german_office(steward, tmp_path) -> None:
    steward.open_path(brought.german(tmp_path))
    steward.sees("Müller 1")
    assert steward.page.get_by_label("Encoding").input_value() == "windows-1252"
    assert steward.page.get_by_label("Between the columns").input_value() == ";"
    seen = []
    walk(steward, lambda page: seen.extend(look_around(page)))
    assert seen == []
    assert "Ada Steward" in verified(steward)
    # what the studio saved, the command line runs (`auto` may choose other groups within its seconds), and anybody verifies it
    release, recipe = steward.released()
    again = recipe.with_name("again.toml")
    head, output, tail = recipe.read_text("utf-8").partition("[output]")
    again.write_text(head + output + tail.replace(release.name, "again.csv"), "utf-8")
    for command in (["run", again], ["verify", release.with_name("again.csv"), "--recipe", again, "--original", again]):
        end = subprocess.run([*SHOAL, *map(str, command)], check=False, capture_output=True, text=True, timeout=600)
        assert end.returncode == 0, end.stdout + end.stderr


def test_by_keyboard_alone(chromium, tmp_path) -> None:
    """The whole way; what has the focus is marked and in sight."""
    with running(tmp_path / "shoal") as studio:
        steward = KeyboardSteward(chromium.new_context(), studio, tmp_path / "shoal")
        steward.open_path(brought.german(tmp_path, 120))
        walk(steward, Geschlecht="could be recognised")
        verified(steward)
        assert steward.elsewhere == steward.complaints == []
        steward.page.context.close()


def test_a_file_that_takes_long_shows_a_clock(steward, tmp_path) -> None:
    """Stood in for by an answer that is held back."""
    steward.begin()
    steward.page.route("**/open/path", lambda route: (steward.page.wait_for_timeout(2500), route.continue_()))
    steward.fill("Where it is on this computer", str(brought.german(tmp_path, 30)))
    steward.press(steward.page.get_by_role("region", name="By its path").get_by_role("button", name="Open"))
    steward.sees("Reading your data …")
    steward.sees(re.compile("^[12] s$"))
    steward.at("Is this your data?")


def test_adult(steward, tmp_path, shared) -> None:
    steward.open_path(brought.adult(tmp_path, shared))
    walk(steward)
    verified(steward)


def test_retail_baskets(steward, tmp_path, shared) -> None:
    steward.open_path(brought.retail(tmp_path, shared))
    walk(steward)
    verified(steward)


def test_informs(steward, tmp_path, shared) -> None:
    steward.open_path(brought.informs(tmp_path, shared))
    walk(steward, income="could be recognised")  # nearly everyone has one of their own
    verified(steward)


def test_synthea_trees(steward, tmp_path, shared) -> None:
    steward.open_path(brought.synthea(tmp_path, shared))
    seen = []
    walk(steward, lambda page: seen.extend(look_around(page)))
    assert seen == []
    verified(steward)


@postgresql_server.needed
@pytest.mark.skipif(not tpch_server.GENERATOR.exists(), reason="needs tpchgen-cli")
def test_tpch_from_postgresql(chromium, tmp_path) -> None:
    """Customers with their orders; the password comes from the environment, and is nowhere else."""
    from steward import Steward

    pytest.importorskip("psycopg")
    secret = {"PGPASSWORD": postgresql_server.PASSWORD}
    with tpch_server.tpch(tmp_path, 0.001) as url, running(tmp_path / "shoal", env=secret) as studio:
        steward = Steward(chromium.new_context(), studio, tmp_path / "shoal")
        steward.open_database(url, "customer")
        steward.next()
        # the clerk is nobody's business, and the region follows from the nation
        steward.confirm_columns(o_clerk="names a person", r_name="names a person", o_shippriority="names a person")
        walk_on(steward)
        verified(steward, **secret)
        assert steward.elsewhere == steward.complaints == []
        steward.page.context.close()
        kept = [path for path in (tmp_path / "shoal").rglob("*") if path.is_file()]
        assert not [path for path in kept if postgresql_server.PASSWORD.encode() in path.read_bytes()]


def test_a_release_that_breaks_its_promise(steward, tmp_path) -> None:
    """As ARX writes one: five look the same in all groups but one, and that one is shown."""
    steward.page.goto(steward.studio.here + "/")
    steward.click(re.compile("^Check a release"), "link")
    steward.at("Check a release")
    assert look_around(steward.page) == []
    steward.fill("or give its path", str(brought.given_release(tmp_path)))
    steward.click("Go on")
    steward.page.get_by_role("heading", name="What could others know of a person?").wait_for(timeout=90_000)
    assert look_around(steward.page) == []
    for column, role in (("age", "quasi"), ("sex", "quasi"), ("zip", "quasi"), ("diagnosis", "plain")):
        steward.page.get_by_label(column, exact=True).select_option(role)
    steward.click("Check it")
    steward.page.get_by_role("heading", name="A witness").wait_for(timeout=90_000)
    witness = steward.page.get_by_role("region", name="A witness")
    assert "[40, 50[" in witness.inner_text() and "1011*" in witness.inner_text()
    assert look_around(steward.page) == []

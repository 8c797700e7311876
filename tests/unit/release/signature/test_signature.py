"""A signature says who answers for a release, and notices every change of its files."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from shoal.errors import DataError, RecipeError
from shoal.io.publishing import publish
from shoal.io.publishing.publish import Draft
from shoal.release.examples import write_example
from shoal.release.run import run
from shoal.release.signature.check import check_signature
from shoal.release.signature.sign import sign
from shoal.release.signature.statement import Statement

ADA = {"name": "Ada Lovelace", "reason": "for the registry", "role": "data steward", "read_report": True}


@pytest.fixture(scope="module")
def published(tmp_path_factory):
    """The example, published."""
    folder = tmp_path_factory.mktemp("signature")
    write_example("table", folder)
    release = run(folder / "recipe.toml")
    return Path(release.files[0])


@pytest.fixture
def release(published, tmp_path):
    """A copy of it that a test may change."""
    shutil.copytree(published.parent, tmp_path / "release")
    return tmp_path / "release" / published.name


@pytest.fixture(scope="module")
def signed(published, tmp_path_factory):
    folder = tmp_path_factory.mktemp("signed") / "release"
    shutil.copytree(published.parent, folder)
    sign(folder / published.name, **ADA)
    return folder / published.name


def test_nobody_signed_an_untouched_release(release):
    assert check_signature(release) is None


def test_a_signature_says_who_and_fits(release):
    sign(release, **ADA, review="2999-01-31")
    check = check_signature(release)
    assert check is not None and check.fits
    assert "Signed by Ada Lovelace (data steward) on 2" in check.words() and check.words().endswith("all 7 hashes fit")
    assert check.signatures[0].review == "2999-01-31"
    assert check.promises[0].startswith("Everyone looks like at least 4 others")


def test_the_public_signature_names_public_files_only(release):
    result = sign(release, **ADA)
    public, private = (json.loads(path.read_text()) for path in result.files)
    assert [path.name for path in result.files] == ["patients.signature.json", "patients.signature.private.json"]
    names = {file["name"] for file in public["files"]}
    assert names == {
        f"patients.{part}" for part in ("csv", "report.html", "report.json", "codebook.json", "codebook.csv")
    }
    more = {file["name"] for file in private["files"]} - names
    assert more == {"patients.report.private.html", "patients.manifest.private.json"}
    hidden = [file["sha256"] for file in private["files"] if file["name"] in more]
    text = result.files[0].read_text()
    assert not any(sha256 in text for sha256 in hidden)
    assert result.files[1].stat().st_mode & 0o777 == 0o600


def test_whoever_has_the_public_files_alone_can_check(signed, tmp_path):
    for path in signed.parent.iterdir():
        if ".private." not in path.name:
            shutil.copy(path, tmp_path)
    check = check_signature(tmp_path / signed.name)
    assert check.fits and check.words().endswith("all 5 hashes fit")
    (tmp_path / "patients.codebook.csv").unlink()
    assert check_signature(tmp_path / signed.name).fit_words() == "4 hashes fit; not here: patients.codebook.csv"


def _signed_files(release: Path) -> list[Path]:
    return sorted(path for path in release.parent.iterdir() if "signature" not in path.name)


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.data())
def test_any_change_of_one_byte_in_any_signed_file_is_noticed(signed, data):
    path = data.draw(st.sampled_from(_signed_files(signed)))
    whole = path.read_bytes()
    place = data.draw(st.integers(0, len(whole) - 1))
    what = data.draw(st.sampled_from(["change", "drop", "insert"]))
    byte = data.draw(st.integers(1, 255))
    if what == "change":
        changed = whole[:place] + bytes([whole[place] ^ byte]) + whole[place + 1 :]
    else:
        changed = whole[:place] + (whole[place + 1 :] if what == "drop" else bytes([byte]) + whole[place:])
    try:
        path.write_bytes(changed)
        check = check_signature(signed)
        assert not check.fits and check.changed == (path.name,)
        assert check.fit_words() == f"does not fit: {path.name} was changed after signing"
    finally:
        path.write_bytes(whole)
    assert check_signature(signed).fits


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.binary(max_size=300))
def test_what_is_no_signature_does_not_fit(signed, junk):
    path = signed.with_name("patients.signature.json")
    whole = path.read_bytes()
    try:
        path.write_bytes(junk)
        check = check_signature(signed)
        assert not check.fits and check.unreadable == path.name and not check.signatures
    finally:
        path.write_bytes(whole)


@pytest.mark.parametrize(
    "change",
    [
        lambda stated: stated.update(version=2),
        lambda stated: stated.update(files=[]),
        lambda stated: stated.update(signatures=[]),
        lambda stated: stated.update(files=[{"name": "../x.csv", "sha256": "0" * 64}]),
        lambda stated: stated.update(files=[{"name": "/etc/passwd", "sha256": "0" * 64}]),
        lambda stated: stated.update(files=[{"name": "x.csv", "sha256": "0"}]),
        lambda stated: stated.update(files=stated["files"] * 2),
        lambda stated: stated["signatures"][0].update(name=5),
        lambda stated: stated["signatures"][0].update(signed="yesterday"),
        lambda stated: stated.pop("recipe_sha256"),
    ],
)
def test_a_bent_signature_is_none(signed, change):
    stated = json.loads(signed.with_name("patients.signature.json").read_text())
    change(stated)
    with pytest.raises(ValueError):
        Statement.from_text(json.dumps(stated))


def test_a_file_that_was_added_was_not_signed(release):
    sign(release, **ADA)
    release.with_name("patients.assignment.private.parquet").write_bytes(b"")
    assert check_signature(release).fit_words() == (
        "does not fit: patients.assignment.private.parquet was added after signing"
    )


def test_a_signature_of_other_data_does_not_fit(release):
    sign(release, **ADA)
    moved = release.with_name("patients.signature.private.json")
    moved.unlink()
    public = release.with_name("patients.signature.json")
    stated = json.loads(public.read_text())
    stated["files"] = [file for file in stated["files"] if file["name"] != "patients.csv"]
    public.write_text(json.dumps(stated))
    assert not check_signature(release).fits


def test_a_second_person_is_added(release):
    sign(release, **ADA)
    sign(release, name="Tom Jones", reason="agreed", read_report=True)
    check = check_signature(release)
    assert [one.name for one in check.signatures] == ["Ada Lovelace", "Tom Jones"] and check.fits
    assert ", and by Tom Jones on 2" in check.words()


def test_nobody_signs_what_was_changed(release):
    codebook = release.with_name("patients.codebook.csv")
    codebook.write_bytes(codebook.read_bytes() + b"\n")
    with pytest.raises(DataError, match=r"patients\.codebook\.csv was changed after it was published"):
        sign(release, **ADA)
    assert check_signature(release) is None


def test_nobody_signs_after_a_signature_that_does_not_fit(release):
    sign(release, **ADA)
    page = release.with_name("patients.report.private.html")  # of no manifest
    page.write_bytes(page.read_bytes() + b" ")
    with pytest.raises(DataError, match=r"does not fit: patients\.report\.private\.html was changed"):
        sign(release, name="Tom Jones", reason="agreed", read_report=True)


@pytest.mark.parametrize(
    ("change", "problem"),
    [
        ({"name": "  "}, "name: say who signs"),
        ({"reason": ""}, "reason: say why"),
        ({"name": "A" * 201}, "name: 200 signs are enough"),
        ({"name": "Ada\u202eecalevoL"}, "name: holds signs that cannot be seen"),
        ({"review": "soon"}, "review: must be a day such as"),
        ({"review": "2001-01-01"}, "review: must be a day that is yet to come"),
        ({"read_report": False}, "Read the report first"),
    ],
)
def test_a_signature_without_what_it_needs_is_refused(release, change, problem):
    with pytest.raises(RecipeError, match=problem):
        sign(release, **{**ADA, **change})
    assert check_signature(release) is None


def test_a_file_without_a_report_cannot_be_signed(release):
    release.with_name("patients.report.json").unlink()
    with pytest.raises(RecipeError, match="only a release of shoal, with its report, can be signed"):
        sign(release, **ADA)


def test_a_release_that_is_replaced_loses_its_signature(release):
    sign(release, **ADA)
    with Draft(release, replace=True) as draft:
        draft.path(release.name).write_text("age\n20-29\n")
        draft.publish()
    assert check_signature(release) is None
    assert [path.name for path in release.parent.iterdir()] == [release.name]


def test_a_killed_run_that_comes_back_brings_the_signature_back(release, monkeypatch):
    sign(release, **ADA)
    before = sorted(path.name for path in release.parent.iterdir())
    with pytest.raises(KeyboardInterrupt), Draft(release, replace=True) as draft:
        draft.path(release.name).write_text("age\n20-29\n")
        monkeypatch.setattr(publish, "sync", _interrupt)
        draft.publish()
    assert sorted(path.name for path in release.parent.iterdir()) == before
    assert check_signature(release).fits


def test_signing_that_is_cut_short_leaves_nothing(release, monkeypatch):
    before = sorted(path.name for path in release.parent.iterdir())
    with monkeypatch.context() as patch:
        patch.setattr("shoal.release.signature.sign.sync", _interrupt)
        with pytest.raises(KeyboardInterrupt):
            sign(release, **ADA)
    assert sorted(path.name for path in release.parent.iterdir()) == before


def _interrupt(*_):
    raise KeyboardInterrupt


def test_a_signature_of_trees_knows_every_table(tmp_path):
    write_example("trees", tmp_path)
    recipe = tmp_path / "recipe.toml"
    recipe.write_text(recipe.read_text().replace("[output]\n", "[output]\ntables = true\n"))
    release = Path(run(recipe).files[0])
    sign(release, **ADA)
    assert check_signature(release).fits
    tables = release.with_name(f"{release.name.partition('.')[0]}.tables")
    table = next(path for path in tables.iterdir() if not path.name.startswith(("_", ".")))
    table.write_bytes(table.read_bytes() + b" ")
    assert check_signature(release).changed == (f"{tables.name}/{table.name}",)

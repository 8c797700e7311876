"""`shoal hierarchy`: make, check, convert and show hierarchy files."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from shoal.cli.output import echo, echo_file, echo_text, emit
from shoal.errors import RecipeError

if TYPE_CHECKING:
    from shoal.hierarchies.hierarchy import Hierarchy

FORMATS = ("arx", "anjana", "amnesia", "amnesia-json")  # shoal's own form is the first

_FILE = click.Path(path_type=Path)
_data = click.option("--data", type=_FILE, help="The data whose column the hierarchy is for.")
_column = click.option("--column", help="The column of the data.")
_delimiter = click.option(
    "--delimiter",
    expose_value=False,
    callback=lambda context, _option, value: context.meta.update(delimiter=value),
    help="Of CSV data, when it is not a comma.",
)
_missing = click.option(
    "--missing", multiple=True, metavar="TEXT", help="A text that means missing in the data, such as ?."
)
_force = click.option("--force", is_flag=True, help="Replace a file that is there already.")
_json = click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")


@click.group("hierarchy")
def hierarchy() -> None:
    """Make, check, convert and show hierarchies: how the values of a column may be blurred."""


@hierarchy.command("make")
@click.option("--intervals", metavar="WIDTHS", help="Numbers in intervals of these widths, for example 5,10,20.")
@click.option("--from", "start", metavar="NUMBER", help="Where the intervals start; values below are coded <NUMBER.")
@click.option("--to", "stop", metavar="NUMBER", help="Where they end; values from there on are coded >=NUMBER.")
@click.option("--dates", metavar="LEVELS", help="Dates, fine to coarse: day,month,quarter,half-year,year,decade.")
@click.option(
    "--mask", type=click.Choice(["right", "left"]), help="Codes, hidden character by character from this side."
)
@click.option("--length", type=int, help="Characters of the longest code, for --mask.")
@click.option("--char", help="The mask character; * if not given.")
@click.option("--flat", is_flag=True, help="Every value directly below *.")
@click.option(
    "--spec", metavar="TOML", help='As in a recipe, for example \'{ order = ["low", "high"], sizes = [2] }\'.'
)
@_data
@_column
@_missing
@_delimiter
@click.option("-o", "--output", type=_FILE, help="The file to write; without it the hierarchy is printed.")
@click.option("--format", "form", type=click.Choice(FORMATS), default="arx", show_default=True)
@_force
@_json
def make(
    *,
    intervals: str | None,
    start: str | None,
    stop: str | None,
    dates: str | None,
    mask: str | None,
    length: int | None,
    char: str | None,
    flat: bool,
    spec: str | None,
    data: Path | None,
    column: str | None,
    missing: tuple[str, ...],
    output: Path | None,
    form: str,
    force: bool,
    as_json: bool,
) -> None:
    """Write a hierarchy from widths, dates, a mask or a recipe's own words."""
    from shoal.hierarchies.build import build, problems
    from shoal.hierarchies.files import text_of, write_hierarchy
    from shoal.hierarchies.stated import Format

    chosen = [name for name, given in _given(intervals, dates, mask, flat, spec).items() if given]
    if len(chosen) != 1:
        raise click.UsageError("Give exactly one of --intervals, --dates, --mask, --flat, --spec.")
    extra: dict[str, object] = {"--from": start, "--to": stop} if intervals is None else {}
    extra |= {"--length": length, "--char": char} if mask is None else {}
    if unused := [name for name, given in extra.items() if given is not None]:
        raise click.UsageError(f"{' and '.join(unused)} cannot be used with {chosen[0]}.")
    counts = _counts(data, column, missing)
    if counts is None and chosen[0] in ("--dates", "--mask", "--flat"):
        raise click.UsageError(f"{chosen[0]} needs the values: --data and --column.")
    stated: Any = None
    if intervals is not None:
        stated = {"intervals": [_number(width, "--intervals") for width in intervals.split(",")]}
        stated |= {key: _number(v, f"--{key}") for key, v in (("from", start), ("to", stop)) if v is not None}
    elif dates is not None:
        stated = {"dates": dates.split(",")}
    elif mask is not None:
        given: dict[str, object] = {"mask": mask, "length": length, "char": char}
        stated = {key: value for key, value in given.items() if value is not None}
    elif spec is not None:
        stated = _toml(spec)
    if wrong := problems(stated):
        raise RecipeError(*wrong)
    # a row for missing values is left out: shoal adds it where it is needed, other tools stumble over it
    built = build(stated, [value for value in counts or () if value is not None])
    facts = _facts(built)
    if output is not None:
        _may_write(output, force, data)
        write_hierarchy(built, output, form)
        facts = {"file": str(output), **facts}
    text = text_of(built, Format(form))
    if as_json:
        emit(facts if output is not None else {**facts, "content": text})
    elif output is not None:
        echo(f"{output}: {_summary(built)}")
    else:
        echo_file(text)


@hierarchy.command("check")
@click.argument("file", type=_FILE)
@_data
@_column
@_missing
@_delimiter
@click.option("--show-values", is_flag=True, help="Also print the labels concerned, which may be values of the data.")
@_json
def check(
    *, file: Path, data: Path | None, column: str | None, missing: tuple[str, ...], show_values: bool, as_json: bool
) -> None:
    """Name the line of everything that is wrong with a hierarchy FILE. Ends with exit code 1 if it cannot be used."""
    from shoal.hierarchies.check import check as run

    faults = run(file, _counts(data, column, missing))
    wrong = [fault for fault in faults if fault.refuses]
    if as_json:
        entries = []
        for fault in faults:
            entry = {"line": fault.line, "kind": fault.kind, "message": fault.message, "refuses": fault.refuses}
            entries.append({**entry, "labels": list(fault.labels)} if show_values else entry)
        verdict = "fail" if wrong else "pass"
        emit({"file": str(file), "verdict": verdict, "faults": entries})
    else:
        for fault in faults:
            kind = "" if fault.refuses else "warning: "
            echo(f"{file}: {kind}{fault.shown() if show_values else fault}")
        warnings = len(faults) - len(wrong)
        echo(f"{file}: {_many(len(wrong), 'fault')}, {_many(warnings, 'warning')}.")
    if wrong:
        raise click.exceptions.Exit(1)


@hierarchy.command("convert")
@click.argument("source", type=_FILE)
@click.argument("target", type=_FILE)
@click.option("--to", "form", type=click.Choice(FORMATS), required=True, help="The format to write.")
@click.option("--allow-loss", is_flag=True, help="Convert although the target cannot hold everything.")
@_force
@_json
def convert(*, source: Path, target: Path, form: str, allow_loss: bool, force: bool, as_json: bool) -> None:
    """Write the hierarchy SOURCE as TARGET in another format, and say what that format cannot hold."""
    from shoal.hierarchies.convert import convert as run

    _may_write(target, force, source)
    notes = run(source, target, form, allow_loss=allow_loss)
    if as_json:
        emit({"file": str(target), "format": form, "notes": list(notes)})
        return
    for note in notes:
        echo(note)
    echo(f"{target}: written as {form}.")


@hierarchy.command("show")
@click.argument("file", type=_FILE)
@_data
@_column
@_missing
@_delimiter
@click.option("--depth", type=click.IntRange(min=0), help="How many levels below the top to show.")
@click.option(
    "--fold", type=click.IntRange(min=2), default=12, show_default=True, help="Siblings shown before a list is cut."
)
@click.option("--ascii", "ascii_only", is_flag=True, help="Draw with plain characters.")
@_json
def show(
    *,
    file: Path,
    data: Path | None,
    column: str | None,
    missing: tuple[str, ...],
    depth: int | None,
    fold: int,
    ascii_only: bool,
    as_json: bool,
) -> None:
    """Draw a hierarchy FILE as a tree, with the number of records below each group when data is given."""
    from shoal.hierarchies.build import cover, uncovered
    from shoal.hierarchies.files import read_hierarchy
    from shoal.hierarchies.show import as_dict
    from shoal.hierarchies.show import show as draw

    tree = read_hierarchy(file)
    counts = _counts(data, column, missing)
    if counts is not None:
        if not uncovered(tree, counts):
            tree = cover(tree, [value for value in counts if value is not None], name=str(file))
        if None in counts:
            tree = tree.with_missing()
    if as_json:
        emit({"file": str(file), **_facts(tree), "tree": as_dict(tree, counts)})
        return
    plain = ascii_only or "utf" not in (getattr(sys.stdout, "encoding", None) or "").lower()
    echo_text(draw(tree, counts, depth=depth, fold=fold, ascii_only=plain))


def _given(
    intervals: str | None, dates: str | None, mask: str | None, flat: bool, spec: str | None
) -> dict[str, object]:
    return {"--intervals": intervals, "--dates": dates, "--mask": mask, "--flat": flat, "--spec": spec}


def _counts(data: Path | None, column: str | None, missing: tuple[str, ...]) -> dict[str | None, int] | None:
    if data is None and column is None:
        return None
    if data is None or column is None:
        raise click.UsageError("--data and --column go together.")
    from shoal.io.counts import read_column_counts
    from shoal.io.csv_detection import Detected, detect
    from shoal.io.source import kind_of

    delimiter = click.get_current_context().meta.get("delimiter")
    is_csv = not data.is_dir() and kind_of(data) == "csv"
    dialect = detect(data, delimiter=delimiter) if is_csv else Detected()
    return read_column_counts(data, column, dialect.reading(missing=missing))


def _number(text: str, option: str) -> int | float:
    from shoal.hierarchies.decimals import parse

    number = parse(text.strip())
    if number is None:
        raise click.UsageError(f"{option} takes numbers such as 5 or 0.5.")
    return int(number) if number.denominator == 1 else float(text)


def _toml(text: str) -> object:
    from shoal.data.documents import read_toml

    try:
        return read_toml(f"hierarchy = {text}")["hierarchy"]
    except ValueError as error:
        raise RecipeError(f"--spec is not a TOML value: {error}") from error


def _may_write(path: Path, force: bool, source: Path | None) -> None:
    """source: what the command reads, which is not written over."""
    from shoal.io.publishing.overlap import Place

    if source is not None and Place.of(path).to(Place.of(source)) is not None:
        raise click.UsageError(f"{path} would be written over {source}, which is read. Choose another name.")
    if path.is_symlink():
        raise click.UsageError(f"{path} is a symbolic link; it is not written through.")
    if path.exists() and not force:
        raise click.UsageError(f"{path} is there already; --force replaces it.")


def _facts(tree: Hierarchy) -> dict[str, Any]:
    groups = [int(level.max()) + 1 for level in tree.groups]
    return {"values": tree.leaf_count, "levels": tree.height, "groups": groups}


def _summary(tree: Hierarchy) -> str:
    return f"{_many(tree.leaf_count, 'value')}, {_many(tree.height, 'level')} above them."


def _many(number: int, noun: str) -> str:
    return f"{number:,} {noun}{'' if number == 1 else 's'}"

"""A hundred files that are small, or simple, and become large when they are read: each with the command that reads it."""

from __future__ import annotations

import gzip
import io
import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

Content = bytes | Callable[[Path], None]  # what a file holds, or what makes it

MIB = 1 << 20
MEMBER = 8 * MIB

TABLE = """
[input]
path = "{file}"
{more}
[output]
path = "out/people.csv"
[columns]
a = {{ role = "quasi"{hierarchy} }}
b = {{ role = "plain" }}
[[guarantee]]
name = "k-anonymity"
k = 2
"""
SETS = """
[input]
path = "{file}"
[output]
path = "out/people.csv"
[columns]
items = {{ role = "quasi", kind = "set", hierarchy = {{ groups = {{ all = ["1", "2"] }} }} }}
[[guarantee]]
name = "km-anonymity"
k = 2
m = 2
"""
TREES = """
[input]
path = "{file}"
{more}
[output]
path = "out/people.jsonl"
[columns]
a = {{ role = "quasi", kind = "node", path = "a" }}
b = {{ role = "plain" }}
[[guarantee]]
name = "kmn-anonymity"
k = 2
m = 1
n = 0
"""
RECIPES = {"table": TABLE, "sets": SETS, "trees": TREES}


@dataclass(frozen=True)
class Bomb:
    name: str
    files: dict[str, Content]
    arguments: tuple[str, ...]
    codes: tuple[int, ...] = (2, 3)  # of the exit


@cache
def packed(pattern: bytes, head: bytes = b"", times: int = 160) -> bytes:
    """More than a gigabyte as gzip: one member with 8 MiB of the pattern, over and over."""
    return gzip.compress(head, mtime=0) + _member(pattern) * times


@cache
def _member(pattern: bytes) -> bytes:
    return gzip.compress(pattern * (MEMBER // len(pattern)), 6, mtime=0)


def parquet(table: pa.Table, times: int = 1, **options: object) -> bytes:
    """The same table, so many times."""
    out = io.BytesIO()
    with pq.ParquetWriter(out, table.schema, **{"compression": "zstd", **options}) as writer:
        for _ in range(times):
            writer.write_table(table, row_group_size=1 << 30)
    return out.getvalue()


def constant(rows: int, **values: str) -> pa.Table:
    index = pa.array(np.zeros(rows, np.int32))
    return pa.table({name: pa.DictionaryArray.from_arrays(index, pa.array([value])) for name, value in values.items()})


def both(name: str, kind: str, file: str, content: Content, more: str = "") -> Iterator[Bomb]:
    """Into `run` and into `verify`."""
    recipe = RECIPES[kind].format(file=file, more=more, hierarchy="").encode()
    yield Bomb(f"run {name}", {file: content, "recipe.toml": recipe}, ("run", "recipe.toml"))
    yield Bomb(f"verify {name}", {file: content, "recipe.toml": recipe}, ("verify", file, "--recipe", "recipe.toml"))


def one(name: str, kind: str, file: str, content: Content, more: str = "") -> Iterator[Bomb]:
    yield next(both(name, kind, file, content, more))


# ---- text --------------------------------------------------------------------------------------------------------------------


def csv_bombs() -> Iterator[Bomb]:
    head = b"a,b\n"
    for name, pattern, start in (
        ("rows", b"x,1\n", head),
        ("empty cells", b",\n", head),
        ("zeros", b"\0", head),
        ("one cell", b"x", head),
        ("one quoted cell", b"x", head + b'"'),
        ("line breaks in quotes", b"\n", head + b'"'),
        ("quotes", b'""', head + b'"'),
        ("blank lines", b"\n", head),
        ("header without end", b"a", b"a"),
        ("header of commas", b"a,", b"a,"),
    ):
        yield from both(f"csv.gz {name}", "table", "people.csv.gz", packed(pattern, start))
    yield from both("csv.gz named csv", "table", "people.csv", packed(b"x,1\n", head))
    tiny = gzip.compress(head, mtime=0) + gzip.compress(b"x,1\n", mtime=0) * 100_000
    yield from both("csv.gz of tiny members", "table", "people.csv.gz", tiny)
    yield from both("csv.gz in gz", "table", "people.csv.gz", gzip.compress(packed(b"x,1\n", head)))
    wide = b",".join(b"c%d" % i for i in range(1_000_000)) + b"\n" + b"1," * 999_999 + b"1\n"
    yield from both("csv of a million columns", "table", "people.csv", wide)
    yield from both("csv of four million columns", "table", "people.csv", b"a," * (4 * MIB - 1) + b"a\n")
    yield from both("csv quote without end", "table", "people.csv", head + b'"' + b"x,1\n" * (16 * MIB))
    yield from both("csv without line end", "table", "people.csv", b"x" * (64 * MIB))
    yield from both("csv of one cell", "table", "people.csv", head + b"x" * (64 * MIB) + b",1\n")
    yield from both("csv pipe", "table", "people.csv", os.mkfifo)
    yield from both("csv device", "table", "people.csv", lambda path: path.symlink_to("/dev/zero"))


def fimi_bombs() -> Iterator[Bomb]:
    for name, pattern in (("lines", b"1 2\n"), ("one line", b"1 "), ("one item", b"1"), ("blank lines", b"\n")):
        yield from both(f"dat.gz {name}", "sets", "people.dat.gz", packed(pattern))
    yield from both("dat of one item", "sets", "people.dat", b"1" * (64 * MIB))


def json_bombs() -> Iterator[Bomb]:
    line = b'{"b":"1","a":[{"value":"x"}]}\n'
    for name, pattern, start in (
        ("lines", line, b""),
        ("one text", b"x", b'{"a":"'),
        ("blanks", b" ", b'{"a":'),
        ("brackets", b"[", b'{"a":'),
        ("numbers", b"1,", b'{"a":['),
        ("names", b'"k":1,', b"{"),
    ):
        yield from both(f"jsonl.gz {name}", "trees", "people.jsonl.gz", packed(pattern, start))
    yield from one("jsonl.gz flat lines", "trees", "people.jsonl.gz", packed(b'{"a":"x","b":"1"}\n'))
    yield from both("jsonl many numbers", "trees", "people.jsonl", b'{"a":[' + b"1," * (12 * MIB) + b'1],"b":"1"}\n')
    yield from both("jsonl many lists", "trees", "people.jsonl", b'{"a":[' + b"[]," * (8 * MIB) + b'[]],"b":"1"}\n')
    yield from both("jsonl deep", "trees", "people.jsonl", b'{"a":' + b"[" * MIB + b"]" * MIB + b',"b":"1"}\n')
    names = b",".join(b'"k%d":1' % i for i in range(1_000_000))
    yield from both("jsonl a million names", "trees", "people.jsonl", b'{"a":"x","b":"1",' + names + b"}\n")
    yield from both("jsonl long number", "trees", "people.jsonl", b'{"a":"x","b":' + b"9" * 4 * MIB + b"}\n")
    yield from both("jsonl long fraction", "trees", "people.jsonl", b'{"a":"x","b":0.' + b"9" * 4 * MIB + b"}\n")
    yield from both("jsonl high power", "trees", "people.jsonl", b'{"a":"x","b":1e999999999}\n')
    yield from one("json.gz text", "trees", "people.json.gz", packed(b"x", b'[{"a":"'))
    yield from one("json.gz brackets", "trees", "people.json.gz", packed(b"[", b'[{"a":'))
    yield from one("json brackets", "trees", "people.json", b"[" * (16 * MIB))


def xml_bombs() -> Iterator[Bomb]:
    more = 'record = "r"'
    laughs = "".join(f'<!ENTITY l{i} "{f"&l{i - 1};" * 10}">' for i in range(1, 10))
    for name, content in (
        ("xml.gz records", packed(b"<r><a>x</a><b>1</b></r>", b"<all>")),
        ("xml.gz one text", packed(b"x", b"<all><r><a>")),
        ("xml.gz one record of empty elements", packed(b"<a/>", b"<all><r>")),
        ("xml.gz open tags", packed(b"<r>", b"<all>")),
    ):
        yield from one(name, "trees", "people.xml.gz", content, more)
    for name, content in (
        ("laughs", f'<!DOCTYPE all [<!ENTITY l0 "lol">{laughs}]><all><r><a>&l9;</a></r></all>'.encode()),
        ("deep", b"<all><r>" + b"<z>" * MIB),
        ("tag without end", b"<all><r><a " + b"x" * (32 * MIB)),
        ("comment without end", b"<all><!--" + b"x" * (32 * MIB)),
    ):
        yield from one(f"xml {name}", "trees", "people.xml", content, more)


# ---- Parquet -----------------------------------------------------------------------------------------------------------------


def parquet_bombs() -> Iterator[Bomb]:
    whole = {"max_rows_per_page": 1 << 30}  # as pyarrow wrote before its version 22
    rows = constant(10_000_000, a="x", b="1")
    yield from both("parquet of 300 million rows", "table", "people.parquet", parquet(rows, 30, **whole))
    yield from one("parquet of pages of 20,000 rows", "table", "people.parquet", parquet(rows, 3))
    long = constant(100_000, a="x" * MIB, b="1")
    yield from both("parquet of long texts", "table", "people.parquet", parquet(long))
    noise = np.random.default_rng(0).integers(33, 126, MIB, np.uint8).tobytes().decode()
    yield from both("parquet of one noisy text", "table", "people.parquet", parquet(constant(100_000, a=noise, b="1")))
    plain = pa.table({"a": pa.array(["x" * MIB] * 200, pa.large_string()), "b": ["1"] * 200})
    yield from both("parquet of plain texts", "table", "people.parquet", parquet(plain, use_dictionary=False))
    offsets = pa.array([0, 40_000_000], pa.int32())
    items = pa.ListArray.from_arrays(offsets, constant(40_000_000, a="1")["a"].chunk(0))
    yield from both("parquet of one long list", "sets", "people.parquet", parquet(pa.table({"items": items}), **whole))
    nodes = pa.StructArray.from_arrays([pa.nulls(40_000_000, pa.string())], ["value"])
    trees = pa.table({"a": pa.ListArray.from_arrays(offsets, nodes), "b": ["1"]})
    yield from both("parquet of one large tree", "trees", "people.parquet", parquet(trees, **whole))
    wide = pa.table({f"c{i}": pa.array([1], pa.int8()) for i in range(20_000)})
    yield from both("parquet of 20,000 columns", "table", "people.parquet", parquet(wide, write_statistics=False))
    yield from both("parquet with a long footer", "table", "people.parquet", _footer)
    yield from both("parquet of many files", "table", "people", _folder)
    deep: pa.DataType = pa.string()
    for _ in range(200):
        deep = pa.struct([("a", deep)])
    yield from both("parquet deep", "trees", "people.parquet", parquet(pa.table({"a": pa.nulls(1, deep), "b": ["1"]})))


def _footer(path: Path) -> None:
    content = parquet(constant(10, a="x", b="1"))
    with path.open("wb") as file:
        file.write(content[:-8] + bytes(64 * MIB) + (64 * MIB).to_bytes(4, "little") + b"PAR1")


def _folder(path: Path) -> None:
    path.mkdir()
    content = parquet(constant(10_000_000, a="x", b="1"), max_rows_per_page=1 << 30)
    for number in range(30):
        (path / f"part-{number}.parquet").write_bytes(content)


# ---- what goes with data: recipes, hierarchies, mappings, reports -------------------------------------------------------------


def recipe_bombs() -> Iterator[Bomb]:
    people = b"a,b\nx,1\nx,1\n"
    columns = "".join(f"c{i} = {{ role = 'quasi' }}\n" for i in range(60_000))
    short = ".".join(["a"] * 90)
    for name, text in (
        ("a name of 100,000 parts", ".".join(["a"] * 100_000) + " = 1\n"),
        ("a table of 100,000 parts", "[" + ".".join(["a"] * 100_000) + "]\n"),
        ("many dotted names", "".join(f"k{i}.{short} = 1\n" for i in range(10_000))),
        ("deep lists", "x = " + "[" * 100_000 + "]" * 100_000 + "\n"),
        ("deep tables", "x = " + "{a=" * 20_000 + "1" + "}" * 20_000 + "\n"),
        ("a long number", "shoal = " + "9" * 100_000 + "\n"),
        ("a long text", 'x = "' + "a" * (100 * MIB) + '"\n'),
        ("300,000 names", "".join(f"k{i} = 1\n" for i in range(300_000))),
        ("100,000 names", "".join(f"k{i} = 1\n" for i in range(100_000))),
        ("60,000 columns", TABLE.format(file="people.csv", more="", hierarchy="").replace("b =", columns + "b =")),
    ):
        files: dict[str, Content] = {"people.csv": people, "recipe.toml": text.encode()}
        yield Bomb(f"run recipe with {name}", files, ("run", "recipe.toml"))
    yield Bomb(f"verify recipe with {name}", files, ("verify", "people.csv", "--recipe", "recipe.toml"))
    mapping = b"[resource." + b"a." * 100_000 + b"a]\n"
    recipe = TREES.format(file="people.ndjson", more='mapping = "mapping.toml"', hierarchy="").encode()
    files = {"people.ndjson": b'{"resourceType":"Patient"}\n', "recipe.toml": recipe, "mapping.toml": mapping}
    yield Bomb("run mapping with a name of 100,000 parts", files, ("run", "recipe.toml"))


def hierarchy_bombs() -> Iterator[Bomb]:
    contents = {
        "rows": packed(b"a;b;*\n"),
        "one cell": packed(b"a"),
        "zeros": packed(b"\0"),
        "brackets": packed(b"[", b'{"level1":'),
        "Amnesia words": packed(b" has", b"distinct\n\n"),
    }
    for name, content in contents.items():
        yield Bomb(f"hierarchy check {name}", {"h.csv": content}, ("hierarchy", "check", "h.csv"), (1,))
    name, content = next(iter(contents.items()))
    convert = ("hierarchy", "convert", "h.csv", "out.csv", "--to", "anjana")
    yield Bomb(f"hierarchy convert {name}", {"h.csv": content}, convert)
    recipe = TABLE.format(file="people.csv", more="", hierarchy=', hierarchy = "h.csv"').encode()
    files: dict[str, Content] = {"people.csv": b"a,b\nx,1\nx,1\n", "recipe.toml": recipe, "h.csv": content}
    yield Bomb(f"run hierarchy {name}", files, ("run", "recipe.toml"))
    yield Bomb(f"verify hierarchy {name}", files, ("verify", "people.csv", "--recipe", "recipe.toml"))


def other_bombs() -> Iterator[Bomb]:
    rows = packed(b"x,1\n", b"a,b\n")
    yield Bomb("init csv.gz", {"people.csv.gz": rows}, ("init", "people.csv.gz"))
    recipe = TABLE.format(file="people.csv.gz", more="", hierarchy="").encode()
    yield Bomb(
        "risk csv.gz",
        {"people.csv.gz": rows, "recipe.toml": recipe},
        ("risk", "people.csv.gz", "--recipe", "recipe.toml"),
    )
    equal = parquet(constant(10_000_000, a="x", b="1"), 3)
    yield Bomb("init parquet", {"people.parquet": equal}, ("init", "people.parquet"))
    risk = ("risk", "people.parquet", "--recipe", "recipe.toml")
    yield Bomb("risk parquet", {"people.parquet": equal, "recipe.toml": recipe}, risk)
    original = ("verify", "people.csv", "--recipe", "recipe.toml", "--original", "original.csv.gz")
    files: dict[str, Content] = {"people.csv": b"a,b\nx,1\nx,1\n", "original.csv.gz": rows, "recipe.toml": recipe}
    yield Bomb("verify original csv.gz", files, original)
    for name, content in (
        ("deep", b'{"format":' + b"[" * MIB),
        ("numbers", b"[" + b"1," * (8 * MIB) + b"1]"),
        ("long", b'"' + b"x" * (100 * MIB) + b'"'),
    ):
        yield Bomb(f"report {name}", {"people.report.json": content}, ("report", "."))


def bombs() -> Iterator[Bomb]:
    """One after the other: together they take a gigabyte here, too."""
    kinds = (csv_bombs, fimi_bombs, json_bombs, xml_bombs, parquet_bombs, recipe_bombs, hierarchy_bombs, other_bombs)
    for kind in kinds:
        yield from kind()

"""Releases of trees: what is read, what is refused, and what the verdict says."""

from __future__ import annotations

import gzip
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from oracles.published_trees import HIERARCHIES, Record, TreeCase, as_lines, closed, node_type
from samples.verify_releases import figures
from shoal.data.schema import Column, Role, Schema
from shoal.data.trees import TreeShape
from shoal.errors import DataError, InternalError, RecipeError
from shoal.guarantees import KAnonymity, KMNAnonymity, KMNDiversity
from shoal.verifier import Terms, verify_release
from shoal.verifier.audit import audit
from shoal.verifier.sql.duckdb import connection
from shoal.verifier.trees import promises
from shoal.verifier.trees.counting import Rows
from shoal.verifier.trees.facts import facts_of
from shoal.verifier.trees.judging import Bound
from shoal.verifier.trees.reading import read_trees

ULM = closed([(("place", "Ulm"), ("illness", "flu"), ("cure", "tea")), (("sex", "f"),)])
BONN = closed([(("place", "Bonn"), ("cure", "tea")), (("illness", "flu"),)])
CASE = TreeCase((Record(ULM, "a"), Record(BONN, "b"), Record(ULM, "b"), Record(BONN, None), Record(frozenset(), "a")))
TWO = KMNAnonymity(2, 3, 2)


def written(folder: Path, name: str) -> Any:
    """The case in each of its forms."""
    path = folder / name
    if name == "arrow":
        return CASE.arrow()
    if name == "large":
        return as_large(CASE.arrow())
    if name == "folder":
        path.mkdir()
        pq.write_table(CASE.arrow().slice(0, 2), path / "part-0.parquet", store_schema=False)
        pq.write_table(CASE.arrow().slice(2), path / "part-1.parquet", store_schema=False)
    elif name.endswith(".parquet"):
        pq.write_table(CASE.arrow(), path, store_schema=False)
    elif name.endswith(".gz"):
        path.write_bytes(gzip.compress(CASE.lines().encode()))
    else:
        path.write_text(CASE.lines())
    return path


def as_large(table: pa.Table) -> pa.Table:
    """The same with the other list and text types, some of them dictionaries."""

    def larger(kind: pa.DataType) -> pa.DataType:
        if pa.types.is_list(kind):
            return pa.large_list(larger(kind.value_type))
        if pa.types.is_struct(kind):
            return pa.struct([(field.name, larger(field.type)) for field in kind])
        return pa.large_string()

    return table.cast(pa.schema([(field.name, larger(field.type)) for field in table.schema]))


FORMS = ("arrow", "large", "a.parquet", "folder", "a.jsonl", "a.jsonl.gz")


@pytest.mark.parametrize("form", FORMS)
def test_all_forms_are_read_alike(form: str, tmp_path: Path) -> None:
    trees = read_trees("release", written(tmp_path, form), CASE.schema.shape, ("ill",))
    facts = facts_of(trees)
    assert trees.records == 5
    assert trees.others.column("ill").to_pylist() == ["a", "b", "b", None, "a"]
    assert not trees.marks and not trees.disordered
    assert facts.tree.tolist() == [0, 1, 0, 1, 2]
    names = trees.shape.names
    for i, tree in enumerate((ULM, BONN, frozenset())):
        held = facts.held[facts.offsets[i] : facts.offsets[i + 1]].tolist()
        paths = (facts.paths.labels(number) for number in held)
        assert {tuple((names[trees.labels[x][0]], trees.labels[x][1]) for x in path) for path in paths} == tree


def test_a_verdict_and_its_figures() -> None:
    verdict = verify_release(CASE.arrow(), CASE.terms(TWO), records_in=5)
    assert verdict.passed, verdict
    assert [check.name for check in verdict.checks] == [
        "columns",
        "columns published as they are",
        "each node once",
        "one form",
        TWO.technical(),
        "suppression",
    ]
    assert figures(verdict) == {
        "different_trees": 3,
        "empty_trees": 1,
        "nodes": 14,
        "labels": 5,
        "fewest_holders": 2,
        "records_in": 5,
        "suppressed": 0,
    }
    assert (verdict.records, verdict.classes, verdict.smallest_class) == (5, 3, 2)
    kept = next(check for check in verdict.checks if check.name == TWO.technical())
    assert "is held by 2 records or more; 2 are promised." in kept.detail


def test_a_witness() -> None:
    verdict = verify_release(CASE.arrow(), CASE.terms(KMNAnonymity(3, 2, 1)))
    (check,) = (check for check in verdict.checks if not check.passed)
    assert check.detail.startswith(
        "3 break the promise, of 5 combinations of 1 value. Larger ones were not counted. The worst: "
    )
    assert {witness.values for witness in verdict.witnesses} == {
        (("place", "Ulm"),),
        (("place", "Bonn"),),
        (("sex", "f"),),
    }
    assert all(witness.reason == "These values: 2 records fit; 3 are promised." for witness in verdict.witnesses)
    (ulm,) = (witness for witness in verdict.witnesses if witness.values == (("place", "Ulm"),))
    assert (ulm.size, ulm.rows, ulm.drawn) == (2, (1, 3), ("(someone)", "└─ place = Ulm"))
    assert verdict.to_json()["witnesses"][0]["drawn"]


def test_fewer_than_k_records() -> None:
    few = TreeCase((Record(frozenset(), "a"),))
    verdict = verify_release(few.arrow(), few.terms(TWO))
    assert verdict.witnesses[0].reason == "All records: 1 record fits; 2 are promised."
    assert verdict.witnesses[0].drawn == ("(someone)",)
    none = TreeCase(())
    verdict = verify_release(none.arrow(), none.terms(TWO, KMNDiversity(2, 2, 1, 2, "ill")))
    assert verdict.passed
    assert any("no records" in warning for warning in verdict.warnings)


def test_reasons_of_diversity() -> None:
    same = TreeCase((Record(ULM, "a"),) * 2 + (Record(BONN, "b"), Record(BONN, "c")))
    asked = (KMNDiversity(2, 1, 0, 2, "ill"), KMNDiversity(2, 1, 0, 2, "ill", "frequency"))
    verdict = verify_release(same.arrow(), same.terms(*asked))
    told = {witness.guarantee: witness.reason for witness in verdict.witnesses}
    assert told[asked[0].technical()] == "These values: the 2 records that fit have 1 value of 'ill'; 2 are promised."
    assert told[asked[1].technical()] == (
        "These values: 2 of the 2 records that fit may have one value of 'ill'; one in 2 is promised."
    )


# ---- what is refused ---------------------------------------------------------------------------------------------------


def changed(column: str, kind: pa.DataType, values: list[Any]) -> pa.Table:
    table = CASE.arrow()
    return table.set_column(table.schema.get_field_index(column), column, pa.array(values, kind))


SHAPE = CASE.schema.shape
DOSE = node_type(SHAPE, "dose")


@pytest.mark.parametrize(
    ("kind", "values", "message"),
    [
        (DOSE, [None, [], [], [], []], "class 'dose': 1 list missing"),
        (DOSE, [[None], [], [], [], []], "class 'dose': 1 node missing"),
        (DOSE, [[{"value": None}], [], [], [], []], "class 'dose': 1 value missing"),
        (DOSE, [[{"value": ""}], [], [], [], []], "class 'dose' has a value that is an empty text"),
        (pa.string(), ["x"] * 5, "'dose' is not a list of nodes"),
        (pa.list_(pa.string()), [["x"]] * 5, "'dose' is not a list of nodes"),
        (pa.list_(pa.struct([("value", pa.int64())])), [[]] * 5, "'dose.value' has the type int64"),
        (
            pa.list_(pa.struct([("value", pa.string()), ("place", DOSE)])),
            [[]] * 5,
            "a node of 'dose' has 'place'; its fields must be 'value'",
        ),
        (pa.list_(pa.struct([("worth", pa.string())])), [[]] * 5, "a node of 'dose' lacks 'value' and has 'worth'"),
    ],
)
def test_other_forms_are_refused(kind: pa.DataType, values: list[Any], message: str) -> None:
    with pytest.raises(DataError, match=message):
        verify_release(changed("dose", kind, values), CASE.terms(TWO))


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("[]", "line 2 is not a JSON object"),
        ("", "line 2 is not one JSON object"),
        ('{"ill": "a"} {}', "line 2 is not one JSON object"),
        ('{"ill": "a", "ill": "b"}', "line 2 is not one JSON object"),
        ('{"ill": NaN}', "line 2 is not one JSON object"),
        ('{"ill": 1e999}', "line 2: 'ill' is not a single value"),
        ('{"ill": ["a"]}', "line 2: 'ill' is not a single value"),
        ('{"place": {"value": "x"}}', "line 2: 'place' is not a list of nodes"),
        ('{"place": null}', "line 2: 'place' is not a list of nodes"),
        ('{"place": ["x"]}', "line 2: 'place' holds what is not a node"),
        ('{"place": [{"value": "x", "sex": []}]}', "line 2: 'place' holds what is not a node"),
        ('{"illness": [{"value": "x", "place": [{"value": "y"}]}]}', "line 2: 'illness' holds what is not a node"),
        ('{"place": [{"value": 3}]}', "line 2: 'place' has a node whose value is missing or no text"),
        ('{"place": [{"value": ""}]}', "line 2: 'place' has a node whose value is missing or no text"),
        ('{"place": [{}]}', "line 2: 'place' has a node whose value is missing or no text"),
        ('{"place": [{"value": "\\ud800"}]}', "line 2: 'place' has a value that is no Unicode text"),
        ("[" * 100_000, "line 2 is not one JSON object"),
    ],
)
def test_lines_that_are_refused(line: str, message: str, tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    path.write_text(f'{{"ill": "a"}}\n{line}\n{{"ill": "a"}}\n')
    with pytest.raises(DataError, match=message) as refused:
        verify_release(path, CASE.terms(TWO))
    assert "ud800" not in str(refused.value)


def test_bytes_that_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    path.write_bytes(b'{"ill": "\xff"}\n')
    with pytest.raises(DataError, match=r"a\.jsonl: not a file of JSON lines in UTF-8"):
        verify_release(path, CASE.terms(TWO))
    path.write_bytes(gzip.compress(CASE.lines().encode())[:-9])
    with pytest.raises(DataError, match=r"a\.jsonl: not a file of JSON lines|cannot be read"):
        verify_release(path, CASE.terms(TWO))


def test_equal_siblings_fail(tmp_path: Path) -> None:
    for nodes in (
        [{"value": "x"}, {"value": "x"}],
        [{"value": "x", "illness": [{"value": "y"}]}, {"value": "x", "illness": [{"value": "z"}]}],
    ):
        path = tmp_path / "twice.jsonl"
        path.write_text(as_lines([{"ill": "a", "place": nodes}]) * 2)
        verdict = verify_release(path, CASE.terms(TWO))
        (check,) = (check for check in verdict.checks if not check.passed)
        assert (check.name, check.detail) == ("each node once", "2 nodes beside an equal one below the same node.")


def test_columns() -> None:
    table = CASE.arrow()
    verdict = verify_release(table.drop_columns(["dose"]), CASE.terms(TWO))
    assert [check.passed for check in verdict.checks] == [False, False]
    assert "Column 'dose' is missing." in verdict.checks[0].detail
    verdict = verify_release(table.append_column("id", pa.array(range(5))), CASE.terms(TWO))
    (check,) = (check for check in verdict.checks if not check.passed)
    assert check.detail.startswith("Column 'id' is not in the recipe, so nothing is promised about it.")
    named = Terms(Schema((*CASE.schema.columns, Column("id", Role.IDENTIFYING))), (TWO,))
    verdict = verify_release(table.append_column("id", pa.array(range(5))), named)
    assert "Column 'id' is published, but it has the role 'identifying'." in verdict.checks[0].detail


def test_labels_of_hierarchies() -> None:
    trees = [closed([(("place", value),)]) for value in ("place0", "placea")]
    case = TreeCase(tuple(Record(tree, "a") for tree in trees for _ in range(2)))
    verdict = verify_release(case.arrow(), case.terms(TWO, hierarchies=HIERARCHIES))
    assert verdict.passed
    said = [check.detail for check in verdict.checks if check.name == "labels"]
    assert "All 2 labels of class 'place' are of its hierarchy." in said
    assert "Class 'sex' has no labels: nothing of it is published." in said
    assert any("Class 'place' has 1 label for which another published label stands" in w for w in verdict.warnings)
    single = TreeCase((Record(trees[0], "a"),) * 2)
    verdict = verify_release(single.arrow(), single.terms(TWO, hierarchies=HIERARCHIES))
    assert "The 1 label of class 'place' is of its hierarchy." in [check.detail for check in verdict.checks]
    unknown = TreeCase((Record(closed([(("place", "Rome"),)]), "a"),) * 2)
    verdict = verify_release(unknown.arrow(), unknown.terms(TWO, hierarchies=HIERARCHIES))
    (check,) = (check for check in verdict.checks if not check.passed)
    assert check.detail == "Class 'place' has 1 label that the hierarchy does not know."


def test_terms_and_odd_promises() -> None:
    with pytest.raises(RecipeError, match="promise about rows of single values, and the columns are trees"):
        CASE.terms(KAnonymity(2))
    for wrong in ({"k": 1}, {"m": 0}, {"n": -1}, {"mode": "loose"}):
        promise = KMNAnonymity(2, 2, 1)
        for key, value in wrong.items():
            object.__setattr__(promise, key, value)
        with pytest.raises(InternalError, match="cannot be verified"):
            verify_release(CASE.arrow(), CASE.terms(promise))
    named = Schema((Column("place", Role.QUASI, "node"), Column("value", Role.QUASI, "node", parent="place")))
    with pytest.raises(DataError, match="A class cannot be named 'value'"):
        verify_release(CASE.arrow(), Terms(named, (TWO,)))


def test_every_quasi_column_is_a_class() -> None:
    """A column that could be known to others and that no promise counts is not let through."""
    node, value = Column("place", Role.QUASI, "node"), Column("age", Role.QUASI)
    with pytest.raises(RecipeError, match="beside classes of nodes every column with the role 'quasi' must be one"):
        Terms(Schema((node, value)), (TWO,))
    with pytest.raises(RecipeError, match="a column of kind \"node\" must have the role 'quasi'"):
        Terms(Schema((node, Column("dose", Role.PLAIN, "node"))), (TWO,))


def test_the_order_of_siblings_is_a_mark(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    for first, second, passed in (("x", "y", True), ("y", "x", False)):
        nodes = [{"value": first, "illness": [{"value": "z"}, {"value": "zz"}]}, {"value": second}]
        path.write_text(as_lines([{"ill": "a", "place": nodes}]) * 2)
        verdict = verify_release(path, CASE.terms(TWO))
        assert verdict.passed == passed
        told = next(check.detail for check in verdict.checks if check.name == "one form")
        assert ("2 nodes not in the order of their texts" in told) == (not passed)


# ---- what is too much --------------------------------------------------------------------------------------------------


def test_too_many_combinations_do_not_pass() -> None:
    trees = read_trees("release", CASE.arrow(), SHAPE, ())
    rows = Rows.of(facts_of(trees))
    found = promises.decide(TWO, Bound(2), trees, rows, lambda _: None, most=5)
    assert not found.check.passed
    assert found.check.detail == (
        "Could not be decided, and so does not pass. The published trees hold 7 combinations of 1 value; up to 5 are counted. "
        "Promise a smaller m, or publish smaller trees."
    )


def test_combinations_that_do_not_fit_in_a_number_do_not_pass() -> None:
    """8 labels of 3 bits each, and 6 pairs: 30 bits; of 2^13 labels it would be 58, and of 5 of them too many."""
    shape = TreeShape.of({"one": None})
    many = 1 << 13
    kind = pa.list_(pa.struct([("value", pa.string())]))
    lists = [sorted(f"{(5 * i + j) % many}" for j in range(5)) for i in range(many // 5 + 1)] * 2
    schema = Schema((Column("one", Role.QUASI, "node"),))
    table = pa.table({"one": pa.array([[{"value": value} for value in values] for values in lists], kind)})
    assert read_trees("release", table, shape, ()).records == len(lists)
    verdict = verify_release(table, Terms(schema, (KMNAnonymity(2, 5, 1),)))
    (check,) = (check for check in verdict.checks if not check.passed)
    assert "of 8,192 different ones; they do not fit in 63 bits." in check.detail
    assert verify_release(table, Terms(schema, (KMNAnonymity(2, 4, 1),))).passed


def test_it_tells_how_far_it_is_and_can_be_stopped() -> None:
    told: list[float | None] = []
    verify_release(CASE.arrow(), CASE.terms(TWO), watch=told.append)
    shares = [share for share in told if share is not None]
    assert shares == sorted(shares) and shares[0] >= 0.0 and shares[-1] <= 1.0

    class EnoughError(Exception):
        pass

    def stop(share: float | None) -> None:
        if share is not None and share >= 0.2:
            raise EnoughError

    with connection() as con, pytest.raises(EnoughError):
        audit(con, CASE.arrow(), CASE.terms(TWO), watch=stop)


def test_many_records_of_one_tree_are_counted_once() -> None:
    case = TreeCase((Record(ULM, "a"),) * 300)
    trees = read_trees("release", case.arrow(), SHAPE, ())
    rows = Rows.of(facts_of(trees))
    assert rows.combinations(2) == (6, 1800)
    assert np.array_equal(rows.records, [300])

"""people: the records one by one, with what names each; or nothing, where single records are not handed out."""

from __future__ import annotations

from contract.conftest import TABLE


def test_records_come_in_the_order_of_the_source_with_what_names_them(loaded):
    people = loaded.people(["age", "city", "ill"], "weight")
    if people is None:  # of Spark: what comes back to the caller never grows with the records
        assert loaded.name == "spark"
        return
    assert people.names.to_pylist() == ["1.5", "2", "1.5", "0", "0", None, None, "2"]
    for name, values in people.columns.items():
        assert values.to_pylist() == TABLE.column(name).to_pylist()


def test_without_a_column_nobody_has_a_name(loaded):
    people = loaded.people(["age"])
    assert people is None or (people.names is None and list(people.columns) == ["age"])

"""XML as nested records: elements, attributes and lists; what is made to break a parser is refused."""

from __future__ import annotations

import gzip
import time

import pytest

from shoal.data.schema import Column, Role, Schema
from shoal.errors import DataError, RecipeError
from shoal.io.reading import TreeReading
from shoal.io.source import open_source
from shoal.io.trees.opening import open_nested

XML = """<?xml version="1.0" encoding="UTF-8"?>
<export xmlns="urn:x" made="today">
 <note>not a record</note>
 <person id="7" xmlns:y="urn:y">
  <sex> F </sex>
  <visits>
   <visit day="mon"><type>ward</type><code system="icd">A&amp;1</code><code>B</code></visit>
   <visit day="tue"><type/></visit>
  </visits>
 </person>
 <person id="8"><visits><visit day="wed"><code>C</code></visit></visits></person>
 <person/>
</export>
"""


def node(name, path, parent=None):
    return Column(name, Role.QUASI, "node", (), path, parent)


SCHEMA = Schema(
    (
        node("sex", "sex"),
        node("day", "visits.visit[].@day"),
        node("code", "visits.visit[].code[].#text", "day"),
        node("type", "visits.visit[].type", "day"),
        Column("id", Role.IDENTIFYING, path="@id"),
        Column("system", Role.IDENTIFYING, path="visits.visit[].code[].@system"),
    )
)
EXPECTED = [
    {
        "sex": "F",
        "visits": {
            "visit": [
                {"@day": "mon", "code": [{"#text": "A&1"}, {"#text": "B"}], "type": "ward"},
                {"@day": "tue", "code": [], "type": ""},
            ]
        },
    },
    {"sex": None, "visits": {"visit": [{"@day": "wed", "code": [{"#text": "C"}], "type": None}]}},
    {"sex": None, "visits": {"visit": []}},
]


def records(source):
    return [record for batch in source.batches() for record in batch.to_pylist()]


@pytest.mark.parametrize("name", ["a.xml", "a.xml.gz"])
def test_records(name, tmp_path):
    path = tmp_path / name
    path.write_bytes(gzip.compress(XML.encode()) if name.endswith("gz") else XML.encode())
    assert records(open_source(path, TreeReading(schema=SCHEMA, record="person"))) == EXPECTED
    (tmp_path / "folder").mkdir()
    path.rename(tmp_path / "folder" / name)
    assert records(open_source(tmp_path / "folder", TreeReading(schema=SCHEMA, record="person"))) == EXPECTED


def test_all_there_is(tmp_path):
    path = tmp_path / "a.xml"
    path.write_text(XML)
    opened = open_nested(path, TreeReading(record="person"))
    assert {str(leaf) for leaf in opened.leaves} == {
        "@id", "sex", "visits.visit[].@day", "visits.visit[].type", "visits.visit[].code[].@system",
        "visits.visit[].code[].#text",
    }  # fmt: skip


def test_every_value_is_spoken_of(tmp_path):
    path = tmp_path / "a.xml"
    path.write_text(XML)
    with pytest.raises(RecipeError, match=r"1 path is without a role: @id"):
        open_source(path, TreeReading(schema=Schema(tuple(c for c in SCHEMA if c.name != "id")), record="person"))
    single = Schema(tuple(node("day", "visits.visit.@day") if c.name == "day" else c for c in SCHEMA.columns[:2]))
    with pytest.raises(DataError, match=r"line 4: at visits\.visit is a list"):
        open_source(path, TreeReading(schema=single, record="person"))


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ('<!DOCTYPE a [<!ENTITY x "Zebedee">]><a><p>&x;</p></a>', "line 1: a document type"),
        ('<!DOCTYPE a SYSTEM "http://example.org/x.dtd"><a><p>1</p></a>', "line 1: a document type"),
        ("<a>\n<p>&Zebedee;</p></a>", "line 2: no XML here: undefined entity"),
        ("<a>\n<p>Zebedee</a>", "line 2: no XML here: mismatched tag"),
        ("<a><p>Zebedee</p>", "no XML here"),
        ("Zebedee", "no XML here"),
        ("<p>" * 200 + "</p>" * 200, "nested too deep"),
        ("<a><q>Zebedee</q></a>", "there is no element <p>"),
        ("<a><p>\x01</p></a>", "no XML here"),
    ],
)
def test_refused(text, told, tmp_path):
    path = tmp_path / "a.xml"
    path.write_text(text)
    with pytest.raises(DataError, match=told) as found:
        open_source(path, TreeReading(schema=SCHEMA, record="p"))
    assert "Zebedee" not in str(found.value)


def test_the_record_must_be_named(tmp_path):
    path = tmp_path / "a.xml"
    path.write_text(XML)
    with pytest.raises(RecipeError, match=r"input\.record: must be given for XML"):
        open_source(path, TreeReading(schema=SCHEMA))


def test_a_large_record(tmp_path, monkeypatch):
    monkeypatch.setattr("shoal.io.trees.xml_records.MAX_LINE", 10)
    path = tmp_path / "a.xml"
    path.write_text("<a><p>12345</p><p>" + "x" * 11 + "</p></a>")
    with pytest.raises(DataError, match="a record of more than 10"):
        open_source(path, TreeReading(schema=SCHEMA, record="p"))


@pytest.mark.parametrize("encoding", ["utf-7", "shift_jis", "idna", "rot13", "hex", "cp037", "Zebedee"])
def test_encodings_that_are_not_read(encoding, tmp_path):
    path = tmp_path / "a.xml"
    path.write_text(f'<?xml version="1.0" encoding="{encoding}"?><a><p>1</p></a>')
    with pytest.raises(DataError, match="line 1: the declaration names an encoding that is not read") as found:
        open_source(path, TreeReading(schema=SCHEMA, record="p"))
    assert "Zebedee" not in str(found.value)


@pytest.mark.parametrize("encoding", ["utf-8", "ISO-8859-1", "us-ascii"])
def test_encodings_that_are_read(encoding, tmp_path):
    path = tmp_path / "a.xml"
    path.write_bytes(XML.replace("UTF-8", encoding).replace("ward", "w").encode(encoding))
    assert (
        records(open_source(path, TreeReading(schema=SCHEMA, record="person")))[0]["visits"]["visit"][0]["type"] == "w"
    )


@pytest.mark.parametrize("begin", ["<!--", '<a><p a="', "<a><p><?x "])
def test_what_does_not_end(begin, tmp_path):
    path = tmp_path / "a.xml"
    path.write_bytes(begin.encode() + b"x" * (80 << 20))
    started = time.process_time()
    with pytest.raises(DataError, match=r"line 1: a tag, a comment or the like of more than 16,777,216 bytes"):
        open_source(path, TreeReading(schema=SCHEMA, record="p"))
    assert time.process_time() - started < 5


def test_many_small_records_are_no_long_token(tmp_path, monkeypatch):
    monkeypatch.setattr("shoal.io.trees.xml_records.MAX_LINE", 300)  # two elements, and a letter
    monkeypatch.setattr("shoal.io.trees.xml_records._MAX_TOKEN", 100)
    monkeypatch.setattr("shoal.io.trees.xml_records._BLOCK", 64)
    path = tmp_path / "a.xml"
    path.write_text("<a>" + "<p><sex>f</sex></p>\n" * 1000 + "x" * 1000 + "</a>")
    schema = Schema((node("sex", "sex"),))
    assert len(records(open_source(path, TreeReading(schema=schema, record="p")))) == 1000


def test_elements_without_text_count_too(tmp_path):
    """Each takes memory: a few hundred kilobytes of gzip would hold more than fits."""
    path = tmp_path / "a.xml"
    path.write_text("<a><p>" + "<sex/>" * 600_000 + "</p></a>")
    with pytest.raises(DataError, match="a record of more than"):
        open_source(path, TreeReading(schema=Schema((node("sex", "sex"),)), record="p"))

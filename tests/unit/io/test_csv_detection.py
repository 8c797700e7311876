"""What `shoal init` states of a CSV file: the one way in which all of it can be read, or a refusal that names the option."""

import gzip

import pytest

from shoal.errors import DataError
from shoal.io.csv import read_csv
from shoal.io.csv_detection import Detected, detect, detect_all

ROWS = "name;größe;ort\nMüller;174,2;Köln\nStraße;1,5;Bonn\n"


def detected(tmp_path, data, name="a.csv", **known):
    path = tmp_path / name
    path.write_bytes(data if isinstance(data, bytes) else data.encode())
    return detect(path, **known)


@pytest.mark.parametrize(
    ("data", "expected"),
    [
        ("a,b\n1,2\n", {}),
        ("a\n1\n", {}),
        (ROWS, {"delimiter": ";"}),
        (ROWS.encode("cp1252"), {"delimiter": ";", "encoding": "windows-1252"}),
        (ROWS.encode("utf-16"), {"delimiter": ";", "encoding": "utf-16"}),
        (ROWS.encode("utf-8-sig"), {"delimiter": ";"}),
        ("a\tb\n1,5\t2\n", {"delimiter": "\t"}),
        ("a|b\n1|2\n", {"delimiter": "|"}),
        ('a;b\n1;"x\ny"\n', {"delimiter": ";", "multiline": True}),
        ("'a';'b'\n'1;2';'it''s'\n", {"delimiter": ";", "quote": "'"}),
        ("a;b\n1;'x;y'\n", {"delimiter": ";", "quote": "'"}),
        ("a;b;;\n1;2;;\n", {"delimiter": ";"}),
    ],
)
def test_the_one_way_to_read_it_is_stated(tmp_path, data, expected):
    found = detected(tmp_path, data)
    assert found.section() == expected
    section = {"encoding": found.encoding, "quote": found.quote, "multiline": found.multiline}
    assert read_csv(tmp_path / "a.csv", delimiter=found.delimiter, **section).num_rows


def test_tabs_of_tsv_need_not_be_said(tmp_path):
    assert detected(tmp_path, "a\tb\n1\t2\n", "a.tsv") == Detected()
    assert detected(tmp_path, gzip.compress(b"a;b\n1;2\n"), "b.csv.gz") == Detected(delimiter=";")


def test_two_ways_are_refused_with_the_option(tmp_path):
    with pytest.raises(DataError, match="--delimiter"):
        detected(tmp_path, "a,b;c,d\n1,2;3,4\n")
    assert detected(tmp_path, "a,b;c,d\n1,2;3,4\n", delimiter=";").section() == {"delimiter": ";"}


def test_an_unknown_encoding_is_refused_with_the_option(tmp_path):
    data = "имя;город\nИван;Москва\n".encode("cp1251")
    with pytest.raises(DataError, match="--encoding"):
        detected(tmp_path, data)


def test_a_fault_is_left_to_the_reader_that_names_its_line(tmp_path):
    found = detected(tmp_path, 'a;b\n1;2\n3\n4;"5\n')
    assert found.delimiter == ";"
    with pytest.raises(DataError, match="line 3"):
        read_csv(tmp_path / "a.csv", delimiter=found.delimiter, multiline=found.multiline)


def test_a_run_names_the_key_for_the_encoding_that_the_bytes_tell(tmp_path):
    path = tmp_path / "a.csv"
    path.write_bytes(ROWS.encode("cp1252"))
    with pytest.raises(DataError, match=r'line 1: not UTF-8.*`\[input\] encoding = "windows-1252"`'):
        read_csv(path, delimiter=";")
    path.write_bytes(ROWS.encode("utf-16"))
    with pytest.raises(DataError, match=r'`\[input\] encoding = "utf-16"`'):
        read_csv(path, delimiter=";")
    path.write_bytes(b"a;b\n1;2\n" + "х;Москва\n".encode("cp1251"))
    with pytest.raises(DataError, match=r"line 3: not UTF-8.*save it as UTF-8"):
        read_csv(path, delimiter=";")


def test_a_value_below_no_name_is_refused_with_its_line(tmp_path):
    path = tmp_path / "a.csv"
    path.write_text("a;b;;\n1;2;;\n3;4;;5\n")
    with pytest.raises(DataError, match="line 3: a value in column 4"):
        read_csv(path, delimiter=";")


def test_tables_are_written_the_same_way(tmp_path):
    files = [tmp_path / name for name in ("a.csv", "b.csv", "c.csv")]
    for path, data in zip(files, (b"a;b\n1;2\n", ROWS.encode("cp1252"), b'a;b\n1;"x\ny"\n'), strict=True):
        path.write_bytes(data)
    assert detect_all(files) == Detected(encoding="windows-1252", delimiter=";", multiline=True)
    files[0].write_bytes(ROWS.encode())
    with pytest.raises(DataError, match=r"a\.csv"):
        detect_all(files)
    assert detect_all([]) == Detected()

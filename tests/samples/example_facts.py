"""A made-up release of a hospital's patients table, as a report would see it. No number in it comes from real people."""

from __future__ import annotations

from dataclasses import replace

from shoal.report.columns import ColumnFacts, LevelShare, Rung
from shoal.report.facts import Context, Floor, LossFacts, PrivateFact, Promise, Search, Tried
from shoal.report.masking import mask
from shoal.report.outcome import CheckFacts, Identity, Records, ReleasedFile, VerdictFacts
from shoal.report.tables import tally
from shoal.report.tables.facts import Facts
from shoal.report.tables.figures import TradeOff, Why

K = 5

BEFORE = {1: 6120, 2: 1010, 3: 420, 4: 210, 5: 100, 7: 60, 12: 40, 24: 15}
AFTER = {5: 39, 6: 35, 7: 1, 8: 50, 11: 60, 17: 70, 26: 80, 41: 60, 68: 35, 105: 15, 196: 4}

AGE = [
    ("0–9", 612, 612),
    ("10–19", 540, 539),
    ("20–29", 1015, 1015),
    ("30–39", 1329, 1329),
    ("40–49", 1650, 1650),
    ("50–59", 2011, 2009),
    ("60–69", 2104, 2103),
    ("70–79", 1702, 1695),
    ("80–89", 930, 918),
    ("90–99", 104, 71),
    ("100–109", 3, 0),
]
ZIP = [
    (f"{i}****", n, n - h) for i, (n, h) in enumerate([(2210, 6), (1904, 9), (1822, 5), (1490, 6), (1302, 7)], start=1)
]
ZIP += [("6****", 1201, 1192), ("7****", 1130, 1123), ("8****", 941, 931)]
SEX = [("female", 6204, 6180), ("male", 5742, 5720), ("diverse", 54, 41)]
MONTH = [(f"2026-Q{q}", n, n - h) for q, n, h in ((1, 4188, 20), (2, 4021, 21), (3, 3791, 18))]

FINER = {
    "age": {"80–89": 640, "90–99": 71, "10–19": 210, "0–9": 130, "70–79": 97, "20–29": 44, "50–59": 2},
    "zip": {
        "1****": 905,
        "8****": 760,
        "7****": 720,
        "3****": 688,
        "2****": 402,
        "4****": 310,
        "6****": 289,
        "5****": 240,
    },
    "admitted": {"2026-Q1": 512, "2026-Q2": 498, "2026-Q3": 441},
}

LIMITS = [
    ("0", 0.4713, 0, (3, 4, 0, 3)),
    ("0.001", 0.4410, 11, (3, 4, 0, 2)),
    ("0.002", 0.4410, 11, (3, 4, 0, 2)),
    ("0.003", 0.4102, 31, (2, 5, 0, 2)),
    ("0.005", 0.3120, 59, (2, 4, 0, 2)),
    ("0.01", 0.3120, 59, (2, 4, 0, 2)),
    ("0.011", 0.2987, 131, (2, 4, 0, 1)),
    ("0.012", 0.2987, 131, (2, 4, 0, 1)),
    ("0.013", 0.2987, 131, (2, 4, 0, 1)),
    ("0.015", 0.2987, 131, (2, 4, 0, 1)),
    ("0.02", 0.2711, 238, (1, 4, 0, 2)),
]


def _distribution(column: str, rows: list[tuple[str, int, int]]) -> tally.Distribution:
    return tally.distribution(column, rows, K)


EXAMPLE = Facts(
    k=K,
    identity=Identity(
        files=(
            ReleasedFile(
                "patients.parquet", "data", "3a7bd3e2360a3d29eea436fcfb7e44c735d117c42d1c1835420b6b9942dd4f1b"
            ),
            ReleasedFile(
                "patients.codebook.json", "codebook", "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08"
            ),
        ),
        recipe_sha256="60303ae22b998861bce3b28f33eec1be758a213c86c93c076dbe9f558c11c752",
        versions=(("shoal", "0.1.0"), ("Python", "3.11.7"), ("DuckDB", "1.5.0"), ("pyarrow", "24.0.0")),
        day="2026-11-15",
    ),
    verdict=VerdictFacts(
        passed=True,
        checks=(
            CheckFacts("5-anonymity", True, "449 groups; the smallest has 5 records."),
            CheckFacts("columns", True, "The file holds the 7 columns of the recipe and no other."),
            CheckFacts("nothing lost or invented", True, "12,000 records read = 11,941 published + 59 hidden."),
            CheckFacts("values cover their originals", True, "Every published value stands for the value it replaced."),
        ),
        warnings=("Column 'ward_note' has a different value in almost every record.",),
    ),
    records=Records(read=12_000, published=11_941, suppressed=59, limit="0.01", limit_records=120),
    columns=(
        ColumnFacts("patient_no", "identifying"),
        ColumnFacts("name", "identifying", "Full name as on the insurance card."),
        ColumnFacts(
            "age",
            "quasi",
            "Neighbours and colleagues know it roughly.",
            2,
            (Rung("57", 110), Rung("55–59", 22), Rung("50–59", 11), Rung("40–59", 6), Rung("*", 1)),
            0.78,
        ),
        ColumnFacts(
            "zip",
            "quasi",
            "",
            4,
            (Rung("", 912), Rung("", 640), Rung("", 212), Rung("", 41), Rung("1****", 8), Rung("*****", 1)),
            0.125,
        ),
        ColumnFacts("sex", "quasi", "", 0, (Rung("female", 3), Rung("*", 1)), 0.995),
        ColumnFacts(
            "admitted",
            "quasi",
            "Visible to visitors.",
            2,
            (Rung("2026-05-17", 273), Rung("2026-05", 9), Rung("2026-Q2", 3), Rung("2026", 1)),
            0.67,
        ),
        ColumnFacts("diagnosis", "sensitive", "Health data, Article 9 GDPR."),
        ColumnFacts("ward", "plain"),
        ColumnFacts("ward_note", "plain"),
    ),
    promises=(
        Promise(
            "k-anonymity",
            "Everyone looks like at least 4 others: each published combination is shared by 5 people or more.",
            "5-anonymity",
        ),
    ),
    risk=tally.risk(BEFORE, AFTER, K),
    losses=(
        LossFacts(
            "GLM",
            "Detail lost",
            0.3120,
            True,
            "Mean over blurred cells of (values the published one stands for − 1) / (values of the column − 1).",
            True,
            True,
        ),
        LossFacts(
            "NCP",
            "Detail lost, by leaves",
            0.3188,
            True,
            "Mean over blurred cells of leaves below the value / leaves.",
            True,
        ),
        LossFacts(
            "DM",
            "Discernibility",
            712_555,
            False,
            "Sum over groups of size², plus records read for each hidden record.",
            True,
        ),
        LossFacts(
            "C_avg",
            "Group size against k",
            5.3189,
            False,
            "Records published / groups / k. 1 is the best possible.",
            False,
        ),
    ),
    search=Search("optimal", "GLM", 61, 240, 0.0, 0.34),
    distributions=(
        _distribution("age", AGE),
        _distribution("zip", ZIP),
        _distribution("sex", SEX),
        _distribution("admitted", MONTH),
    ),
    why=Why(
        finer=(
            tally.finer("age", FINER["age"], {value: n for value, _, n in AGE}, K),
            tally.finer("zip", FINER["zip"], {value: n for value, _, n in ZIP}, K),
            tally.finer("sex", {}, {}, K),
            tally.finer("admitted", FINER["admitted"], {value: n for value, _, n in MONTH}, K),
        ),
        trade_offs=tuple(TradeOff(limit, loss, mask(n, K), levels) for limit, loss, n, levels in LIMITS),
    ),
    private_facts=(PrivateFact("diagnosis", 449, 21, 131),),
    context=Context(
        access="restricted",
        recipients="Institute of Epidemiology, University of Example, under a data use agreement",
        purpose="Study of regional differences in length of stay",
        controller="Example District Hospital",
        next_review="2027-11-15",
    ),
)


LOCAL_AGES = [("57", 2211), ("50–59", 1900), ("61", 1804), ("40–59", 1403), ("52–61", 1322), ("*", 3301)]


def local() -> Facts:
    """The same patients, each group blurred by itself; the method was chosen among several."""
    age, zip_, sex, admitted = (column for column in EXAMPLE.columns if column.role == "quasi")
    changed = {
        "age": replace(
            age,
            level=None,
            ladder=(Rung("57", 110), Rung("", 22), Rung("50–59", 11), Rung("40–59", 6), Rung("*", 1)),
            mix=(
                LevelShare(0, 4015, "57"),
                LevelShare(2, 1900, "50–59"),
                LevelShare(3, 1322, "52–61", between=True),
                LevelShare(3, 1403, "40–59"),
                LevelShare(4, 3301, "*"),
            ),
        ),
        "zip": replace(
            zip_,
            level=None,
            ladder=tuple(Rung("", 0) for _ in range(6)),
            mix=(LevelShare(0, 11_000), LevelShare(5, 941)),
        ),
    }
    bars = tally.overlapping("age", LOCAL_AGES, K)
    coarse = tally.within("zip", [("1****", 6000), ("2****", 5000)], (3, 941), K)
    assert coarse is not None
    return replace(
        EXAMPLE,
        columns=tuple(changed.get(column.name, column) for column in EXAMPLE.columns),
        distributions=(bars, coarse, *EXAMPLE.distributions[2:]),
        why=Why(),
        search=Search("auto", "GLM", 0, 0, None, 12.3),
        tried=(
            Tried("optimal", 0.4713, 0.3, "240 of 240 combinations of levels"),
            Tried("mstk", 0.3120, 8.1, "spanning tree", kept=True),
            Tried("cluster", None, 3.9, "ran out of time"),
        ),
        floor=Floor(0.2334, 0.3368, "Each record has to share its values with others."),
    )


def wide(columns: int = 24) -> Facts:
    """A table with many blurred columns, long names and names in many scripts, and a search that ran out of time."""
    names = [
        "出生年份",
        "تاريخ الميلاد",
        "дата рождения",
        "जन्म तिथि",
        "a rather long column name: monthly bill statement amount (NT$)",
    ]
    names += [f"bill_amt_{i}" for i in range(columns - len(names))]
    quasi = tuple(
        ColumnFacts(
            name,
            "quasi",
            "",
            3 + i % 5,
            tuple(Rung(f"{2**j * 1000:,}–{2**j * 2000:,}" if j < 8 else "*", 25_000 // 3**j) for j in range(9)),
            0.9 / (i + 1),
        )
        for i, name in enumerate(names)
    )
    rows = [
        (f"{i * 50_000:,}–{(i + 1) * 50_000:,} New Taiwan dollars", 12_000 // 20, 12_000 // 20 - (i < 5))
        for i in range(20)
    ]
    return replace(
        EXAMPLE,
        columns=quasi,
        distributions=tuple(tally.distribution(name, rows, K) for name in names),
        why=Why(tuple(tally.finer(name, {"x": 900 + i}, {"x": 900}, K) for i, name in enumerate(names))),
        search=Search("optimal", "GLM", 48_211, 9**columns, 0.0132, 60.0),
        private_facts=(),
        context=Context(),
    )

"""What takes too long for every test run: `python -m benchmarks.trees.sweep`, from the folder above this one.

`lib` runs commands and long runs, `rows` makes data, the other folders measure one kind of data, scale, or the verifier. Oracles
and random cases are those of the tests, imported as the tests import them.
"""

import sys
from pathlib import Path

import benchmarks.lib.places  # noqa: F401  # whoever lacks data is told so, whichever benchmark it is

sys.path.append(str(Path(__file__).resolve().parents[1] / "tests"))

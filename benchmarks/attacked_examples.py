"""Every example is released and attacked: how often each attack was made, and whether its bound is kept. One JSON object.

python -m benchmarks.attacked_examples
"""

from __future__ import annotations

import json
import tempfile
from pathlib import Path

import shoal
from shoal.release.examples import EXAMPLES, write_example


def main() -> None:
    kinds = {}
    with tempfile.TemporaryDirectory() as place:
        for name, _ in EXAMPLES:
            folder = Path(place) / name
            recipe = str(write_example(name, folder)[-1])
            release = shoal.run(recipe)
            kinds[name] = shoal.attack(release.files[0], recipe, population=100_000).to_json()
    print(json.dumps({"kinds": kinds}))


if __name__ == "__main__":
    main()

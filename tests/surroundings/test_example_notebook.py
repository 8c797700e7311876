"""The notebook of the examples runs from top to bottom, without ipywidgets, and shows what it should as HTML."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import pytest

nbformat = pytest.importorskip("nbformat")
nbclient = pytest.importorskip("nbclient")
pytest.importorskip("ipykernel", reason="there is no notebook kernel: pip install ipykernel")

NOTEBOOK = Path(__file__).parents[2] / "examples" / "notebook" / "first-release.ipynb"
SHOWN = {  # what a cell ends with: what its HTML says
    "shoal.risk(": "Risk of the data as it is",
    "release\n": "Meets the stated guarantee",
    "shoal.verify(release": "nothing lost or invented",
    "shoal.verify(patients": "Does not meet the stated guarantee",
    "shoal.measure(": "Normalized certainty penalty",
    "shoal.frontier(": "<svg",
    "shoal.compare(": "mondrian",
    "release.recipe\n": "Recipe",
    "shoal.guarantees(": "t-closeness",
}


def executed(folder: Path) -> Any:
    """The notebook with its outputs, run by the interpreter that runs this."""
    from jupyter_client.manager import AsyncKernelManager

    notebook = nbformat.read(NOTEBOOK, as_version=4)
    without = nbformat.v4.new_code_cell("import sys; sys.modules['ipywidgets'] = None")
    notebook.cells.insert(0, without)
    manager = AsyncKernelManager()
    manager.kernel_spec.argv = [sys.executable, "-m", "ipykernel_launcher", "-f", "{connection_file}"]
    client = nbclient.NotebookClient(notebook, km=manager, timeout=600, resources={"metadata": {"path": str(folder)}})
    return client.execute()


@pytest.mark.slow
def test_it_runs_and_shows_its_results(tmp_path: Path) -> None:
    cells = [cell for cell in executed(tmp_path).cells if cell.cell_type == "code"]
    outputs = [out for cell in cells for out in cell.outputs]
    pages = {
        cell.source: "".join(out.data.get("text/html", "") for out in cell.outputs if "data" in out) for cell in cells
    }
    for begin, words in SHOWN.items():
        (page,) = (page for source, page in pages.items() if f"{source.splitlines()[-1]}\n".startswith(begin))
        assert words in page, begin
    said = "".join(out.get("text", "") for out in outputs)
    assert "Traceback" not in said and "2,000" in said


def test_it_is_kept_without_outputs() -> None:
    notebook = nbformat.read(NOTEBOOK, as_version=4)
    nbformat.validate(notebook)
    assert all(not cell.outputs and cell.execution_count is None for cell in notebook.cells if cell.cell_type == "code")

"""Runs the code of a notebook, cell by cell in one namespace, and checks that it has no outputs.

A kernel would do the same with forty more packages.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any


def run(path: Path) -> None:
    notebook = json.loads(path.read_text(encoding="utf-8"))
    namespace: dict[str, Any] = {"__name__": "__main__"}
    for number, cell in enumerate(notebook["cells"], 1):
        if cell["cell_type"] != "code":
            continue
        if cell["outputs"] or cell["execution_count"] is not None:
            raise SystemExit(f"Cell {number} has outputs: clear them.")
        print(f"cell {number}", flush=True)
        exec(compile("".join(cell["source"]), f"{path.name}, cell {number}", "exec"), namespace)


run(Path(sys.argv[1]))

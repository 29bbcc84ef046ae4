"""What SciPy's linear_sum_assignment returns, for the test of TieBreak::AsSciPy.

    PYTHON_WITH_SCIPY scripts/make_assignment_values.py

writes crates/anchormatch/tests/data/scipy_assignments.json: the version, and for each case the costs, row after
row, whether they are maximised, and the column of each row or null. Costs are small integers, so that most
cases have many optimal assignments and the value is the same in any arithmetic.
"""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import scipy
from scipy.optimize import linear_sum_assignment

VALUES = Path(__file__).resolve().parent.parent / "crates/anchormatch/tests/data/scipy_assignments.json"


def main() -> None:
    rng = np.random.default_rng(40)
    shapes = [(1, 1), (2, 2), (3, 3), (5, 5), (8, 8), (12, 12), (20, 20), (3, 7), (7, 3), (1, 6), (6, 1), (9, 14), (14, 9)]
    cases = []
    for rows, cols in shapes:
        for highest in (0, 1, 2, 5, 30):
            costs = rng.integers(-1 if highest > 2 else 0, highest + 1, (rows, cols))
            maximize = bool(rng.integers(2))
            columns: list[int | None] = [None] * rows
            for row, column in zip(*linear_sum_assignment(costs, maximize=maximize), strict=True):
                columns[row] = int(column)
            cases.append(
                {"rows": rows, "cols": cols, "maximize": maximize, "costs": costs.ravel().tolist(), "columns": columns}
            )
    VALUES.parent.mkdir(exist_ok=True)
    text = json.dumps({"scipy": scipy.__version__, "cases": cases}, separators=(",", ":"))
    VALUES.write_text(text.replace('{"rows"', '\n{"rows"') + "\n", encoding="ascii")
    print(f"{len(cases)} cases of SciPy {scipy.__version__}")


if __name__ == "__main__":
    main()

"""Solve a quadratic assignment problem, of machines and their places.

``python solve_qap.py``; in Rust, ``crates/anchormatch/examples/solve_qap.rs``.
"""

import anchormatch as am

flow = [[0, 5, 2, 4, 1], [5, 0, 3, 0, 2], [2, 3, 0, 0, 0], [4, 0, 0, 0, 5], [1, 2, 0, 5, 0]]
distance = [[0, 1, 1, 2, 3], [1, 0, 2, 1, 2], [1, 2, 0, 1, 2], [2, 1, 1, 0, 1], [3, 2, 2, 1, 0]]
for name in ("tabu", "portfolio"):
    print(f"{name}: {am.solve((flow, distance), name, maximize=False).objective:g}")

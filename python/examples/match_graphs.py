"""Match two graphs when one pair of nodes is known.

``python match_graphs.py``; in Rust, ``crates/anchormatch/examples/match_graphs.rs``.
"""

import anchormatch as am

source = [
    ("ann", "bob", 3.0),
    ("bob", "eve", 1.0),
    ("eve", "dan", 2.0),
    ("dan", "ann", 5.0),
    ("ann", "eve", 4.0),
]
# The same people under other names, the weights a little off.
target = [("x4", "x1", 4.9), ("x2", "x1", 3.1), ("x3", "x4", 2.1), ("x3", "x1", 4.0), ("x3", "x2", 0.9)]

for left, right in am.match(source, target, {"ann": "x1"}):
    print(left, "=", right)

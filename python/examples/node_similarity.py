"""Use what else is known of the nodes: here, people's ages.

``python node_similarity.py``; in Rust, ``crates/anchormatch/examples/node_similarity.rs``.
"""

import numpy as np

import anchormatch as am

# A ring has twelve symmetries; the ages leave one matching.
ring = am.graph([(i, (i + 1) % 6) for i in range(6)])
ages = np.array([31.0, 40.0, 58.0, 25.0, 47.0, 36.0])
# Two places further on, and a year older.
later = np.array([48.0, 37.0, 32.0, 41.0, 59.0, 26.0])
similarity = -abs(ages[:, None] - later[None, :])
print([partner for _, partner in am.match(ring, ring, node_similarity=similarity)])

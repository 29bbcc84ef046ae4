"""Anchors that are only probable: soft anchors, which may even contradict each other.

``python soft_anchors.py``; in Rust, ``crates/anchormatch/examples/soft_anchors.rs``.
"""

import anchormatch as am

# A ring looks the same in both directions: only a soft anchor can tell them apart.
ring = am.graph([(i, (i + 1) % 6) for i in range(6)])
certain = (0, 0)
for name, soft in (
    ("soft anchors one way", [(1, 5, 0.9), (1, 1, 0.2)]),
    ("and the other", [(1, 5, 0.2), (1, 1, 0.9)]),
):
    m = am.match(ring, ring, [certain, *soft])
    print(f"{name}:", [partner for _, partner in m])

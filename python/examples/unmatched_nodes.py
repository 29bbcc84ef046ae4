"""Leave nodes alone that have no partner.

``python unmatched_nodes.py``; in Rust, ``crates/anchormatch/examples/unmatched_nodes.rs``.
"""

import anchormatch as am

points = [
    (0.0, 0.0), (4.0, 0.5), (1.0, 3.0), (5.0, 4.0), (2.5, 1.5),
    (0.5, 5.0), (3.5, 2.8), (6.0, 1.2), (2.0, 4.4), (4.6, 6.0),
]  # fmt: skip
# The target sees all but the last two points, turned, and two others.
turned = [(-y, x) for x, y in points[:8]] + [(9.0, -3.0), (-8.0, 9.5)]

m = am.match(am.points(points), am.points(turned), [(0, 0), (3, 3)], allow_unmatched=True)
print(len(m), "pairs")
print("alone in the source:", m.unmatched_source)
print("alone in the target:", m.unmatched_target)

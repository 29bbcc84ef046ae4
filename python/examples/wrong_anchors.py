"""Find an anchor that is wrong.

``python wrong_anchors.py``; in Rust, ``crates/anchormatch/examples/wrong_anchors.rs``.
"""

import anchormatch as am

graph = am.points(
    [(0.0, 0.0), (4.0, 0.5), (1.0, 3.0), (5.0, 4.0), (2.5, 1.5), (0.5, 5.0), (3.5, 2.8), (6.0, 1.2)]
)
# The third pair is wrong, and takes the right partner from node 7.
m = am.match(graph, graph, [(0, 0), (3, 3), (5, 7)], repair_anchors=True)
for check in m.anchor_report:
    print(check.source, "=", f"{check.target}:", "wrong" if check.suspicion > 0.5 else "fine")
print("5 =", m.mapping[5])

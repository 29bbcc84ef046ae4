"""Find the node that a person should be asked for next.

``python suggest_anchors.py``; in Rust, ``crates/anchormatch/examples/suggest_anchors.rs``.
"""

import anchormatch as am

# Two triangles of different size on one hub: each can be turned over.
graph = am.graph(
    [(0, 1, 1.0), (1, 2, 1.0), (2, 0, 1.0), (0, 3, 2.0), (3, 4, 1.0), (4, 5, 1.0), (5, 0, 2.0)]
)
known = [(0, 0)]
while len(known) <= 3:
    m = am.match(graph, graph, known)
    (best,) = m.suggest(1)
    if best.gain < 0.5:
        print("nothing worth asking")
        break
    print("ask for node", best.node)
    # The person knows that nothing moved.
    known.append((best.node, best.node))

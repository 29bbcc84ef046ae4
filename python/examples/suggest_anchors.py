"""Find the node that a person should be asked for next.

``python suggest_anchors.py``; in Rust, ``crates/anchormatch/examples/suggest_anchors.rs``.
"""

import anchormatch as am

# Nodes 1 and 2 are twins, nothing tells them apart; the weights of the tail do the rest.
graph = am.graph([(0, 1, 1.0), (1, 2, 1.0), (2, 0, 1.0), (0, 3, 2.0), (3, 4, 4.0), (4, 5, 7.0)])
known = [(0, 0)]
while True:
    (best,) = am.match(graph, graph, known).suggest(1)
    if best.gain < 0.5:
        print("nothing worth asking")
        break
    print("ask for", "a twin" if best.node in (1, 2) else "another")
    # The person knows that nothing moved.
    known.append((best.node, best.node))

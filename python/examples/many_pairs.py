"""Match many pairs on all cores; one of them fails, and the others go on.

``python many_pairs.py``; in Rust, ``crates/anchormatch/examples/many_pairs.rs``.
"""

import numpy as np

import anchormatch as am


def pair(number):
    """A graph with eight nodes and the same in reverse order."""
    i, j = np.tril_indices(8, -1)
    source = np.zeros((8, 8))
    source[i, j] = source[j, i] = (7 * i + 13 * j + 5 * i * j + 3 * number) % 17
    # The fifth pair knows of a node that is not there.
    return source, source[::-1, ::-1], {0: 99 if number == 4 else 7}


# Results come in the order of the pairs, whoever was first; in a terminal, a bar counts them.
results = am.match_many([pair(number) for number in range(6)], progress=True)
for number, result in enumerate(results):
    if isinstance(result, am.Failure):
        print(f"pair {number}: failed")
    else:
        print(f"pair {number}: {sum(b == 7 - a for a, b in result)} of 8 right")

"""Match many pairs on a cluster of Dask: what a lost worker had is done again by another.

``python many_pairs_dask.py``. The cluster here is two processes of this machine; a client of any other
works the same way.
"""

from dask.distributed import Client, LocalCluster

import anchormatch as am


def main():
    made = [am.generate.synthetic(15, noise=0.1, seed=seed) for seed in range(8)]
    pairs = [(one.source, one.target, one.anchors(2)) for one in made]
    with (
        LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None) as cluster,
        Client(cluster) as client,
    ):
        results = am.match_many(pairs, executor=client)
    print(results)
    print("mean accuracy", sum(m.accuracy(one.truth) for m, one in zip(results, made)) / len(made))


# Dask starts its workers by importing this file again.
if __name__ == "__main__":
    main()

"""Match many pairs with Ray: what a lost worker had is done again by another.

``python many_pairs_ray.py``. Ray runs on this machine here; ``ray.init(address=…)`` joins a cluster.
"""

import ray

import anchormatch as am

made = [am.generate.synthetic(15, noise=0.1, seed=seed) for seed in range(8)]
pairs = [(one.source, one.target, one.anchors(2)) for one in made]
ray.init(num_cpus=2, include_dashboard=False, log_to_driver=False)
results = am.match_many(pairs, executor=ray)
ray.shutdown()
print(results)
print("mean accuracy", sum(m.accuracy(one.truth) for m, one in zip(results, made)) / len(made))

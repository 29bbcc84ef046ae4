"""Do confidences, expected precision and accusations of anchors hold, family by family?

    make wheel && pip install out/wheels/*.whl && pip install -r scripts/peers.txt
    python scripts/bench_calibration.py [--families WORD,..] [--trials N] [--data DIR] [--picture FILE]
    python scripts/bench_calibration.py --wrong 5,20,40 [..]
    python scripts/bench_calibration.py --binary target/release/anchormatch [..]

Needs numpy, scipy, and matplotlib for the picture. The families are those of `trust_families.py`: random
graphs of many kinds whose two sides are samples of one graph, and with --data connectomes, genealogies,
networks and films with random anchors. For every pair that is no anchor: its confidence, and whether it is
right; a pair of a node that has no partner is wrong, and one neither of whose ends the truth of a real set
names is left out. Printed are the mean confidence (which is the precision that `match` expects), the share
that is right, the expected calibration error over ten bins, the recall that `match` expects and the real
one, and the share that is right of the pairs from .99 on.

`--wrong` gives so many per cent of the anchors a wrong partner: the precision and recall of the accusations
(`m.anchor_report`), the share of right anchors that are accused when all are right, and the accuracy of the
rest with the wrong anchors, with `repair_anchors=True`, and without the wrong ones. Families with less than
ten anchors have ten here.

With `--binary` the command is asked instead of the package (graphs without layers and attributes; no --wrong).
"""

import argparse
import os
import time

import numpy as np
from trust_families import families

BINS = 10


def arguments():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--families", help="words in the names of families to run (default: all)")
    parser.add_argument("--trials", type=int, default=20)
    parser.add_argument("--pairs", type=int, default=4000, help="end a family after so many pairs")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--data", default=os.environ.get("ANCHORMATCH_DATA"))
    parser.add_argument("--wrong", help="per cents of the anchors to spoil")
    parser.add_argument("--binary", help="the command to ask instead of the package")
    parser.add_argument("--picture", help="reliability of each family, as SVG or PNG")
    return parser.parse_args()


#: The command that is asked, where one was named.
BINARY = None


def judged(trial, matching):
    """The confidences of the pairs that are no anchors, and which are right."""
    free = ~matching.is_anchor
    if not trial.knows_all:
        sources, targets = matching.pairs_by_number.T
        free &= (trial.partner[sources] >= 0) | np.isin(targets, trial.partner)
    pairs = matching.pairs_by_number[free]
    return matching.confidence[free], trial.partner[pairs[:, 0]] == pairs[:, 1]


def run(trial, anchors=None, **more):
    anchors = trial.anchors if anchors is None else anchors
    pairs = [(int(i), int(a)) for i, a in anchors]
    if BINARY:
        from trust_command import match

        return match(BINARY, trial.source, trial.target, pairs, **trial.options)
    import anchormatch as am

    return am.match(trial.source, trial.target, pairs, **trial.options, **more)


def expected_error(sure, right):
    """The mean distance between confidence and share right, over ten bins."""
    bins = np.minimum((sure * BINS).astype(int), BINS - 1)
    return sum(abs(sure[bins == k].sum() - right[bins == k].sum()) for k in range(BINS)) / max(len(sure), 1)


def calibration(name, draw, options):
    sure, right, recall, seconds = [], [], [], []
    for k in range(options.trials):
        trial = draw(np.random.default_rng([options.seed, k, len(name)]))
        begun = time.perf_counter()
        matching = run(trial)
        seconds.append(time.perf_counter() - begun)
        one, two = judged(trial, matching)
        sure.append(one)
        right.append(two)
        asked = (trial.partner >= 0).sum() - len(trial.anchors)
        recall.append((matching.expected_recall, two.sum() / asked))
        if sum(map(len, sure)) >= options.pairs:
            break
    sure, right = np.concatenate(sure), np.concatenate(right)
    top = right[sure >= 0.99]
    expected, real = np.nanmean(np.array(recall), axis=0)
    print(
        f"| {name} | {len(seconds)} | {len(sure)} | {sure.mean():.3f} | {right.mean():.3f} "
        f"| {expected_error(sure, right):.3f} | {expected:.3f} | {real:.3f} "
        f"| {top.mean() if len(top) else float('nan'):.3f} ({len(top)}) | {np.mean(seconds):.2f} |",
        flush=True,
    )
    return sure, right


def spoilt(rng, trial, share):
    """Anchors of which a share has the partner of another node; the wrong ones."""
    anchors = trial.anchors.copy()
    is_wrong = np.zeros(len(anchors), bool)
    is_wrong[rng.permutation(len(anchors))[: max(int(round(share * len(anchors))), 1)]] = True
    others = np.setdiff1d(trial.partner[trial.partner >= 0], anchors[:, 1])
    anchors[is_wrong, 1] = rng.choice(others, is_wrong.sum(), replace=False)
    return anchors, is_wrong


def wrong(name, draw, share, options):
    caught, rest = np.zeros(4), []
    alarms, anchors_seen = 0, 0
    for k in range(options.trials):
        rng = np.random.default_rng([options.seed, k, len(name)])
        trial = draw(rng)
        if len(trial.anchors) < 10:
            left = np.setdiff1d(np.flatnonzero(trial.partner >= 0), trial.anchors[:, 0])
            more = rng.choice(left, min(10, len(left) // 2) - len(trial.anchors), replace=False)
            added = np.column_stack([more, trial.partner[more]])
            trial = trial._replace(anchors=np.concatenate([trial.anchors, added]))
        anchors, is_wrong = spoilt(rng, trial, share)
        asked = np.setdiff1d(np.flatnonzero(trial.partner >= 0), trial.anchors[:, 0])

        def accuracy(matching, trial=trial, asked=asked):
            found = np.full(len(trial.partner), -2)
            pairs = matching.pairs_by_number
            found[pairs[:, 0]] = pairs[:, 1]
            return np.mean(found[asked] == trial.partner[asked])

        given = run(trial, anchors)
        accused = {check.source for check in given.anchor_report if check.suspicion > 0.5}
        named = np.array([int(i) in accused for i in anchors[:, 0]])
        caught += [(named & is_wrong).sum(), named.sum(), is_wrong.sum(), (named & ~is_wrong).sum()]
        right = run(trial)
        alarms += sum(check.suspicion > 0.5 for check in right.anchor_report)
        anchors_seen += len(trial.anchors)
        repaired = run(trial, anchors, repair_anchors=True)
        without = run(trial, anchors[~is_wrong])
        rest.append([accuracy(m) for m in (given, repaired, without)])
        if len(rest) * len(asked) >= options.pairs:
            break
    mean = np.mean(rest, axis=0)
    precision = caught[0] / caught[1] if caught[1] else float("nan")
    print(
        f"| {name} | {share:.0%} | {len(rest)} | {int(caught[2])} | {precision:.3f} | {caught[0] / caught[2]:.3f} "
        f"| {alarms / anchors_seen:.4f} | {mean[0]:.3f} | {mean[1]:.3f} | {mean[2]:.3f} |",
        flush=True,
    )


def picture(found, path):
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    columns = 6
    rows = -(-len(found) // columns)
    figure, axes = plt.subplots(rows, columns, figsize=(2.1 * columns, 2.2 * rows), sharex=True, sharey=True)
    for axis, (name, (sure, right)) in zip(axes.flat, found.items()):
        bins = np.minimum((sure * BINS).astype(int), BINS - 1)
        axis.plot([0, 1], [0, 1], color="0.8", lw=1)
        for k in range(BINS):
            inside = bins == k
            if inside.any():
                size = 4 + 60 * inside.mean()
                axis.scatter(sure[inside].mean(), right[inside].mean(), s=size, color="#0072b2", lw=0)
        axis.set_title(f"{name}\nECE {expected_error(sure, right):.3f}", fontsize=7)
    for axis in axes.flat[len(found) :]:
        axis.axis("off")
    figure.supxlabel("mean confidence of a bin", fontsize=8)
    figure.supylabel("share right", fontsize=8)
    figure.tight_layout()
    figure.savefig(path)


def main():
    global BINARY
    options = arguments()
    BINARY = options.binary
    words = options.families.split(",") if options.families else [""]
    chosen = {n: d for n, d in families(options.data).items() if any(word in n for word in words)}
    if not options.data:
        print("without --data: no connectomes, genealogies, networks and films")
    if options.wrong:
        print(
            "| family | wrong | trials | wrong anchors | accusations: precision | recall | false alarms "
            "| accuracy as given | repaired | without them |\n|---|---|---|---|---|---|---|---|---|---|"
        )
        for name, draw in chosen.items():
            for share in options.wrong.split(","):
                wrong(name, draw, float(share) / 100, options)
        return
    print(
        "| family | trials | pairs | mean confidence | right | ECE | recall expected | recall "
        "| right from .99 (pairs) | s |\n|---|---|---|---|---|---|---|---|---|---|"
    )
    found = {name: calibration(name, draw, options) for name, draw in chosen.items()}
    if options.picture:
        picture(found, options.picture)


if __name__ == "__main__":
    main()

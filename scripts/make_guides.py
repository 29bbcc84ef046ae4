#!/usr/bin/env python3
"""Write the files of docs/guide-brain and docs/guide-profiles; all of it is made up.

    python3 scripts/make_guides.py [FOLDER [SEED]]

FOLDER is docs and SEED is 1 by default. A seed writes the same bytes everywhere: nothing but Python's own generator
is used.
"""

import csv
import math
import pathlib
import random
import sys

DOCS = pathlib.Path(__file__).parent.parent / "docs"


def write(folder, name, header, rows):
    with open(folder / name, "w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(header)
        writer.writerows(rows)


def named(rng, prefix, count):
    """Ids that say nothing of the order."""
    numbers = list(range(1, count + 1))
    rng.shuffle(numbers)
    return [f"{prefix}{number:02d}" for number in numbers]


def poisson(rng, mean):
    """A count, by the product of uniform numbers; means are small here."""
    if mean > 30:
        return max(0, round(rng.gauss(mean, math.sqrt(mean))))
    limit, product, count = math.exp(-mean), rng.random(), 0
    while product > limit:
        product *= rng.random()
        count += 1
    return count


# ---------------------------------------------------------------- two halves of a brain

#: Types of cells, and how many of each have a partner in the other half.
TYPES = {
    "sensory-a": 5,
    "sensory-b": 5,
    "sensory-c": 4,
    "local-a": 7,
    "local-b": 6,
    "local-c": 5,
    "projection-a": 6,
    "projection-b": 6,
    "modulatory": 5,
    "motor-a": 6,
    "motor-b": 5,
}
#: Mean synapses from one family of types to another; what is not listed is WEAK.
STRONG = {
    ("sensory", "local"): 1.6,
    ("sensory", "projection"): 1.4,
    ("local", "local"): 0.9,
    ("local", "projection"): 1.6,
    ("projection", "motor"): 1.8,
    ("projection", "local"): 0.7,
    ("modulatory", "motor"): 0.9,
    ("modulatory", "local"): 0.9,
    ("motor", "modulatory"): 0.6,
}
WEAK = 0.12
#: How much of that leads to the other half.
ACROSS = 0.2
#: The spread of the strengths, in logarithms: what both halves share, and what is each half's own.
SHARED, OWN = 1.5, 1.0
#: Cells that one half has alone.
ALONE = 4


def family(kind):
    return kind.split("-")[0]


def halves(folder, seed):
    rng = random.Random(seed)
    folder.mkdir(exist_ok=True)
    kinds = [kind for kind, count in TYPES.items() for _ in range(count)]
    both = len(kinds)
    sides = {}
    for side in ("left", "right"):
        own = [rng.choice(list(TYPES)) for _ in range(ALONE)]
        sides[side] = (named(rng, side[0].upper(), both + ALONE), kinds + own)

    def drawn(strengths, from_side, to_side, share):
        """Synapses from cells of one side to cells of another."""
        (ids, kinds), (others, other_kinds) = sides[from_side], sides[to_side]
        rows = []
        for i, one in enumerate(ids):
            for j, other in enumerate(others):
                if i == j:
                    continue
                shared = strengths[i, j] if i < both and j < both else rng.gauss(0, SHARED)
                mean = share * STRONG.get((family(kinds[i]), family(other_kinds[j])), WEAK)
                size = SHARED**2 + OWN**2
                mean *= math.exp(shared + rng.gauss(0, OWN) - size / 2)
                count = poisson(rng, mean)
                if count:
                    rows.append((one, other, count))
        rng.shuffle(rows)
        return rows

    pairs = [(i, j) for i in range(both) for j in range(both)]
    inside = {pair: rng.gauss(0, SHARED) for pair in pairs}
    across = {pair: rng.gauss(0, SHARED) for pair in pairs}
    header = ("from", "to", "weight")
    write(folder, "left.csv", header, drawn(inside, "left", "left", 1))
    write(folder, "right.csv", header, drawn(inside, "right", "right", 1))
    write(folder, "left_to_right.csv", header, drawn(across, "left", "right", ACROSS))
    write(folder, "right_to_left.csv", header, drawn(across, "right", "left", ACROSS))
    truth = list(zip(sides["left"][0][:both], sides["right"][0][:both]))
    write(folder, "truth.csv", ("source", "target"), sorted(truth))
    # One cell of every family.
    families = [family(kind) for kind in kinds]
    firsts = [families.index(kind) for kind in dict.fromkeys(families)]
    write(folder, "known.csv", ("source", "target"), [truth[i] for i in firsts])
    for side, slips in (("left", {3: "sensoy-a", 22: ""}), ("right", {40: "projecton-b"})):
        ids, kinds_here = sides[side]
        rows = [(one, slips.get(k, kind)) for k, (one, kind) in enumerate(zip(ids, kinds_here))]
        write(folder, f"{side}_cells.csv", ("id", "type"), sorted(rows))


# ---------------------------------------------------------------- two social networks

FIRST = "Ada Bela Cleo Dora Emil Finn Gita Hugo Ines Jonas Kira Leon Mara Nils Olga Pavel Rosa Sami Tara Ugo".split()
LAST = "Almond Birch Cedar Dogwood Elder Fennel Gorse Hazel Ivey Juniper Kapok Larch Maple Nettle Olive".split()
CITIES = "Aster Bluebell Clover Dahlia Edelweiss Foxglove".split()
#: People with an account in both networks, and in one alone.
BOTH, ONE = 74, 6
#: Friends that a person has in the first network, on average, and the share of them in the second.
FRIENDS, KEPT = 5, 0.6
#: How often a name is another one altogether, a city has changed, a year of birth is not said.
NICKNAME, MOVED, SECRET = 0.2, 0.15, 0.3


def spelled(rng, name):
    """A name as the second network might have it."""
    if rng.random() < NICKNAME:
        return rng.choice(("moon", "star", "river", "cloud", "stone")) + rng.choice(("fox", "cat", "bear", "owl"))
    first, last = name.lower().split()
    if rng.random() < 0.3:
        cut = rng.randrange(1, len(last) - 1)
        last = last[:cut] + last[cut + 1 :]
    forms = (f"{first}.{last}", f"{last}_{first}", f"{first[0]}{last}", f"{first}{last[0]}", f"{last} {first[0]}.")
    return rng.choice(forms)


def profiles(folder, seed):
    rng = random.Random(seed)
    folder.mkdir(exist_ok=True)
    people = BOTH + 2 * ONE
    names = rng.sample([f"{first} {last}" for first in FIRST for last in LAST], people)
    cities = [rng.choice(CITIES) for _ in range(people)]
    born = [rng.randrange(1960, 2006) for _ in range(people)]
    # Friends of friends are friends, and those of one city more often.
    friends = set()
    while len(friends) < FRIENDS * people / 2:
        one, other = rng.sample(range(people), 2)
        near = cities[one] == cities[other]
        common = any(
            tuple(sorted((one, k))) in friends and tuple(sorted((other, k))) in friends for k in range(people)
        )
        if rng.random() < 0.1 + 0.3 * near + 0.4 * common:
            friends.add(tuple(sorted((one, other))))
    first = list(range(BOTH + ONE))
    second = [*range(BOTH), *range(BOTH + ONE, people)]
    ids = {0: dict(zip(first, named(rng, "a", len(first)))), 1: dict(zip(second, named(rng, "b", len(second))))}

    def year(k):
        return "" if rng.random() < SECRET else born[k]

    def city(k):
        return rng.choice(CITIES) if rng.random() < MOVED else cities[k]

    header = ("source", "target")
    for side, name, shared in ((0, "one", 0.85), (1, "two", KEPT)):
        rows = []
        for pair in sorted(friends):
            if all(k in ids[side] for k in pair) and rng.random() < shared:
                rows.append(tuple(ids[side][k] for k in pair))
        rng.shuffle(rows)
        write(folder, f"{name}.csv", header, rows)
    rows = [(ids[0][k], names[k], cities[k], year(k)) for k in first]
    write(folder, "one_accounts.csv", ("id", "name", "city", "born"), sorted(rows))
    rows = [(ids[1][k], spelled(rng, names[k]), city(k), year(k)) for k in second]
    write(folder, "two_accounts.csv", ("id", "name", "city", "born"), sorted(rows))
    truth = [(ids[0][k], ids[1][k]) for k in range(BOTH)]
    write(folder, "truth.csv", header, sorted(truth))
    write(folder, "known.csv", header, sorted(rng.sample(truth, 4)))


if __name__ == "__main__":
    docs = pathlib.Path(sys.argv[1]) if len(sys.argv) > 1 else DOCS
    seed = int(sys.argv[2]) if len(sys.argv) > 2 else 1
    halves(docs / "guide-brain", seed)
    profiles(docs / "guide-profiles", seed)

"""Everything that is known, beside simple baselines: accuracy with and without each piece of knowledge.

    cargo build --release -p anchormatch-cli
    python scripts/bench_known.py --data DIR [--rows WORD,..] [--questions]

Needs numpy and scipy. The sets are those of DIR/alignment. Every row is `anchormatch match` on their
files, without and with what else is known, and a baseline in the same run: for connectomes FAQ in forty
lines of NumPy and SciPy on log(1 + count), directed, edges between the sides as a term of the same form, layers added up;
for scored candidates the best score alone, ties by their share. `counts` gives the weights of the larva
and the worm in other forms: what is no whole number is compared as presence and weight, two questions
instead of one. `--questions` asks on the genealogies and the connectomes, some nodes at a time, until .9 of
all are right: those that `suggest` names, those whose pairs are the least confident, and random ones.
"""

import argparse
import contextlib
import csv
import json
import os
import random
import subprocess
import tempfile
import time

import numpy as np
from scipy.optimize import linear_sum_assignment

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
TARGET = os.environ.get("CARGO_TARGET_DIR", os.path.join(ROOT, "target"))
BINARY = os.path.join(TARGET, "release", "anchormatch")
ATTRIBUTES = ["--source-attributes", "source_attrs.csv", "--target-attributes", "target_attrs.csv"]
CROSSING = ["--crossing", "contralateral_lr.csv", "--crossing-back", "contralateral_rl.csv"]
CONNECTOMES = ["bgm_maggot_subset", "bgm_herm_chem"]
FORMS = {
    "as they are": lambda w: w,
    "ln(1 + w)": np.log1p,
    "roots": np.sqrt,
    "presence": lambda w: 1.0,
}


def arguments():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    data = os.environ.get("ANCHORMATCH_DATA")
    parser.add_argument("--data", default=data, required=not data)
    parser.add_argument("--rows", help="words of rows to run (default: all)")
    parser.add_argument("--questions", action="store_true", help="ask suggest, beside simple orders")
    parser.add_argument("--binary", default=BINARY)
    return parser.parse_args()


def rows_of(path):
    with open(path, newline="") as file:
        return list(csv.DictReader(file))


class Pair:
    """A folder of two graphs, and the command on it."""

    def __init__(self, options, name):
        self.binary = os.path.abspath(options.binary)
        self.folder = os.path.join(options.data, "alignment", name)
        if not os.path.isdir(self.folder):
            raise SystemExit(f"{self.folder}: no such folder, expected the data of {name}; see --data")

    def run(self, what, anchors, *more, edges=("source_edges.csv", "target_edges.csv")):
        """The JSON that a command prints, and its seconds."""
        nodes = ["--source-nodes", "source_nodes.csv", "--target-nodes", "target_nodes.csv"]
        line = [self.binary, what, *edges, *nodes, "--anchors", anchors, "--json", "--progress", "none"]
        start = time.perf_counter()
        done = subprocess.run([*line, *more], cwd=self.folder, capture_output=True, text=True, check=False)
        if done.returncode:
            raise SystemExit(done.stderr)
        return json.loads(done.stdout), time.perf_counter() - start

    def accuracy(self, anchors, *more, **files):
        found, seconds = self.run("match", anchors, "--truth", "truth.csv", *more, **files)
        return found["accuracy"], seconds

    def pairs(self, file):
        return {row["source"]: row["target"] for row in rows_of(os.path.join(self.folder, file))}

    def table(self, file, rows, columns):
        """The weights of a file of edges, as log(1 + count)."""
        table = np.zeros((len(rows), len(columns)))
        for row in rows_of(os.path.join(self.folder, file)):
            table[rows[row["u"]], columns[row["v"]]] += float(row["weight"])
        return np.log1p(table)

    def faq(self, anchors, crossing):
        """FAQ on the larva or the worm: its accuracy and seconds."""
        ids = []
        for side in ("source", "target"):
            nodes = rows_of(os.path.join(self.folder, f"{side}_nodes.csv"))
            ids.append({next(iter(row.values())): k for k, row in enumerate(nodes)})
        a = self.table("source_edges.csv", ids[0], ids[0])
        b = self.table("target_edges.csv", ids[1], ids[1])
        there = self.table("contralateral_lr.csv", ids[0], ids[1]) if crossing else None
        back = self.table("contralateral_rl.csv", ids[1], ids[0]) if crossing else None
        known = {ids[0][s]: ids[1][t] for s, t in self.pairs(anchors).items()}
        truth = {ids[0][s]: ids[1][t] for s, t in self.pairs("truth.csv").items()}
        start = time.perf_counter()
        found = faq([a], [b], there, back, known)
        seconds = time.perf_counter() - start
        asked = [i for i in truth if i not in known]
        return sum(found[i] == truth[i] for i in asked) / len(asked), seconds


def faq(a, b, there, back, known, iterations=30):
    """Frank and Wolfe on the product of weights, layer by layer, and of those of edges between the sides."""
    n, m = len(a[0]), len(b[0])
    rows = [i for i in range(n) if i not in known]
    taken = set(known.values())
    columns = [j for j in range(m) if j not in taken]
    fixed = np.zeros((n, m))
    for i, j in known.items():
        fixed[i, j] = 1
    block = np.ix_(rows, columns)
    p = fixed.copy()
    p[block] = 1 / len(columns)

    def gradient(x):
        image = sum(s @ x @ t.T + s.T @ x @ t for s, t in zip(a, b, strict=True))
        if there is None:
            return image
        return image + there @ x.T @ back.T + back.T @ x.T @ there

    for _ in range(iterations):
        image = gradient(p)
        chosen = linear_sum_assignment(-image[block])
        q = fixed.copy()
        q[np.array(rows)[chosen[0]], np.array(columns)[chosen[1]]] = 1
        step = q - p
        square, line = (step * gradient(step)).sum(), 2 * (step * image).sum()
        length = 1.0
        if square < 0:
            length = min(1.0, max(0.0, -line / (2 * square)))
        elif square + line < 0:
            length = 0.0
        p = p + length * step
        if length * abs(step).sum() < 1e-6:
            break
    return dict(zip(*linear_sum_assignment(-p), strict=True))


def best_score(pair, anchors):
    """The share of partners that have the best score of their row, ties by their share."""
    scores = {}
    for row in rows_of(os.path.join(pair.folder, "similarity.csv")):
        scores.setdefault(row["source"], []).append((float(row["score"]), row["target"]))
    truth, known = pair.pairs("truth.csv"), pair.pairs(anchors)
    asked = [source for source in truth if source not in known]
    right = 0.0
    for source in asked:
        highest = max(score for score, _ in scores[source])
        tops = [target for score, target in scores[source] if score == highest]
        right += (truth[source] in tops) / len(tops)
    return right / len(asked)


def show(name, *cells):
    def cell(value):
        if value is None:
            return ""
        return value if isinstance(value, str) else f"{value[0]:.3f}, {value[1]:.1f} s"

    print(f"| {name} | {' | '.join(cell(value) for value in cells)} |", flush=True)


@contextlib.contextmanager
def rewritten(pair, line, header):
    """The edges of both sides in other words, as files."""
    with tempfile.TemporaryDirectory() as place:
        files = []
        for side in ("source", "target"):
            files.append(os.path.join(place, f"{side}.csv"))
            with open(files[-1], "w") as file:
                file.write(header + "\n")
                edges = rows_of(os.path.join(pair.folder, f"{side}_edges.csv"))
                file.writelines(line(row) + "\n" for row in edges)
        yield files


def print_rows(options, wanted):
    print("| | without | with | baseline |\n|---|---|---|---|")
    for name in ["acm_dblp", "douban"]:
        if wanted(f"attributes {name}"):
            pair = Pair(options, name)
            with_them = pair.accuracy("anchors_20.csv", *ATTRIBUTES)
            show(f"{name}, 20 %, attributes", pair.accuracy("anchors_20.csv"), with_them, None)
    for name in ["dbp15k_zh_en", "srprs_de_en"]:
        if wanted(f"relations {name}"):
            pair = Pair(options, name)
            with rewritten(pair, lambda row: f"{row['u']},{row['v']}", "u,v") as files:
                plain = pair.accuracy("anchors_30.csv", "--undirected", edges=files)
            related = pair.accuracy("anchors_30.csv", "--directed", "--relations", "rel")
            show(f"{name}, 30 %, relations", plain, related, None)
    for k in range(3):
        if wanted(f"candidates genealogy{k}"):
            pair = Pair(options, os.path.join("genealogy", f"problem{k}"))
            listed = pair.accuracy("anchors_10.csv", "--candidates", "similarity.csv")
            score = f"{best_score(pair, 'anchors_10.csv'):.3f}"
            show(f"genealogy {k}, 10 %, candidates", pair.accuracy("anchors_10.csv"), listed, score)
    for name in CONNECTOMES:
        for percent in [5, 10, 20]:
            anchors = f"anchors_{percent}.csv"
            if wanted(f"directed {name}"):
                pair = Pair(options, name)
                plain = pair.accuracy(anchors, "--undirected", "--duplicates", "sum")
                with_them = pair.accuracy(anchors, "--directed")
                show(f"{name}, {percent} %, directions", plain, with_them, pair.faq(anchors, False))
            if wanted(f"crossing {name}"):
                pair = Pair(options, name)
                plain = pair.accuracy(anchors, "--directed")
                with_them = pair.accuracy(anchors, "--directed", *CROSSING)
                show(f"{name}, {percent} %, crossing", plain, with_them, pair.faq(anchors, True))


def print_layers(options):
    """Two grown worms, chemical and electrical synapses: layers set aside, as layers, and FAQ; six draws of anchors."""
    folder = os.path.join(options.data, "alignment", "witvliet_worms")
    edges = [rows_of(os.path.join(folder, f"worm{k}_edges.csv")) for k in (7, 8)]
    cells = [{row[end] for row in side for end in ("u", "v")} for side in edges]
    cells = sorted(cells[0] & cells[1], key=int)
    place = {cell: k for k, cell in enumerate(cells)}
    # Whoever breaks ties by the order of the nodes must not find the partners by it.
    images = list(range(len(cells)))
    random.Random(0).shuffle(images)
    files = ("source_edges.csv", "target_edges.csv")
    scores = []
    for seed in range(1, 7):
        known = random.Random(seed).sample(range(len(cells)), round(0.1 * len(cells)))
        with tempfile.TemporaryDirectory() as place_of_files:
            pair = Pair(options, "witvliet_worms")
            pair.folder = place_of_files
            tables = []
            for side, file, of in zip(edges, files, (list(range(len(cells))), images), strict=True):
                layers = {kind: np.zeros((len(cells), len(cells))) for kind in ("chemical", "electrical")}
                for row in side:
                    if row["u"] in place and row["v"] in place:
                        ends = of[place[row["u"]]], of[place[row["v"]]]
                        layers[row["type"]][ends] += float(row["synapses"])
                tables.append(layers)
                with open(os.path.join(place_of_files, file), "w") as out:
                    out.write("u,v,weight,layer\n")
                    for kind, table in layers.items():
                        for u, v in np.argwhere(table):
                            out.write(f"{u},{v},{table[u, v]:.0f},{kind}\n")
            for file in ("source_nodes.csv", "target_nodes.csv"):
                with open(os.path.join(place_of_files, file), "w") as out:
                    out.writelines(f"{line}\n" for line in ["id", *range(len(cells))])
            for file, nodes in (("truth.csv", range(len(cells))), ("anchors.csv", known)):
                with open(os.path.join(place_of_files, file), "w") as out:
                    out.writelines(["source,target\n", *(f"{k},{images[k]}\n" for k in nodes)])
            plain = pair.accuracy("anchors.csv", "--directed", "--duplicates", "sum")
            layered = pair.accuracy("anchors.csv", "--directed", "--layers", "layer")
            start = time.perf_counter()
            layers = [[np.log1p(table) for table in side.values()] for side in tables]
            found = faq(layers[0], layers[1], None, None, {k: images[k] for k in known})
            right = [found[k] == images[k] for k in range(len(cells)) if k not in known]
            scores.append([plain, layered, (sum(right) / len(right), time.perf_counter() - start)])
    show("worms 7 and 8, 10 %, layers", *(tuple(np.mean(cell, axis=0)) for cell in zip(*scores, strict=True)))


def print_counts(options):
    columns = [f"{name}, {percent} %" for name in CONNECTOMES for percent in (5, 10, 20)]
    print("\n| weights given | " + " | ".join(columns) + " |")
    print("|---" * 7 + "|")
    for name, form in FORMS.items():
        cells = []
        for folder in CONNECTOMES:
            pair = Pair(options, folder)

            def weighed(row, form=form):
                return f"{row['u']},{row['v']},{form(float(row['weight'])):.9g}"

            with rewritten(pair, weighed, "u,v,weight") as files:
                for percent in (5, 10, 20):
                    cells.append(pair.accuracy(f"anchors_{percent}.csv", "--directed", edges=files))
        show(name, *cells)


#: Folder, the options that match it, and how many nodes are asked at a time.
QUESTIONS = [
    *((f"genealogy/problem{k}", ["--candidates", "similarity.csv"], 25) for k in range(3)),
    ("bgm_maggot_subset", ["--directed"], 10),
    ("bgm_herm_chem", ["--directed"], 5),
]


def asked(pair, way, found, anchors, known, more, count, rng):
    """The next nodes to ask for, in one of three ways."""
    if way == "suggested":
        answer, _ = pair.run("suggest", anchors, "-k", str(count), *more)
        return [str(entry["source"]) for entry in answer["suggestions"]]
    if way == "random":
        return rng.sample([s for s in pair.pairs("truth.csv") if s not in known], count)
    doubtful = [row for row in found["pairs"] if not row["anchor"]]
    doubtful.sort(key=lambda row: row["confidence"])
    return [str(row["source"]) for row in doubtful[:count]]


def questions(pair, way, more, count, seed):
    """How many nodes are asked for until .9 of all are right."""
    truth, known, rng = pair.pairs("truth.csv"), pair.pairs("anchors_5.csv"), random.Random(seed)
    first = questioned = len(known)
    # A node without a partner is asked for once, and the answer is "none".
    alone = set()
    with tempfile.TemporaryDirectory() as place:
        anchors = os.path.join(place, "anchors.csv")
        while True:
            with open(anchors, "w") as file:
                file.write("source,target\n")
                file.writelines(f"{s},{t}\n" for s, t in known.items())
                file.writelines(f"{s},\n" for s in sorted(alone))
            found, _ = pair.run("match", anchors, "--truth", "truth.csv", *more)
            right = found["accuracy"] * (len(truth) - len(known)) + len(known)
            if right >= 0.9 * len(truth):
                return questioned - first
            nodes = asked(pair, way, found, anchors, known, more, count, rng)
            questioned += len(nodes)
            known.update((source, truth[source]) for source in nodes if source in truth)
            alone.update(source for source in nodes if source not in truth)


def print_questions(options, wanted):
    print("\n| | questions until .9, suggested | least confident first | random |\n|---|---|---|---|")
    for name, more, count in QUESTIONS:
        if wanted(f"questions {name}"):
            pair = Pair(options, name)
            ways = ("suggested", "least confident", "random")
            show(f"{name}", *(str(questions(pair, way, more, count, 1)) for way in ways))


def main():
    options = arguments()
    words = options.rows.split(",") if options.rows else []

    def wanted(row):
        return not words or any(word in row for word in words)

    print_rows(options, wanted)
    if wanted("layers"):
        print_layers(options)
    if wanted("counts"):
        print_counts(options)
    if options.questions:
        print_questions(options, wanted)


if __name__ == "__main__":
    main()

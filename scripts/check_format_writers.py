#!/usr/bin/env python3
"""Let networkx, igraph, SciPy and NumPy read what `anchormatch convert` writes, and compare.

    out/samples/bin/python scripts/check_format_writers.py [path/to/anchormatch]

Prints a line for each pair of format and reader, and fails at the first that differs. The libraries
are those of scripts/format_samples.txt.
"""

import gzip
import html
import pathlib
import subprocess
import sys
import tempfile

import igraph
import networkx as nx
import numpy as np
import scipy.io
import scipy.sparse as sp

IDS = ["ann", "bob b", "eve &", "λ <ü>", "alone"]
EDGES = {(0, 1): 1.5, (1, 2): -2.0, (0, 2): 0.25, (2, 3): 1e-3}
N = len(IDS)


def main():
    command = sys.argv[1] if len(sys.argv) > 1 else "target/release/anchormatch"
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        source = folder / "source.csv"
        rows = [f'"{IDS[u]}","{IDS[v]}",{w}' for (u, v), w in EDGES.items()]
        # Isolated nodes stand as edges to themselves; this one comes last.
        source.write_text("source,target,weight\n" + "\n".join(rows) + f'\n"{IDS[4]}","{IDS[4]}",0\n')

        def write(name):
            path = folder / name
            subprocess.run([command, "convert", str(source), str(path)], check=True, stderr=subprocess.DEVNULL)
            return str(path)

        def check(what, ids, edges):
            ids = list(ids)
            found = {frozenset((str(u), str(v))): w for u, v, w in edges}
            wanted = {frozenset((ids[u], ids[v])): w for (u, v), w in EDGES.items()}
            assert found == wanted, (what, found, wanted)
            print(f"{what}: {len(ids)} nodes, {len(found)} edges, equal")

        def networkx(what, graph):
            assert set(graph) == set(IDS), (what, set(graph))
            check(what, IDS, [(u, v, float(d["weight"])) for u, v, d in graph.edges(data=True)])

        networkx("graphml, networkx", nx.read_graphml(write("a.graphml")))
        networkx("gml, networkx", nx.read_gml(write("a.gml")))
        networkx("pajek, networkx", nx.Graph(nx.read_pajek(write("a.net"))))

        def by_igraph(what, graph, ids):
            names = list(ids)
            edges = [(names[e.source], names[e.target], e["weight"]) for e in graph.es]
            check(what, names, edges)

        g = igraph.Graph.Read_GraphML(write("b.graphml"))
        by_igraph("graphml, igraph", g, g.vs["id"])
        # igraph leaves an ampersand in an attribute as the number it stands for.
        assert [i.replace("&#38;", "&") for i in g.vs["id"]] == IDS, list(g.vs["id"])
        g = igraph.Graph.Read_GML(write("b.gml"))
        # igraph keeps numbered characters as they are written.
        labels = [html.unescape(label) for label in g.vs["label"]]
        by_igraph("gml, igraph", g, labels)
        assert labels == IDS, labels
        g = igraph.Graph.Read_Pajek(write("b.net"))
        by_igraph("pajek, igraph", g, g.vs["name"] if "name" in g.vs.attributes() else g.vs["id"])

        def matrix(what, found, ids=range(N)):
            found = np.asarray(found.todense() if sp.issparse(found) else found)
            wanted = np.zeros((N, N))
            for (u, v), w in EDGES.items():
                wanted[u, v] = wanted[v, u] = w
            assert (found == wanted).all(), (what, found)
            print(f"{what}: {found.shape[0]}×{found.shape[1]}, equal")

        matrix("mtx, SciPy", scipy.io.mmread(write("a.mtx")))
        with gzip.open(write("a.mtx.gz")) as file:
            matrix("mtx.gz, SciPy", scipy.io.mmread(file))
        matrix("npy, NumPy", np.load(write("a.npy")))
        path = write("a.npz")
        matrix("npz, SciPy", sp.load_npz(path))
        assert list(np.load(path)["ids"]) == IDS
        loaded = scipy.io.loadmat(write("a.mat"))
        matrix("mat, SciPy", loaded["A"])
        assert [str(cell[0][0]) for cell in loaded["ids"]] == IDS, loaded["ids"]
        table = np.genfromtxt(write("a.adj"), delimiter=",", skip_header=1, comments=None, encoding="utf-8")
        matrix("adjacency, NumPy", table[:, 1:])


if __name__ == "__main__":
    main()

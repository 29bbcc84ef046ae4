#!/usr/bin/env python3
"""Write small graph files with networkx, igraph, SciPy and NumPy, each with the graph it holds.

    python3 -m venv out/samples && out/samples/bin/pip install -r scripts/format_samples.txt
    out/samples/bin/python scripts/make_format_samples.py [FOLDER]

FOLDER is crates/anchormatch-io/tests/data/formats by default. Beside a file `x.gml` stands
`x.gml.json`: {"options": {…}, "nodes": [ids], "edges": [[source, target, weight]], and perhaps
"counts": {…}, "positions": [[x, y]]}. The graph in it is what this script set out to write, not what
any reader of ours makes of the file. Files that no library here writes (Gephi's, yEd's and R's
dialects) are written out by hand below.
"""

import gzip
import io
import json
import pathlib
import sys

import igraph
import networkx as nx
import numpy as np
import scipy.io
import scipy.sparse as sp

FOLDER = pathlib.Path(__file__).parent.parent / "crates/anchormatch-io/tests/data/formats"

# One graph for all: an isolated node, a negative weight, ids with blanks, quotes and other scripts.
IDS = ["ann", "bob b", 'eve "e"', "λ & <ü>", "alone"]
EDGES = [(0, 1, 1.5), (1, 2, -2.0), (0, 2, 0.25), (2, 3, 1e-3)]
N = len(IDS)


def matrix(edges=EDGES, n=N):
    dense = np.zeros((n, n))
    for u, v, w in edges:
        dense[u, v] = dense[v, u] = w
    return dense


class Samples:
    def __init__(self, folder):
        self.folder = folder
        folder.mkdir(parents=True, exist_ok=True)
        for old in folder.iterdir():
            old.unlink()

    def path(self, name):
        return str(self.folder / name)

    def expect(self, name, ids=IDS, edges=EDGES, options=None, counts=None, positions=None):
        """Say what is in the file `name`."""
        what = {
            "options": options or {},
            "nodes": [str(i) for i in ids],
            "edges": [[str(ids[u]), str(ids[v]), w] for u, v, w in edges],
        }
        if counts:
            what["counts"] = counts
        if positions:
            what["positions"] = positions
        text = json.dumps(what, ensure_ascii=False, indent=1) + "\n"
        (self.folder / f"{name}.json").write_text(text, encoding="utf-8")

    def text(self, name, text, encoding="utf-8", **what):
        (self.folder / name).write_bytes(text.encode(encoding))
        self.expect(name, **what)


def networkx_files(out):
    g = nx.Graph()
    g.add_nodes_from(IDS)
    g.add_weighted_edges_from((IDS[u], IDS[v], w) for u, v, w in EDGES)

    nx.write_graphml(g, out.path("networkx.graphml"))
    out.expect("networkx.graphml")
    nx.write_gml(g, out.path("networkx.gml"))
    out.expect("networkx.gml")
    # Its edge lists do not quote and leave isolated nodes out.
    plain = ["a", "b", "c", "d"]
    h = nx.relabel_nodes(g.subgraph(IDS[:4]), dict(zip(IDS, plain)))
    nx.write_edgelist(h, out.path("networkx_attributes.edgelist"))
    out.expect("networkx_attributes.edgelist", ids=plain)
    nx.write_weighted_edgelist(h, out.path("networkx_weighted.edges"))
    out.expect("networkx_weighted.edges", ids=plain)
    nx.write_edgelist(h, out.path("networkx_bare.txt"), data=False)
    out.expect("networkx_bare.txt", ids=plain, edges=[(u, v, 1.0) for u, v, _ in EDGES])
    nx.write_weighted_edgelist(h, out.path("networkx_tab.tsv.gz"), delimiter="\t")
    out.expect("networkx_tab.tsv.gz", ids=plain)
    # Its Pajek writer quotes ids with blanks and leaves quotes alone.
    words = ["a", "b b", "c", "λ", "e"]
    p = nx.relabel_nodes(g, dict(zip(IDS, words)))
    nx.write_pajek(p, out.path("networkx.net"))
    out.expect("networkx.net", ids=words)

    d = nx.MultiDiGraph()
    d.add_nodes_from(range(4))
    d.add_edge(0, 1, weight=2.0)
    d.add_edge(1, 0, weight=2.0)
    d.add_edge(0, 1, weight=2.0)
    d.add_edge(1, 2, weight=3.0)
    d.add_edge(2, 2, weight=9.0)
    merged = dict(
        ids=range(4),
        edges=[(0, 1, 2.0), (1, 2, 3.0)],
        counts={
            "directed_edges": 4,
            "opposite_edges": 1,
            "repeated_edges": 1,
            "self_loops": 1,
            "zero_weights": 0,
        },
    )
    nx.write_graphml(d, out.path("networkx_directed.graphml"))
    out.expect("networkx_directed.graphml", **merged)
    nx.write_gml(d, out.path("networkx_directed.gml"))
    out.expect("networkx_directed.gml", **merged)
    nx.write_pajek(nx.relabel_nodes(d, str), out.path("networkx_directed.net"))
    out.expect("networkx_directed.net", **merged)


def igraph_files(out):
    g = igraph.Graph(n=N, edges=[(u, v) for u, v, _ in EDGES])
    g.vs["name"] = IDS
    g.es["weight"] = [w for _, _, w in EDGES]
    g.write_graphml(out.path("igraph.graphml"))
    out.expect("igraph.graphml", ids=[f"n{i}" for i in range(N)])
    g.write_graphml(out.path("igraph_names.graphml"))
    out.expect("igraph_names.graphml", options={"node_id": "name"})
    h = g.copy()
    h.vs["name"] = words = ["a", "b b", "c", "d", "e"]
    h.write_gml(out.path("igraph.gml"))
    out.expect("igraph.gml", ids=words)
    h.write_leda(out.path("igraph.gw"), names="name", weights="weight")
    out.expect("igraph.gw", ids=words)
    p = h.copy()
    p.vs["id"] = words
    p.write_pajek(out.path("igraph.net"))
    out.expect("igraph.net", ids=words)
    h.vs["name"] = plain = list("abcde")
    h.write_ncol(out.path("igraph_ncol.txt"), names="name", weights="weight")
    out.expect("igraph_ncol.txt", ids=plain[:4])


def scipy_files(out):
    dense = matrix()
    lower = sp.coo_matrix(np.tril(dense))
    numbered = dict(ids=range(1, N + 1))
    counted = dict(ids=range(N))

    scipy.io.mmwrite(out.path("scipy_symmetric.mtx"), sp.coo_matrix(dense), symmetry="symmetric")
    out.expect("scipy_symmetric.mtx", **numbered)
    scipy.io.mmwrite(out.path("scipy_general.mtx"), sp.coo_matrix(dense), symmetry="general")
    out.expect("scipy_general.mtx", **numbered)
    scipy.io.mmwrite(out.path("scipy_array.mtx"), dense, symmetry="general")
    out.expect("scipy_array.mtx", **numbered)
    scipy.io.mmwrite(out.path("scipy_array_symmetric.mtx"), dense, symmetry="symmetric")
    out.expect("scipy_array_symmetric.mtx", **numbered)
    ones = [(u, v, 1.0) for u, v, _ in EDGES]
    scipy.io.mmwrite(
        out.path("scipy_pattern.mtx"),
        sp.coo_matrix(matrix(ones)),
        field="pattern",
        symmetry="symmetric",
    )
    out.expect("scipy_pattern.mtx", edges=ones, **numbered)
    whole = [(u, v, float(k + 2)) for k, (u, v, _) in enumerate(EDGES)]
    packed = io.BytesIO()
    scipy.io.mmwrite(packed, sp.coo_matrix(matrix(whole).astype(int)), symmetry="symmetric")
    (out.folder / "scipy_integer.mtx.gz").write_bytes(gzip.compress(packed.getvalue(), mtime=0))
    out.expect("scipy_integer.mtx.gz", edges=whole, **numbered)
    skew = np.tril(dense) - np.triu(dense)
    scipy.io.mmwrite(out.path("scipy_skew.mtx"), sp.coo_matrix(skew), symmetry="skew-symmetric")
    absolute = [(u, v, abs(w)) for u, v, w in EDGES]
    out.expect("scipy_skew.mtx", edges=absolute, counts={"directed_edges": 4}, **numbered)
    scipy.io.mmwrite(out.path("scipy_array_skew.mtx"), skew, symmetry="skew-symmetric")
    out.expect("scipy_array_skew.mtx", edges=absolute, **numbered)

    for kind in ["csr", "csc", "coo", "dia"]:
        name = f"scipy_{kind}.npz"
        sp.save_npz(out.path(name), sp.coo_matrix(dense).asformat(kind))
        out.expect(name, **counted)
    sp.save_npz(out.path("scipy_array_csr.npz"), sp.csr_array(dense))
    out.expect("scipy_array_csr.npz", **counted)
    sp.save_npz(out.path("scipy_array_coo.npz"), sp.coo_array(dense))
    out.expect("scipy_array_coo.npz", **counted)
    sp.save_npz(out.path("scipy_one_sided.npz"), lower.tocsr(), compressed=False)
    out.expect("scipy_one_sided.npz", counts={"directed_edges": 4}, **counted)

    scipy.io.savemat(out.path("scipy_full.mat"), {"A": dense, "title": "x", "k": 3.0})
    out.expect("scipy_full.mat", **numbered)
    scipy.io.savemat(out.path("scipy_sparse.mat"), {"A": sp.csc_matrix(dense)})
    out.expect("scipy_sparse.mat", **numbered)
    scipy.io.savemat(
        out.path("scipy_compressed.mat"),
        {"s": {"inner": dense}, "c": np.array([dense, "x"], dtype=object), "A": dense, "B": sp.csc_matrix(2 * dense)},
        do_compression=True,
    )
    twice = [(u, v, 2 * w) for u, v, w in EDGES]
    out.expect("scipy_compressed.mat", edges=twice, options={"variable": "B"}, **numbered)
    scipy.io.savemat(out.path("scipy_logical.mat"), {"A": matrix(ones) > 0})
    out.expect("scipy_logical.mat", edges=ones, **numbered)
    scipy.io.savemat(out.path("scipy_single.mat"), {"A": (8 * dense).astype(np.float32)})
    single = [(u, v, float(np.float32(8 * w))) for u, v, w in EDGES]
    out.expect("scipy_single.mat", edges=single, **numbered)
    cells = np.array(IDS, dtype=object).reshape(-1, 1)
    scipy.io.savemat(out.path("scipy_ids.mat"), {"A": sp.csc_matrix(dense), "ids": cells})
    out.expect("scipy_ids.mat")


def numpy_files(out):
    dense = matrix()
    counted = dict(ids=range(N))
    np.save(out.path("numpy_f8.npy"), dense)
    out.expect("numpy_f8.npy", **counted)
    np.save(out.path("numpy_fortran.npy"), np.asfortranarray(dense))
    out.expect("numpy_fortran.npy", **counted)
    np.save(out.path("numpy_big_endian.npy"), dense.astype(">f8"))
    out.expect("numpy_big_endian.npy", **counted)
    for kind in ["f2", "f4", "i1", "i2", "i8", "u1", "u4", "?"]:
        integers = [(0, 1, 1.0), (1, 2, 1.0)] if kind == "?" else [(0, 1, 3.0), (1, 2, 7.0)]
        name = f"numpy_{'bool' if kind == '?' else kind}.npy"
        np.save(out.path(name), matrix(integers).astype(kind))
        out.expect(name, edges=integers, **counted)
    np.savez(out.path("numpy_two.npz"), A=dense, B=3 * dense, times=np.arange(3))
    out.expect("numpy_two.npz", options={"variable": "A"}, **counted)
    np.savez_compressed(out.path("numpy_one.npz"), adjacency=dense, times=np.arange(3))
    out.expect("numpy_one.npz", **counted)
    np.savez(out.path("numpy_ids.npz"), adjacency=dense, ids=np.array(IDS))
    out.expect("numpy_ids.npz")
    np.savetxt(out.path("numpy_savetxt.adj"), dense)
    out.expect("numpy_savetxt.adj", **counted)
    np.savetxt(out.path("numpy_savetxt_comma.adj.gz"), dense, delimiter=",", header="a matrix")
    out.expect("numpy_savetxt_comma.adj.gz", **counted)


def files_by_hand(out):
    rows = "".join(
        f"{i},{i + 1},Undirected,{k},,{w}\r\n" for k, (i, w) in enumerate([(1, 2.5), (2, 1.0), (3, 0.5)])
    )
    path = [(0, 1, 2.5), (1, 2, 1.0), (2, 3, 0.5)]
    ids = ["1", "2", "3", "4"]
    out.text(
        "gephi_edges.csv",
        "\ufeffSource,Target,Type,Id,Label,Weight\r\n" + rows,
        ids=ids,
        edges=path,
    )
    out.text(
        "gephi_directed.csv",
        "Source,Target,Type,Id,Label,Weight\n1,2,Directed,0,,2\n2,1,Directed,1,,2\n",
        ids=["1", "2"],
        edges=[(0, 1, 2.0)],
        counts={"directed_edges": 2, "opposite_edges": 1, "repeated_edges": 0},
    )
    out.text(
        "gephi_matrix.csv",
        ";a;b b;c\na;0.0;1.5;0.0\nb b;1.5;0.0;-2.0\nc;0.0;-2.0;0.0\n",
        ids=["a", "b b", "c"],
        edges=[(0, 1, 1.5), (1, 2, -2.0)],
        options={"format": "adjacency"},
    )
    out.text(
        "pandas_edges.csv",
        ',source,target,weight\n0,a,"b, c",1.5\n1,"b, c",d,-2.0\n',
        ids=["a", "b, c", "d"],
        edges=[(0, 1, 1.5), (1, 2, -2.0)],
    )
    out.text(
        "pandas_matrix.csv",
        ",a,b,c\na,,1.5,\nb,1.5,,-2.0\nc,,-2.0,\n",
        ids=["a", "b", "c"],
        edges=[(0, 1, 1.5), (1, 2, -2.0)],
        options={"format": "adjacency"},
    )
    out.text(
        "r_matrix.txt",
        '"a" "b" "c"\n"a" 0 1.5 0\n"b" 1.5 0 -2\n"c" 0 -2 0\n',
        ids=["a", "b", "c"],
        edges=[(0, 1, 1.5), (1, 2, -2.0)],
        options={"format": "adjacency"},
    )
    out.text(
        "snap.txt",
        "# Undirected graph: x.txt\r\n# Nodes: 3 Edges: 2\r\n# FromNodeId\tToNodeId\r\n0\t1\r\n1\t2\r\n",
        ids=["0", "1", "2"],
        edges=[(0, 1, 1.0), (1, 2, 1.0)],
    )
    out.text(
        "konect.edges",
        "% sym weighted\n% 2 3 3\n1 2 4\n2 3 5\n",
        ids=["1", "2", "3"],
        edges=[(0, 1, 4.0), (1, 2, 5.0)],
    )
    out.text(
        "semicolons.csv",
        '"from";"to";"w"\n"a;b";c;1\nc;d;2\n',
        ids=["a;b", "c", "d"],
        edges=[(0, 1, 1.0), (1, 2, 2.0)],
    )
    out.text(
        "gephi.gml",
        "graph\n[\n  Creator \"Gephi\"\n  directed 1\n  node\n  [\n    id 0\n    label \"a\"\n    graphics\n"
        "    [\n      x -1.5\n      y 2.0\n      z 0.0\n      w 10.0\n      h 10.0\n      d 10.0\n"
        "      fill \"#999999\"\n    ]\n  ]\n  node\n  [\n    id 1\n    label \"b\"\n    graphics\n    [\n"
        "      x 3.0\n      y 4.0\n      z 0.0\n      fill \"#999999\"\n    ]\n  ]\n  edge\n  [\n"
        "    id 0\n    source 0\n    target 1\n    value 2.0\n    fill \"#999999\"\n  ]\n]\n",
        ids=["a", "b"],
        edges=[(0, 1, 2.0)],
        counts={"directed_edges": 1},
        positions=[[-1.5, 2.0, 0.0], [3.0, 4.0, 0.0]],
    )
    out.text(
        "gephi.graphml",
        '<?xml version="1.0" encoding="UTF-8"?>\n'
        '<graphml xmlns="http://graphml.graphdrawing.org/xmlns">\n'
        '<key attr.name="label" attr.type="string" for="node" id="label"/>\n'
        '<key attr.name="Edge Label" attr.type="string" for="edge" id="edgelabel"/>\n'
        '<key attr.name="weight" attr.type="double" for="edge" id="weight"/>\n'
        '<key attr.name="r" attr.type="int" for="node" id="r"/>\n'
        '<key attr.name="x" attr.type="float" for="node" id="x"/>\n'
        '<key attr.name="y" attr.type="float" for="node" id="y"/>\n'
        '<graph edgedefault="undirected">\n'
        '<node id="1.0"><data key="label">a</data><data key="r">9</data><data key="x">1.5</data>'
        '<data key="y">-2</data></node>\n'
        '<node id="2.0"><data key="label">b</data><data key="x">0</data><data key="y">1e1</data></node>\n'
        '<edge id="0" source="1.0" target="2.0"><data key="weight">2.5</data></edge>\n'
        "</graph>\n</graphml>\n",
        ids=["1.0", "2.0"],
        edges=[(0, 1, 2.5)],
        positions=[[1.5, -2.0], [0.0, 10.0]],
    )
    out.text(
        "yed.graphml",
        '<?xml version="1.0" encoding="UTF-8" standalone="no"?>\n'
        '<graphml xmlns="http://graphml.graphdrawing.org/xmlns" xmlns:java="http://www.yworks.com/xml/yfiles-common/1.0/java" '
        'xmlns:y="http://www.yworks.com/xml/graphml" xmlns:yed="http://www.yworks.com/xml/yed/3">\n'
        "  <!--Created by yEd 3.23-->\n"
        '  <key attr.name="Description" attr.type="string" for="graph" id="d0"/>\n'
        '  <key for="port" id="d1" yfiles.type="portgraphics"/>\n'
        '  <key for="node" id="d6" yfiles.type="nodegraphics"/>\n'
        '  <key for="graphml" id="d7" yfiles.type="resources"/>\n'
        '  <key attr.name="weight" attr.type="double" for="edge" id="d8"><default>1.5</default></key>\n'
        '  <key for="edge" id="d10" yfiles.type="edgegraphics"/>\n'
        '  <graph edgedefault="directed" id="G">\n    <data key="d0" xml:space="preserve"/>\n'
        '    <node id="n0"><data key="d6"><y:ShapeNode><y:Geometry height="30.0" width="30.0" x="100.0" y="50.0"/>'
        '<y:Fill color="#FFCC00" transparent="false"/><y:NodeLabel>first<y:LabelModel/></y:NodeLabel>'
        '<y:Shape type="rectangle"/></y:ShapeNode></data></node>\n'
        '    <node id="n1"><data key="d6"><y:ShapeNode><y:Geometry height="30.0" width="30.0" x="200.0" y="75.0"/>'
        "<y:NodeLabel>second</y:NodeLabel></y:ShapeNode></data></node>\n"
        '    <edge id="e0" source="n0" target="n1"><data key="d10"><y:PolyLineEdge>'
        '<y:Path sx="0.0" sy="0.0" tx="0.0" ty="0.0"/><y:Arrows source="none" target="standard"/>'
        "</y:PolyLineEdge></data></edge>\n"
        '  </graph>\n  <data key="d7"><y:Resources/></data>\n</graphml>\n',
        ids=["n0", "n1"],
        edges=[(0, 1, 1.5)],
        counts={"directed_edges": 1},
        positions=[[115.0, 65.0], [215.0, 90.0]],
    )
    out.text(
        "pajek.net",
        '% from the manual\r\n*Vertices 4\r\n1 "a" 0.1 0.2 0.5\r\n2 "b b" 0.3 0.4 0.5\r\n3 "c" 0.5 0.6 0.5 ic Red\r\n'
        '4 "d" 0.7 0.8 0.5\r\n*Arcs\r\n1 2 2 c Blue\r\n*Edges\r\n3 4 -1\r\n*Arcslist\r\n4 1 2\r\n',
        ids=["a", "b b", "c", "d"],
        edges=[(0, 1, 2.0), (2, 3, -1.0), (0, 3, 1.0), (1, 3, 1.0)],
        counts={"directed_edges": 3},
        positions=[[0.1, 0.2, 0.5], [0.3, 0.4, 0.5], [0.5, 0.6, 0.5], [0.7, 0.8, 0.5]],
    )
    out.text(
        "aligner.gw",
        "LEDA.GRAPH\nstring\nshort\n-2\n3\n|{YAL001C}|\n|{YAL002W}|\n|{YAL003W}|\n2\n1 2 0 |{}|\n2 3 0 |{}|\n",
        ids=["YAL001C", "YAL002W", "YAL003W"],
        edges=[(0, 1, 1.0), (1, 2, 1.0)],
    )
    # Figure 2 of METIS's manual: seven nodes, eleven edges.
    figure = [(1, 5), (1, 3), (1, 2), (2, 3), (2, 4), (3, 5), (3, 4), (4, 6), (4, 7), (5, 6), (6, 7)]
    weights = [1, 2, 1, 2, 1, 3, 2, 2, 5, 2, 6]
    numbered = [str(i) for i in range(1, 8)]
    out.text(
        "metis.graph",
        "% figure 2 (a)\n7 11\n5 3 2\n1 3 4\n5 4 2 1\n2 3 6 7\n1 3 6\n5 4 7\n6 4\n",
        ids=numbered,
        edges=[(u - 1, v - 1, 1.0) for u, v in figure],
    )
    out.text(
        "metis_weights.graph",
        "7 11 001\n5 1 3 2 2 1\n1 1 3 2 4 1\n5 3 4 2 2 2 1 2\n2 1 3 2 6 2 7 5\n1 1 3 3 6 2\n5 2 4 2 7 6\n6 6 4 5\n",
        ids=numbered,
        edges=[(u - 1, v - 1, float(w)) for (u, v), w in zip(figure, weights)],
    )
    out.text(
        "points.csv",
        "id,x,y\na,0,0\nb,3,4\n",
        ids=["a", "b"],
        edges=[(0, 1, 5.0)],
        options={"format": "points"},
        positions=[[0.0, 0.0], [3.0, 4.0]],
    )
    out.text(
        "cloud.xyz",
        "//X Y Z R G B\n0 0 0 255 0 0\n2 3 6 0 255 0\n",
        ids=["0", "1"],
        edges=[(0, 1, 7.0)],
        positions=[[0.0, 0.0, 0.0], [2.0, 3.0, 6.0]],
    )
    out.text(
        "mesh.ply",
        "ply\n"
        "format ascii 1.0\n"
        "element vertex 3\n"
        "property float x\n"
        "property float y\n"
        "property float z\n"
        "property uchar red\n"
        "property uchar green\n"
        "property uchar blue\n"
        "element face 1\n"
        "property list uchar int vertex_indices\n"
        "end_header\n"
        "0 0 0 255 0 0\n"
        "3 4 0 0 255 0\n"
        "0 4 0 0 0 255\n"
        "3 0 1 2\n",
        ids=["0", "1", "2"],
        edges=[(0, 1, 5.0), (0, 2, 4.0), (1, 2, 3.0)],
        positions=[[0.0, 0.0, 0.0], [3.0, 4.0, 0.0], [0.0, 4.0, 0.0]],
    )
    out.text(
        "coco.keypoints",
        '{"info": {"description": "two of three keypoints"},\n'
        ' "images": [{"id": 9, "file_name": "9.jpg", "height": 480, "width": 640}],\n'
        ' "annotations": [\n'
        '  {"segmentation": [[1.0, 2.0, 3.0, 4.0]], "num_keypoints": 2, "area": 20.5, "iscrowd": 0,\n'
        '   "keypoints": [10, 20, 2, 0, 0, 0, 13, 24, 1], "image_id": 9, "bbox": [1, 2, 30, 40], "category_id": 1, "id": 183126}],\n'
        ' "categories": [{"supercategory": "person", "id": 1, "name": "person", "keypoints": ["nose", "left_eye", "right_eye"],\n'
        '  "skeleton": [[1, 2], [1, 3]]}]}\n',
        ids=["nose", "right_eye"],
        edges=[(0, 1, 5.0)],
        options={"format": "coco"},
        positions=[[10.0, 20.0], [13.0, 24.0]],
    )
    out.text(
        "opencv_keypoints.yml",
        "%YAML:1.0\n"
        "---\n"
        "keypoints:\n"
        "   - [ 0., 0., 31., 9.0250000000000000e+01, 1.1920928955078125e-07, 0, -1 ]\n"
        "   - [ 3., 4., 31., -1., 5.0000000000000000e-01, 1, -1 ]\n"
        "descriptors: !!opencv-matrix\n"
        "   rows: 2\n"
        "   cols: 4\n"
        "   dt: u\n"
        "   data: [ 12, 0, 255, 7, 1, 2,\n"
        "       3, 4 ]\n",
        ids=["0", "1"],
        edges=[(0, 1, 5.0)],
        positions=[[0.0, 0.0], [3.0, 4.0]],
    )
    out.text(
        "opencv_points.xml",
        '<?xml version="1.0"?>\n'
        "<opencv_storage>\n"
        '<points type_id="opencv-matrix">\n'
        "  <rows>2</rows>\n"
        "  <cols>1</cols>\n"
        '  <dt>"2f"</dt>\n'
        "  <data>\n"
        "    0. 0. 3. 4.</data></points>\n"
        "</opencv_storage>\n",
        ids=["0", "1"],
        edges=[(0, 1, 5.0)],
        positions=[[0.0, 0.0], [3.0, 4.0]],
    )


def main():
    folder = pathlib.Path(sys.argv[1]) if len(sys.argv) > 1 else FOLDER
    out = Samples(folder)
    networkx_files(out)
    igraph_files(out)
    scipy_files(out)
    numpy_files(out)
    files_by_hand(out)
    files = [path for path in folder.iterdir() if path.suffix != ".json"]
    print(f"{len(files)} files in {folder}, by networkx {nx.__version__}, igraph {igraph.__version__}, "
          f"SciPy {scipy.__version__}, NumPy {np.__version__}")


if __name__ == "__main__":
    main()

"""What is known beside graphs and anchors: nodes, candidates, edges across, layers."""

from __future__ import annotations

import pickle
import subprocess
import sys
from pathlib import Path

import networkx as nx
import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp

import anchormatch as am
from anchormatch._facts import crossing_arrays

OLD = [
    ("ann", "bob", 1.0),
    ("bob", "eve", 2.0),
    ("eve", "dan", 3.5),
    ("dan", "ann", 0.5),
    ("ann", "eve", 5.0),
]
NEW = [(f"u-{a}", f"u-{b}", w) for a, b, w in OLD]
TRUTH = {name: f"u-{name}" for name in ("ann", "bob", "eve", "dan")}
KNOWN = {"ann": "u-ann"}


def notes(m: am.Matching) -> str:
    return "\n".join(m.notes)


def test_nodes_without_a_partner_are_anchors():
    for anchors in (
        {"ann": "u-ann", "dan": None},
        [("ann", "u-ann"), ("dan", None)],
        [("ann", "u-ann", 1.0), ("dan", None, None)],
        pd.Series({"ann": "u-ann", "dan": None}),
        pd.DataFrame({"source": ["ann", "dan"], "target": ["u-ann", None]}),
    ):
        m = am.match(OLD, NEW, anchors)
        assert m.unmatched_source == ["dan"], anchors
    m = am.match(OLD, NEW, [("ann", "u-ann"), (None, "u-bob")])
    assert m.unmatched_target == ["u-bob"]
    truth = {**TRUTH, "dan": None}
    assert am.match(OLD, NEW, KNOWN).accuracy(truth) == 1.0
    assert am.match(OLD, NEW, KNOWN).precision(TRUTH) == 1.0
    assert am.match(OLD, NEW, KNOWN).precision(truth) == pytest.approx(2 / 3)
    assert am.match(OLD, NEW, KNOWN).hits(TRUTH) == am.match(OLD, NEW, KNOWN).hits(TRUTH, k=4) == 1.0
    assert np.isnan(am.match(OLD, NEW, KNOWN).hits(KNOWN))
    assert np.isnan(am.match(OLD, NEW, KNOWN, preset="paper").hits(TRUTH))
    with pytest.raises(ValueError, match="k: found 0, expected an integer, 1 or more"):
        am.match(OLD, NEW, KNOWN).hits(TRUTH, k=0)
    with pytest.raises(ValueError, match="has no partner is certain"):
        am.match(OLD, NEW, [("dan", None, 0.5)])
    with pytest.raises(ValueError, match="expected one node at least"):
        am.match(OLD, NEW, [(None, None)])
    with pytest.raises(ValueError, match="said to have no partner"):
        am.match(OLD, NEW, [("ann", "u-ann"), ("ann", None)])


FRAME = pd.DataFrame({"age": [31, 28, None, 55], "type": list("xyxy")}, index=["ann", "bob", "eve", "dan"])
TABLES = {
    "index": FRAME,
    "column": FRAME.rename_axis("node").reset_index(),
    "dictionary of rows": {node: row.dropna().to_dict() for node, row in FRAME.iterrows()},
    "dictionary of columns": {"id": list(FRAME.index), **{c: FRAME[c].tolist() for c in FRAME}},
}
OTHER = FRAME.rename(index=lambda node: f"u-{node}").assign(size=1)


@pytest.mark.parametrize("table", TABLES.values(), ids=TABLES)
def test_tables_of_nodes_come_in_many_forms(table):
    m = am.match(OLD, NEW, KNOWN, source_nodes=table, target_nodes=OTHER)
    assert "are compared: age, type" in notes(m)
    assert "not used: size" in notes(m)
    assert am.match(OLD, NEW, KNOWN, source_nodes=table, target_nodes=OTHER, attributes="age").status
    m = am.match(OLD, NEW, KNOWN, source_nodes=table, target_nodes=OTHER, same=["type"])
    assert "are compared: age" in notes(m)


def test_nodes_without_edges_exist_by_their_tables(tmp_path):
    more = pd.concat([FRAME, pd.DataFrame({"age": [7], "type": ["x"]}, index=["zoe"])])
    m = am.match(OLD, NEW, KNOWN, source_nodes=more)
    assert m.source.n_nodes == 5 and m.unmatched_source == ["zoe"]
    path = tmp_path / "nodes.csv"
    path.write_text("id,age\nann,3\nzoe,4\n")
    assert am.match(OLD, NEW, KNOWN, source_nodes=path).source.n_nodes == 5
    assert am.match(OLD, NEW, KNOWN).source.n_nodes == 4


def test_wrong_tables_and_columns_are_refused():
    def match(**options):
        return am.match(OLD, NEW, KNOWN, **options)

    with pytest.raises(ValueError, match=r"attributes: found 'agee', expected .*: 'age', 'type'"):
        match(source_nodes=FRAME, target_nodes=OTHER, attributes=["agee"])
    with pytest.raises(ValueError, match="same: found 'type', expected .* there is none"):
        match(same="type")
    with pytest.raises(ValueError, match="'ann' twice"):
        match(source_nodes=pd.concat([FRAME, FRAME]))
    with pytest.raises(ValueError, match="found 0 and others, .* expected its ids, such as 'ann'"):
        match(source_nodes=FRAME.reset_index(drop=True))
    with pytest.raises(ValueError, match="expected 'id' among them"):
        match(source_nodes={"age": [1, 2]})
    with pytest.raises(TypeError, match="source_nodes: found an object of type int"):
        match(source_nodes=3)
    with pytest.raises(ValueError, match="found .ann. and others, of which the graph has none"):
        am.match(am.points(np.eye(3)), am.points(np.eye(3)), source_nodes=FRAME)
    with pytest.raises(ValueError, match="attributes: found with preset='paper'"):
        match(source_nodes=FRAME, target_nodes=OTHER, attributes="age", preset="paper")
    m = match(source_nodes=FRAME, target_nodes=OTHER, preset="paper")
    assert "the preset does not use: age, type" in notes(m)


def test_attributes_of_graphs_are_there_to_be_asked_for():
    def named(edges, prefix=""):
        made = nx.Graph()
        made.add_weighted_edges_from(edges)
        nx.set_node_attributes(
            made, {prefix + node: age for node, age in zip(FRAME.index, FRAME.age)}, "age"
        )
        return made

    old, new = named(OLD), named(NEW, "u-")
    assert "compared" not in notes(am.match(old, new, KNOWN))
    assert len(am.match(old, new, KNOWN, attributes="age")) == 4
    with pytest.raises(ValueError, match="'age'"):
        am.match(old, new, KNOWN, attributes="colour")


def test_candidates_come_in_many_forms():
    rows = [("bob", "u-bob"), ("bob", "u-dan"), ("dan", "u-dan")]
    for candidates in (
        rows,
        {"bob": ["u-bob", "u-dan"], "dan": "u-dan"},
        {"bob": {"u-bob": 2.0, "u-dan": -1}, "dan": {"u-dan": 1}},
        [(a, b, 0.5) for a, b in rows],
        pd.DataFrame(rows, columns=["source", "target"]),
        pd.DataFrame([(*row, 1.0) for row in rows], columns=["source", "target", "score"]),
        np.array(rows),
    ):
        assert len(am.match(OLD, NEW, KNOWN, candidates=candidates)) == 4
    with pytest.raises(ValueError, match="candidates: found 'u-zoe'"):
        am.match(OLD, NEW, candidates={"bob": ["u-zoe"]})
    with pytest.raises(ValueError, match="finite number"):
        am.match(OLD, NEW, candidates=[("bob", "u-bob", "much")])
    with pytest.raises(TypeError, match="candidates: found an object of type int"):
        am.match(OLD, NEW, candidates=3)
    with pytest.raises(ValueError, match="`ann` is anchored to `u-ann`"):
        am.match(OLD, NEW, KNOWN, candidates={"ann": ["u-bob"]})


def test_crossing_edges_are_matrices_or_lists():
    n = 4
    dense = np.zeros((n, n))
    dense[0, 1] = 2.0
    there = [("ann", "u-bob", 2.0)]
    for crossing in (
        dense,
        sp.csr_array(dense),
        sp.coo_matrix(dense),
        there,
        [("ann", "u-bob")],
        pd.DataFrame(there, columns=["from", "to", "weight"]),
    ):
        assert len(am.match(OLD, NEW, KNOWN, crossing=crossing)) == n
    assert len(am.match(OLD, NEW, KNOWN, crossing=there, crossing_back=[("u-ann", "bob")])) == n
    with pytest.raises(ValueError, match="crossing_back: found 'ann', expected .* target graph"):
        am.match(OLD, NEW, crossing_back=[("ann", "u-bob")])
    with pytest.raises(ValueError, match=r"crossing: found a matrix of shape \(5, 5\), expected \(4, 4\)"):
        am.match(OLD, NEW, crossing=np.eye(5))
    with pytest.raises(ValueError, match="has the weights 1.0 and 2.0"):
        am.match(OLD, NEW, crossing=[("ann", "u-bob", 1), ("ann", "u-bob", 2)])


def test_the_third_column_of_a_table_is_the_number_whatever_it_is_called():
    edges = [("ann", "u-bob", 2.0), ("bob", "u-eve", 9.0)]

    def weights(columns, rows=edges, **more):
        table = pd.DataFrame(rows, columns=columns).assign(**more)
        there, _ = crossing_arrays(table, None, am.graph(OLD), am.graph(NEW))
        return there[2].tolist()

    assert weights(["from", "to", "weight"]) == [2.0, 9.0]
    assert weights(["from", "to", "synapses"]) == [2.0, 9.0]
    assert weights(["synapses", "to", "from"], [row[::-1] for row in edges]) == [2.0, 9.0]
    assert weights(["from", "to", "weight"], place="here") == [2.0, 9.0]
    assert weights(["from", "to", "length"], place="here") == [1.0, 1.0]
    scored = pd.DataFrame([("bob", "u-bob", "much")], columns=["source", "target", "how"])
    with pytest.raises(ValueError, match="finite number"):
        am.match(OLD, NEW, KNOWN, candidates=scored)


def test_layers_are_lists_of_graphs():
    rng = np.random.default_rng(0)
    first, second = (np.triu(rng.random((6, 6)), 1) for _ in range(2))
    layers = [first + first.T, second + second.T]
    order = rng.permutation(6)
    others = [layer[np.ix_(order, order)] for layer in layers]
    m = am.match(layers, others, [(int(order[0]), 0)])
    assert m.source.n_nodes == 6
    assert np.allclose(m.source.adjacency(), sum(layers))
    sparse = am.match([sp.csr_array(a) for a in layers], others, layers=["work", "home"])
    assert len(sparse) == 6
    named = am.match(
        {"a": nx.Graph(OLD_EDGES), "b": am.graph(OLD)}, {"b": am.graph(NEW), "a": am.graph(NEW)}
    )
    assert named.source.n_nodes == 4
    with pytest.raises(ValueError, match="on one side alone"):
        am.match(layers, others[0])
    with pytest.raises(ValueError, match="expected one of its own for each"):
        am.match(layers, others, layers=["work"])
    with pytest.raises(TypeError, match="layers: found a name with lists"):
        am.match(layers, others, layers="layer")
    with pytest.raises(ValueError, match="layers: found with preset='paper'"):
        am.match(layers, others, preset="paper")


OLD_EDGES = [(a, b) for a, b, _ in OLD]


def test_kinds_of_edges_are_columns_and_attributes():
    kinds = ["work", "home", "work", "home", "work"]
    table = pd.DataFrame([(*row, kind) for row, kind in zip(OLD, kinds)])
    table.columns = ["source", "target", "weight", "layer"]
    multi = nx.MultiGraph()
    for (a, b, w), kind in zip(NEW, kinds):
        multi.add_edge(a, b, weight=w, layer=kind)
    multi.add_edge("u-ann", "u-bob", weight=2.0, layer="home")
    rows = [(a, b, {"weight": w, "layer": kind}) for (a, b, w), kind in zip(NEW, kinds)]
    for target in (multi, rows, multi.to_directed()):
        m = am.match(table, target, KNOWN, layers="layer")
        assert m.source._kinds[0] == ["work", "home"]
        assert m.target._kind_name == "layer"
    assert am.match(table, multi, KNOWN, relations="layer").target.edges()[0] == ("u-ann", "u-bob", 3.0)
    with pytest.raises(ValueError, match=r"edge \('ann', 'bob'\) has no 'layer'"):
        am.match(OLD, rows, layers="layer")
    with pytest.raises(ValueError, match="expected one called 'kind'"):
        am.match(table, table, relations="kind")
    with pytest.raises(ValueError, match="found a matrix, whose entries have no 'layer'"):
        am.match(np.eye(3), np.eye(3), layers="layer")
    with pytest.raises(TypeError, match="expected one of the two"):
        am.match(table, rows, layers="layer", relations="layer")
    twice = pd.concat([table, table.head(1).assign(weight=7)])
    with pytest.raises(ValueError, match="duplicates= merges them"):
        am.match(twice, rows, layers="layer")


def test_files_are_read_as_the_command_reads_them(tmp_path):
    old, new = tmp_path / "old.csv", tmp_path / "new.graphml"
    old.write_text("source,target,weight,layer\n" + "".join(f"{a},{b},{w},x\n" for a, b, w in OLD))
    graph = nx.Graph()
    graph.add_weighted_edges_from(NEW)
    nx.set_node_attributes(graph, dict.fromkeys(graph, 3), "age")
    nx.set_edge_attributes(graph, "x", "layer")
    nx.write_graphml(graph, new)
    m = am.match(str(old), new, KNOWN)
    assert m.accuracy(TRUTH) == 1.0
    read = am.read(old, kinds="layer")
    assert read.n_nodes == 4 and read._kinds[0] == ["x"]
    assert am.match(read, am.read(new, kinds="layer"), KNOWN, layers="layer").accuracy(TRUTH) == 1.0
    assert am.match(old, new, KNOWN, layers="layer").accuracy(TRUTH) == 1.0
    again = pickle.loads(pickle.dumps(am.read(new, kinds="layer")))
    assert again._columns["age"] == ["3"] * 4 and again._kind_name == "layer"
    with pytest.raises(ValueError, match="am.read"):
        am.match(am.read(old), am.read(new), layers="layer")
    with pytest.raises(FileNotFoundError):
        am.match(tmp_path / "none.csv", new)
    with pytest.raises(ValueError, match="found no extension"):
        am.read("none")
    with pytest.raises(ValueError, match='format: found "jpg", expected one of edges, '):
        am.read(old, format="jpg")
    matrix = tmp_path / "m.npy"
    np.save(matrix, np.ones((3, 3)) - np.eye(3))
    assert list(am.read(matrix).ids) == [0, 1, 2]
    points = tmp_path / "p.csv"
    points.write_text("id,x,y\na,0,0\nb,1,0\nc,5,5\n")
    assert repr(am.read(points)) == "Points(3 points in the plane)"
    assert len(am.match(points, points)) == 3


def test_many_pairs_take_the_same_keywords():
    pairs = [{"source": OLD, "target": NEW, "candidates": {"bob": ["u-bob"]}}, (OLD, NEW, {"dan": None})]
    results = am.match_many(pairs, source_nodes=FRAME, target_nodes=OTHER, same="type")
    assert not results.failures
    assert results[1].unmatched_source == ["dan"]


def test_options_with_few_values_are_typed_as_such(tmp_path: Path):
    def checked(preset):
        # A file of its own: of one that changes within a second, mypy may know what it was.
        script = tmp_path / f"preset_{preset}.py"
        script.write_text(f'import anchormatch as am\nam.match([(0, 1)], [(0, 1)], preset="{preset}")\n')
        return subprocess.run([sys.executable, "-m", "mypy", str(script)], capture_output=True, text=True)

    run = checked("bset")
    assert run.returncode == 1 and "Literal['bset']" in run.stdout, run.stdout + run.stderr
    run = checked("best")
    assert run.returncode == 0, run.stdout + run.stderr


LIKES = [("ann", "tea"), ("bob", "jazz", 2.0), ("eve", "chess", None), ("dan", "rain", 1)]
FEATURES = {
    "rows": LIKES,
    "lists": {"ann": ["tea"], "bob": {"jazz": 2.0}, "eve": "chess", "dan": ["rain"]},
    "frame": pd.DataFrame(
        [(*row, None)[:3] for row in LIKES],
        columns=["node", "attr", "value"],
    ),
}


@pytest.mark.parametrize("table", FEATURES.values(), ids=FEATURES)
def test_long_tables_of_attributes_come_in_many_forms(table, tmp_path):
    ring = [("ann", "bob"), ("bob", "eve"), ("eve", "dan"), ("dan", "ann")]
    other = [(f"u-{a}", f"u-{b}") for a, b in ring]
    likes = {f"u-{row[0]}": {row[1]: 1.0 if len(row) < 3 or row[2] is None else row[2]} for row in LIKES}
    m = am.match(ring, other, source_attributes=table, target_attributes=likes)
    # A ring tells nobody apart by itself.
    assert m.accuracy(TRUTH) == 1.0
    path = tmp_path / "likes.csv"
    rows = [f"{node},{name},{value}" for node, carried in likes.items() for name, value in carried.items()]
    path.write_text("\n".join(["node,attr,value", *rows]) + "\n")
    again = am.match(ring, other, source_attributes=table, target_attributes=path)
    assert again.pairs == m.pairs
    assert again.confidence.tolist() == m.confidence.tolist()


def test_long_tables_that_do_not_fit_are_refused():
    def match(**options):
        return am.match(OLD, NEW, KNOWN, **options)

    with pytest.raises(TypeError, match="target_attributes: found None"):
        match(source_attributes=LIKES)
    good = {"u-ann": ["tea"]}
    with pytest.raises(ValueError, match="zoe"):
        match(source_attributes=[("zoe", "tea")], target_attributes=good)
    with pytest.raises(ValueError, match="values 1.0 and 2.0"):
        match(source_attributes=[("ann", "tea", 1), ("ann", "tea", 2)], target_attributes=good)
    with pytest.raises(ValueError, match="expected the name of an attribute"):
        match(source_attributes=[("ann", None)], target_attributes=good)
    with pytest.raises(ValueError, match="attributes: found with preset='paper'"):
        match(source_attributes=LIKES, target_attributes=good, preset="paper")


def test_values_that_no_partner_can_have_are_refused_or_noted():
    ours = {"id": list(TRUTH), "side": ["Left", "Left", "Right", "Right"]}
    theirs = {"id": list(TRUTH.values()), "side": ["L", "L", "R", "R"]}
    with pytest.raises(ValueError, match=r"same: found the column `side`.*`Left`, `Right`.*`L`, `R`"):
        am.match(OLD, NEW, source_nodes=ours, target_nodes=theirs, same="side")
    theirs["side"] = ["Left", "Left", "Right", "R"]
    m = am.match(OLD, NEW, source_nodes=ours, target_nodes=theirs, same="side")
    assert "column `side`: 1 target node (`R`) has a value that the other side has not" in notes(m)


def test_points_may_carry_attributes():
    square = np.array([[0.0, 0.0], [0.0, 1.0], [1.0, 1.0], [1.0, 0.0]])
    ours = {"id": range(4), "hue": ["red", "green", "blue", "black"]}
    theirs = {"id": range(4), "hue": ["blue", "black", "red", "green"]}
    tables = {"source_nodes": ours, "target_nodes": theirs}
    m = am.match(am.points(square), am.points(square), **tables)
    assert m.mapping == {0: 2, 1: 3, 2: 0, 3: 1}
    with pytest.raises(ValueError, match="which is no point"):
        am.match(am.points(square[:3]), am.points(square), **tables)

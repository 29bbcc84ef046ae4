"""Pages, plots and the small picture of notebooks."""

from __future__ import annotations

import xml.etree.ElementTree as ElementTree

import matplotlib.pyplot as plt
import networkx as nx
import numpy as np
import pytest

import anchormatch as am


@pytest.fixture(scope="module")
def found():
    made = am.generate.house((0, 0), (5, 0))
    source = am.points(made.source_points, ids=made.names)
    truth = {made.names[i]: int(a) for i, a in made.truth}
    anchors = {made.names[i]: int(a) for i, a in made.anchors(3)}
    return am.match(source, am.points(made.target_points), anchors), truth


def test_the_page(found, tmp_path):
    m, truth = found
    path = tmp_path / "page.html"
    page = m.to_html(path, truth=truth, title="Two <views>", names=("left", "right"))
    assert path.read_text(encoding="utf-8") == page
    assert "Two &lt;views&gt;" in page and "door knob" in page and "left" in page
    assert m.to_html() != page
    with pytest.raises(OSError):
        m.to_html(tmp_path / "no" / "such.html")


def test_the_small_picture_is_sound(found):
    m, _ = found
    tree = ElementTree.fromstring(m._repr_html_())
    assert len(tree.findall(".//circle")) == 102
    assert len(tree.findall(".//line")) > 51


def test_large_graphs_have_small_pictures():
    graph = nx.random_regular_graph(3, 600, seed=1)
    m = am.match(graph, graph, [(i, i) for i in range(590)], preset="fast")
    text = m._repr_html_()
    assert len(text) < 300_000
    ElementTree.fromstring(text)


def test_ids_cannot_break_out():
    graph = nx.Graph([("<script>alert(1)</script>", "&"), ("&", '"')])
    m = am.match(graph, graph, {"&": "&"})
    assert "<script>alert" not in m._repr_html_() and "<script>alert" not in m.to_html()


def test_plots(found):
    m, truth = found
    axes = m.plot()
    assert axes.get_title() == ""
    judged = m.plot(truth, labels=True)
    assert judged.get_title() == f"accuracy {m.accuracy(truth):.3f}"
    _, mine = plt.subplots()
    assert m.plot(ax=mine, max_lines=3) is mine
    lines = [len(c.get_segments()) for c in mine.collections if hasattr(c, "get_segments")]
    assert 3 in lines
    mine.figure.canvas.draw()
    plt.close("all")


def test_degenerate_pictures():
    for n, m in [(1, 1), (1, 4), (5, 2)]:
        got = am.match(np.zeros((n, n)), np.zeros((m, m)))
        ElementTree.fromstring(got._repr_html_())
        got.plot().figure.canvas.draw()
        assert "<html" in got.to_html()
    plt.close("all")

"""Pages, plots and the small picture of notebooks."""

from __future__ import annotations

import base64
import pickle
import re
import xml.etree.ElementTree as ElementTree

import matplotlib.pyplot as plt
import networkx as nx
import numpy as np
import pytest
from matplotlib.colors import to_hex
from PIL import Image

import anchormatch as am
from anchormatch import _plot


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


@pytest.fixture(scope="module")
def pair():
    """An affine pair with extras: the matching and images of 64 × 48 and 90 × 80 pixels."""
    rng = np.random.default_rng(3)
    source = rng.uniform(0, 1, (30, 2)) * [64, 48]
    image = source[:24] @ np.array([[1.2, 0.1], [-0.2, 1.1]]) + [12, 3]
    target = np.concatenate([image, rng.uniform(0, 1, (5, 2)) * [90, 60]])
    anchors = [(i, i) for i in range(5)]
    m = am.match(am.points(source), am.points(target), anchors, allow_unmatched=True, points_model="affine")
    return m, rng.integers(0, 256, (48, 64), dtype=np.uint8), rng.uniform(0, 1, (80, 90, 3))


def test_the_map_travels_back_into_the_page(pair):
    m, *_ = pair
    page = m.to_html()
    for wanted in ["<dt>map</dt><dd>affine", 'class="layer grid"', "<ellipse data-s=", "<dt>points</dt>"]:
        assert wanted in page
    assert "<dt>edges</dt>" not in page
    again = pickle.loads(pickle.dumps(m))
    assert again.to_html() == page
    # Those of a solid object have epipolar lines instead.
    made = am.generate.house((0, 0), (25, 10))
    sides = [am.points(made.source_points), am.points(made.target_points)]
    views = am.match(*sides, made.anchors(8), points_model="views").to_html()
    assert '<line class="e told" data-s=' in views and 'class="layer grid"' not in views


def test_images_of_arrays_and_files(pair, tmp_path):
    m, grey, colour = pair
    page = m.to_html(source_image=grey, target_image=colour)
    files = [base64.b64decode(text) for text in re.findall(r"data:image/png;base64,([^\"]+)", page)]
    assert len(files) == 2
    for data, pixels, shape in zip(files, (grey, np.rint(colour * 255)), ((48, 64), (80, 90, 3))):
        path = tmp_path / "made.png"
        path.write_bytes(data)
        with Image.open(path) as opened:
            read = np.asarray(opened)
        assert read.shape == shape
        assert np.array_equal(read, pixels)
    Image.fromarray(grey).save(tmp_path / "a.jpg")
    Image.fromarray(grey).save(tmp_path / "a.png")
    page = m.to_html(source_image=tmp_path / "a.jpg", target_image=str(tmp_path / "a.png"))
    assert "data:image/jpeg;base64,/9j/" in page and "data:image/png;base64,iVBORw0KGgo" in page
    assert "outside the image of 64 × 48 pixels" in page


def test_what_is_no_image_is_refused(pair, tmp_path):
    m, *_ = pair
    (tmp_path / "cut.png").write_bytes(b"\x89PNG\r\n\x1a\n\0\0")
    (tmp_path / "text.jpg").write_text("no image")
    for image, error, message in [
        (tmp_path / "none.png", FileNotFoundError, "none.png"),
        (tmp_path / "cut.png", ValueError, "cut.png: found a PNG image that ends too early"),
        (tmp_path / "text.jpg", ValueError, "expected a PNG or JPEG image"),
        (np.zeros((3, 4, 2)), ValueError, r"source_image: found an array of shape \(3, 4, 2\)"),
        (np.full((3, 4), 2.0), ValueError, "source_image: found pixels from 2.0 to 2.0"),
        (np.full((3, 4), 300), ValueError, "integers from 0 to 255"),
        (np.array([["a"]]), TypeError, "source_image: found an array of <U1"),
    ]:
        with pytest.raises(error, match=message):
            m.to_html(source_image=image)
        with pytest.raises(error, match=message):
            m.plot(source_image=image)
    graph = nx.path_graph(3)
    with pytest.raises(ValueError, match="image: found under nodes without coordinates"):
        am.match(graph, graph).to_html(target_image=np.zeros((3, 4)))
    plt.close("all")


def test_plots_have_the_colours_of_the_page(pair):
    m, *_ = pair
    page = m.to_html()
    day = dict(re.findall(r"--(\w+): (#\w{6})", page[: page.index("prefers-color-scheme")]))
    assert _plot._shade(0.899) == _plot._DOUBTFUL and _plot._shade(0.9) == _plot._SURE
    names = ["source", "target", "edge", "ground", "right", "wrong", "open", "anchor", "doubtful", "sure"]
    palette = {"ground": "paper", "open": "unmatched"}
    assert [day[palette.get(name, name)] for name in names] == [
        getattr(_plot, f"_{name.upper()}") for name in names
    ]


def test_plots_mark_anchors_and_unmatched_points(pair):
    m, grey, colour = pair
    axes = m.plot(source_image=grey, target_image=colour)
    axes.figure.canvas.draw()
    dots = {c.get_label(): c for c in axes.collections if not c.get_label().startswith("_")}
    alone = len(m.unmatched_source) + len(m.unmatched_target)
    assert alone >= 6
    counts = {"source": len(m), "target": len(m), "unmatched": alone, "anchors": 10}
    assert {name: len(c.get_offsets()) for name, c in dots.items()} == counts
    assert to_hex(dots["unmatched"].get_facecolor()[0]) == _plot._GROUND
    assert to_hex(dots["unmatched"].get_edgecolor()[0]) == _plot._OPEN
    assert len(dots["anchors"].get_facecolor()) == 0
    assert to_hex(dots["anchors"].get_edgecolor()[0]) == _plot._ANCHOR
    # A pixel of an image lies where a point with its coordinates lies.
    shown = axes.get_images()
    assert len(shown) == 2
    left, right, bottom, top = shown[0].get_extent()
    x, y = m.source.positions[m.pairs_by_number[0, 0]]
    place = dots["source"].get_offsets()[0].tolist()
    assert place == pytest.approx([left + (right - left) * x / 64, top + (bottom - top) * y / 48])
    assert bottom > top and axes.yaxis_inverted()
    lines = max((c for c in axes.collections if hasattr(c, "get_segments")), key=lambda c: c.get_zorder())
    blue = [to_hex(c) == _plot._ANCHOR for c in lines.get_colors()]
    assert blue == m.is_anchor.tolist()
    plt.close("all")

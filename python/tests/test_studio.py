"""The studio that a matching serves."""

import json
import pickle
import urllib.error
import urllib.request

import pytest

import anchormatch as am


@pytest.fixture
def matching():
    made = am.generate.synthetic(14, noise=0.05, seed=3)
    return am.match(made.source, made.target, made.anchors(2))


def ask(studio, path, body=None):
    address, _, token = studio.url.partition("?token=")
    request = urllib.request.Request(
        address.rstrip("/") + path, data=body, headers={"X-Anchormatch-Token": token}
    )
    with urllib.request.urlopen(request, timeout=60) as answer:
        return answer.read()


def anchor(source, target):
    change = {"do": "anchor", "source": source, "target": target}
    return json.dumps({"act": "say", "change": change}).encode()


def test_begins_with_the_anchors_and_keeps_what_is_said(matching, tmp_path):
    file = tmp_path / "anchors.csv"
    with matching.studio(file, names=("left", "right")) as studio:
        about = json.loads(ask(studio, "/api/about"))
        assert [side["name"] for side in about["sides"]] == ["left", "right"]
        assert len(studio.anchors) == 2
        free = next(k for k, fixed in enumerate(matching.is_anchor) if not fixed)
        source, target = (int(k) for k in matching.pairs_by_number[free])
        ask(studio, "/api/act", anchor(source, target))
        said = studio.anchors
        assert (matching.source.ids[source], matching.target.ids[target], 1.0) in said
    assert studio.anchors == said
    assert len(file.read_text().splitlines()) == 4
    again = am.match(matching.source, matching.target, said)
    assert sum(again.is_anchor) == 3
    with matching.studio(file) as studio:
        assert studio.anchors == said
    with pytest.raises(urllib.error.URLError):
        ask(studio, "/api/about")


def test_nobody_without_the_token(matching, tmp_path):
    with matching.studio(tmp_path / "anchors.csv") as studio:
        address = studio.url.partition("?")[0]
        with pytest.raises(urllib.error.HTTPError, match="401"):
            urllib.request.urlopen(address, timeout=60)
        assert studio.url in studio._repr_html_() and "_blank" in studio._repr_html_()
        assert str(tmp_path) in repr(studio)


def test_from_another_process_and_points(matching, tmp_path):
    twin = pickle.loads(pickle.dumps(matching))
    with twin.studio(tmp_path / "twin.csv") as studio:
        assert len(studio.anchors) == 2
    made = am.generate.house((0, 0), (25, 10))
    m = am.match(am.points(made.source_points), am.points(made.target_points), made.anchors(3))
    with m.studio(tmp_path / "house.csv") as studio:
        assert json.loads(ask(studio, "/api/about"))["points"] is True


def test_wrong_arguments(matching, tmp_path):
    with pytest.raises(ValueError, match="port: found 70000"):
        matching.studio(tmp_path / "a.csv", port=70_000)
    with pytest.raises(OSError, match="no"):
        matching.studio(tmp_path / "no" / "a.csv")
    (tmp_path / "other.csv").write_text("source,target\nzoe,max\n")
    with pytest.raises(ValueError, match="zoe"):
        matching.studio(tmp_path / "other.csv")

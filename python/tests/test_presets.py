"""Presets with their parameters."""

from __future__ import annotations

import inspect
import pickle
import subprocess
import sys
from dataclasses import FrozenInstanceError, fields

import numpy as np
import pytest

import anchormatch as am
from anchormatch import _native
from anchormatch._match import _NAMES

PRESETS = {"best": am.Best, "fast": am.Fast, "paper": am.Paper}

#: For every field a value that is not its default.
OTHER = {
    "allow_unmatched": True,
    "repair_anchors": True,
    "regime": "sparse",
    "points_model": "distances",
    "top": 2,
    "terms": "heat",
    "tau": 0.5,
    "width": 0.3,
    "eigenvectors": 4,
    "c_b": 2.0,
    "c_ap": 1.0,
    "learner": "exact",
    "learner_c": 10.0,
    "solver": "faq",
    "seed": 7,
}
CASES = [(name, field.name) for name, preset in PRESETS.items() for field in fields(preset)]


def answer(m):
    return m.pairs, m.confidence.tolist(), m.objective, m.parameters


def match(pair, **options):
    return am.match(pair.source, pair.target, pair.anchors, **options)


@pytest.mark.parametrize("name", PRESETS)
def test_a_preset_without_parameters_is_its_name(name, pair):
    assert PRESETS[name].name == name
    assert answer(match(pair, preset=PRESETS[name]())) == answer(match(pair, preset=name))


@pytest.mark.parametrize(("name", "field"), CASES)
def test_a_field_does_what_the_option_does(name, field, pair):
    if field == "solver_options":
        faq = next(solver for solver in am.solvers() if solver.name == "faq")
        said = {"solver": "faq", "solver_options": dict([next(iter(faq.options.items()))])}
    else:
        said = {field: OTHER[field]}
    inside = match(pair, preset=PRESETS[name](**said))
    assert answer(inside) == answer(match(pair, preset=name, **said))
    # What is said twice, and the same, is said.
    assert answer(inside) == answer(match(pair, preset=PRESETS[name](**said), **said))


@pytest.mark.parametrize(("name", "field"), [case for case in CASES if case[1] in OTHER])
def test_two_values_of_one_parameter_are_refused(name, field, pair):
    value = OTHER[field]
    others = {"regime": "dense", "points_model": "auto", "terms": "adjacency", "learner": "projected"}
    other = not value if isinstance(value, bool) else others.get(field, "rrwm")
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        other = value + 1
    with pytest.raises(ValueError, match=rf"^{field}: found {other!r} beside preset=am\.{name.title()}\("):
        match(pair, preset=PRESETS[name](**{field: value}), **{field: other})


def test_zero_and_false_are_values_as_well(pair):
    with pytest.raises(ValueError, match=r"^seed: found 0 beside preset=am.Best\(seed=7\)"):
        match(pair, preset=am.Best(seed=7), seed=0)
    with pytest.raises(ValueError, match="^allow_unmatched: found False beside"):
        match(pair, preset=am.Best(allow_unmatched=True), allow_unmatched=False)
    # As before, what is off by itself may be said to every preset.
    assert match(pair, preset="paper", allow_unmatched=False, repair_anchors=False).status
    assert match(pair, preset=am.Best(allow_unmatched=False)).status


def test_options_beside_a_preset_count_as_well(pair):
    m = match(pair, preset=am.Paper(terms="heat"), tau=0.5, seed=3)
    assert (m.parameters["terms"], m.parameters["tau"], m.parameters["seed"]) == ("heat", "0.5", "3")


def test_what_is_no_parameter_is_refused(pair):
    for preset in PRESETS.values():
        with pytest.raises(TypeError, match="unexpected keyword argument 'sed'"):
            preset(sed=1)
        with pytest.raises(TypeError, match="positional"):
            preset(True)
    with pytest.raises(TypeError, match="'tau'"):
        am.Best(tau=1)
    with pytest.raises(FrozenInstanceError):
        am.Best().seed = 1
    with pytest.raises(ValueError, match="tau: found with preset='best', expected preset='paper'"):
        match(pair, preset=am.Best(), tau=1)
    with pytest.raises(ValueError, match=r"preset: found .*Best.*, expected one of best, .* am\.Best\(\)"):
        match(pair, preset=am.Best)
    with pytest.raises(ValueError, match="regime: found"):
        match(pair, preset=am.Best(regime="thick"))
    with pytest.raises(TypeError, match="solver_options: found options without a solver"):
        match(pair, preset=am.Fast(solver_options={"x": 1}))


def test_presets_know_the_parameters_of_the_matchers():
    parameters = {name: set(found) for name, _, found, _ in _native.matchers()}
    options = set(inspect.signature(am.match).parameters)
    for name, preset in PRESETS.items():
        own = {field.name for field in fields(preset)}
        assert own <= options
        known = {_NAMES.get(field, field).split(".")[0] for field in own - {"solver_options"}}
        assert known <= parameters[name]
    told = {field.name for preset in PRESETS.values() for field in fields(preset)}
    for name in told:
        parameter = _NAMES.get(name, name).split(".")[0]
        for preset, cls in PRESETS.items():
            # What a matcher takes, and is an option, is a field.
            if parameter in parameters[preset]:
                assert name in {field.name for field in fields(cls)}, (preset, name)


def test_presets_are_values():
    assert am.Best(seed=1) == am.Best(seed=1) != am.Best(seed=2)
    assert am.Best() != am.Fast()
    assert hash(am.Paper(tau=1.0)) == hash(am.Paper(tau=1.0))
    for preset in (am.Best(seed=3), am.Fast(regime="sparse"), am.Paper(terms="heat")):
        assert pickle.loads(pickle.dumps(preset)) == preset


def test_many_pairs_take_presets(pair):
    one = (pair.source, pair.target, pair.anchors)
    own = {
        "source": pair.source,
        "target": pair.target,
        "anchors": pair.anchors,
        "preset": am.Paper(tau=0.5),
    }
    results = am.match_many([one, own], preset=am.Fast(seed=5))
    assert results[0].parameters["seed"] == "5" and results[0].parameters["preset"] == "fast"
    assert results[1].parameters["tau"] == "0.5"
    failed = am.match_many(
        [{"source": pair.source, "target": pair.target, "seed": 4}], preset=am.Fast(seed=5)
    )
    assert "seed: found 4 beside preset=am.Fast(seed=5)" in str(failed.failures[0])


def test_a_generator_in_a_preset_is_drawn_from_in_the_order_of_the_pairs(pair):
    pairs = [(pair.source, pair.target)] * 4

    def seeds(**options):
        return [m.parameters["seed"] for m in am.match_many(pairs, executor=3, **options)]

    drawn = seeds(preset=am.Fast(seed=np.random.default_rng(1)))
    assert drawn == seeds(preset="fast", seed=np.random.default_rng(1))
    assert len(set(drawn)) == 4


def test_fields_with_few_values_are_typed_as_such(tmp_path):
    def checked(name, preset):
        # A file of its own: of one that changes within a second, mypy may know what it was.
        script = tmp_path / f"preset_{name}.py"
        script.write_text(f"import anchormatch as am\nam.match([(0, 1)], [(0, 1)], preset={preset})\n")
        return subprocess.run([sys.executable, "-m", "mypy", str(script)], capture_output=True, text=True)

    assert checked("regime", 'am.Best(regime="dense")').returncode == 0
    assert checked("solver", 'am.Fast(solver="faq", seed=1)').returncode == 0
    assert "Literal['thick']" in checked("value", 'am.Best(regime="thick")').stdout
    assert "tau" in checked("field", "am.Best(tau=1)").stdout
    assert checked("number", "3").returncode == 1

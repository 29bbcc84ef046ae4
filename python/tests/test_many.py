"""Many pairs on this machine, and pickles."""

from __future__ import annotations

import gc
import pickle
import signal
import subprocess
import sys
import textwrap
import threading
import time
import weakref
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from multiprocessing import get_context

import numpy as np
import pytest
from many_pairs import assert_same, killer, some_pairs

import anchormatch as am

PAIRS = some_pairs(9)


@pytest.fixture(scope="module")
def alone() -> list[am.Matching]:
    return [am.match(*pair, seed=5) for pair in PAIRS]


@pytest.mark.parametrize("executor", [None, 1, 2, 7])
def test_results_are_those_of_single_calls_on_any_number_of_workers(executor, alone):
    assert_same(am.match_many(PAIRS, executor=executor, seed=5), alone)


def test_executors_of_the_standard_library_do_the_same(alone):
    with ThreadPoolExecutor(3) as pool:
        assert_same(am.match_many(PAIRS, executor=pool, seed=5), alone)
    with ProcessPoolExecutor(2, mp_context=get_context("spawn")) as pool:
        assert_same(am.match_many(PAIRS, executor=pool, seed=5), alone)
        graph = am.graph(PAIRS[0][0])
        kept = am.match_many([(graph, graph)], executor=pool)[0]
        assert kept.source is graph and kept.target is graph


def test_a_pool_that_breaks_fails_its_pairs_and_does_not_hang():
    with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as pool:
        results = am.match_many([PAIRS[0], killer(PAIRS[1]), *PAIRS[2:]], executor=pool)
    assert len(results) == 9 and results.failures[-1].index == 8
    assert "BrokenProcessPool" in str(results[1])


def test_a_failing_pair_is_named_and_the_others_go_on(alone):
    bad = {1: 17, 3: (PAIRS[0][0],), 4: {"source": PAIRS[0][0]}, 6: (PAIRS[0][0], PAIRS[0][1], [(0, 99)])}
    results = am.match_many([bad.get(k, pair) for k, pair in enumerate(PAIRS)], seed=5, executor=2)
    assert [failure.index for failure in results.failures] == [1, 3, 4, 6]
    assert_same(results.ok, [m for k, m in enumerate(alone) if k not in bad])
    assert "found 99, expected 0 to" in str(results[6]) and str(results[6]).startswith("pair 6: ValueError")
    assert "anchor_arrays" in results[6].traceback
    assert "without 'target'" in str(results[4]) and "tuple of 1" in str(results[3])
    assert repr(results) == "Matchings(9 pairs, 4 failed)"
    with pytest.raises(am.PairError, match="^pair 6: ValueError") as raised:
        am.match_many([PAIRS[0]] * 6 + [bad[6]], on_error="raise")
    assert raised.value.index == 6 and isinstance(raised.value.__cause__, ValueError)
    assert pickle.loads(pickle.dumps(raised.value)).index == 6


def test_pairs_may_have_options_of_their_own():
    source, target, anchors = PAIRS[0]
    pairs = [
        {"source": source, "target": target, "anchors": anchors, "preset": "paper", "terms": "heat"},
        {"source": source, "target": target, "anchors": anchors},
        {"source": source, "target": target, "colour": "red"},
    ]
    first, second, third = am.match_many(pairs, preset="fast")
    assert first.parameters["terms"] == "heat" and "terms" not in second.parameters
    assert str(third).startswith("pair 2: TypeError: colour: found, expected an option of match: ")


def test_a_generator_of_seeds_is_drawn_from_in_the_order_of_the_pairs():
    draws = [
        am.match_many([PAIRS[0]] * 5, seed=np.random.default_rng(3), executor=workers, preset="fast")
        for workers in (1, 4)
    ]
    seeds = [[m.parameters["seed"] for m in results] for results in draws]
    assert seeds[0] == seeds[1] and len(set(seeds[0])) == 5


def test_wrong_options_are_refused_before_anything_runs():
    with pytest.raises(
        TypeError, match="colour: found, expected an option of match: allow_unmatched, attributes, c_ap"
    ):
        am.match_many(PAIRS, colour="red")
    with pytest.raises(ValueError, match="on_error: found 'ignore', expected 'collect' or 'raise'"):
        am.match_many(PAIRS, on_error="ignore")
    with pytest.raises(TypeError, match="executor: found an object of type str, expected None, a number"):
        am.match_many(PAIRS, executor="dask")
    with pytest.raises(ValueError, match="executor: found 0, expected 1 to 1024"):
        am.match_many(PAIRS, executor=0)
    with pytest.raises(TypeError, match="pairs: found an object of type dict"):
        am.match_many({"source": 1})


def test_nothing_gives_nothing():
    results = am.match_many([])
    assert len(results) == 0 and results.ok == [] and results.failures == []
    assert list(results.to_frame().columns) == ["pair", "source", "target", "confidence", "anchor"]


def test_a_table_holds_all_pairs(alone):
    frame = am.match_many([PAIRS[0], 0, PAIRS[1]], seed=5).to_frame()
    assert frame["pair"].unique().tolist() == [0, 2]
    for index, m in ((0, alone[0]), (2, alone[1])):
        part = frame[frame["pair"] == index].reset_index(drop=True).drop(columns="pair")
        assert part.equals(m.to_frame())


def test_progress_counts_pairs():
    told = []
    am.match_many(PAIRS[:4], progress=lambda *step: told.append(step), preset="fast")
    assert told == [("pairs", done, 4, None) for done in range(5)]
    told.clear()
    am.match_many(iter(PAIRS[:1]), progress=lambda *step: told.append(step), preset="fast")
    assert told == [("pairs", 0, None, None), ("pairs", 1, None, None)]


def test_results_come_one_by_one_and_pairs_are_asked_for_as_needed():
    asked = []

    def endless():
        while True:
            asked.append(len(asked))
            yield PAIRS[len(asked) % 9]

    stream = am.match_iter(endless(), executor=2, preset="fast")
    got = [next(stream) for _ in range(5)]
    assert all(isinstance(m, am.Matching) for _, m in got)
    assert len(asked) <= 5 + 4
    stream.close()
    with pytest.raises(ZeroDivisionError):
        am.match_many(1 / 0 for _ in range(1))


def test_what_one_pair_cannot_have_beside_the_others_it_gets_alone(monkeypatch):
    from anchormatch import _executors

    limits = []

    def match(source, target, anchors, **options):
        limits.append(options.get("max_memory"))
        if options.get("max_memory") is not None:
            raise MemoryError("too little")
        return am.match(source, target, anchors, **options)

    monkeypatch.setattr(_executors, "match", match)
    results = am.match_many(PAIRS[:3], executor=2, preset="fast")
    assert not results.failures and limits.count(None) == 3
    # A limit that the user set is kept.
    results = am.match_many(PAIRS[:3], executor=2, max_memory="1G")
    assert [failure.index for failure in results.failures] == [0, 1, 2]


def test_matches_on_one_thread_each_run_side_by_side():
    """Four calls that wait for each other's start would never end one after the other."""
    started, all_started = threading.Semaphore(0), threading.Event()
    made = am.generate.synthetic(60, noise=0.3, seed=1)

    def watch(*_):
        if not all_started.is_set():
            started.release()
            all_started.wait(60)

    def work():
        am.match(made.source, made.target, made.anchors(2), threads=1, progress=watch)

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    assert all(started.acquire(timeout=60) for _ in threads)
    all_started.set()
    for thread in threads:
        thread.join()


def test_ctrl_c_stops_all_pairs():
    program = """
        import anchormatch as am, signal
        signal.signal(signal.SIGINT, signal.default_int_handler)
        h = am.generate.synthetic(400, noise=0.3, seed=1)
        print("ready", flush=True)
        try:
            am.match_many([(h.source, h.target, h.anchors(3))] * 50)
        except KeyboardInterrupt:
            print("stopped", flush=True)
    """
    child = subprocess.Popen(
        [sys.executable, "-c", textwrap.dedent(program)], stdout=subprocess.PIPE, text=True
    )
    try:
        assert child.stdout.readline() == "ready\n"
        time.sleep(0.5)
        child.send_signal(signal.SIGINT)
        assert child.stdout.readline() == "stopped\n"
        # The threads of the pairs that were under way end too, or the interpreter would wait for them.
        assert child.wait(60) == 0
    finally:
        child.kill()
        child.stdout.close()
        child.wait()


@pytest.mark.parametrize("shift", [0, 1, 3])
def test_graphs_and_matchings_survive_pickles_with_buffers_at_any_address(shift, alone):
    """Dask takes arrays out of pickles and gives them back inside larger messages."""
    graph = am.points(np.random.default_rng(0).random((6, 2)), ids=list("abcdef"))
    m = am.match(graph, graph, {"a": "a"})
    for thing in (graph, m, am.Matchings([m])):
        buffers: list[pickle.PickleBuffer] = []
        text = pickle.dumps(thing, protocol=5, buffer_callback=buffers.append)
        moved = [memoryview(b"x" * shift + bytes(buffer.raw()))[shift:] for buffer in buffers]
        assert moved, "nothing was taken out, and nothing is tested"
        again = pickle.loads(text, buffers=moved)
        if isinstance(thing, am.Graph):
            assert again.edges() == thing.edges() and (again.positions == thing.positions).all()
            assert am.match(again, again).pairs
            continue
        again = again[0] if isinstance(thing, am.Matchings) else again
        assert_same([again], [m])
        assert again.suggest() == m.suggest() and again.to_html() == m.to_html()


def test_a_matching_keeps_no_input_alive():
    source, target, anchors = PAIRS[0]
    copy = source.copy()
    alive = weakref.ref(copy)
    results = am.match_many([(copy, target, anchors)], preset="fast")
    del copy
    gc.collect()
    assert alive() is None and len(results.ok) == 1

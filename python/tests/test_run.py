"""Threads, Ctrl-C, forks, limits and progress."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import textwrap
import threading
import time

import numpy as np
import pytest
import tqdm

import anchormatch as am

HARD = am.generate.synthetic(150, noise=0.3, seed=1)


def test_what_a_time_limit_changed_says_so():
    made = am.generate.synthetic(70, noise=0.35, seed=3)
    whole = am.match(made.source, made.target, made.anchors(3))
    assert whole.status == "converged"
    for seconds in (0.005, 0.02, 0.05, 0.1, 0.2, 0.5):
        try:
            m = am.match(made.source, made.target, made.anchors(3), time_limit=seconds)
        except TimeoutError:
            continue
        assert m.status in ("converged", "time_limit")
        if m.status == "converged":
            assert m.pairs == whole.pairs and (m.confidence == whole.confidence).all()


def test_a_time_limit_returns_the_best_so_far():
    endless = {"solver": "tabu", "solver_options": {"iterations": 10**12}}
    m = am.match(HARD.source, HARD.target, preset="paper", terms="adjacency", time_limit=2, **endless)
    assert m.status == "time_limit" and len(m) == 150
    found = am.solve((HARD.source, HARD.target), "tabu", options={"iterations": 10**12}, time_limit=0.2)
    assert found.status == "time_limit" and (found.assignment >= 0).all()
    with pytest.raises(TimeoutError, match="before a first result"):
        am.match(HARD.source, HARD.target, time_limit=0, preset="paper")


@pytest.mark.parametrize(
    "work",
    [
        "am.match(h.source, h.target, h.anchors(3))",
        "am.match(h.source, h.target, preset='paper', solver='tabu', solver_options={'iterations': 10**9})",
        "am.solve((h.source, h.target), 'tabu', options={'iterations': 10**9})",
        # Steps without checkpoints are left to themselves.
        "am.heat_kernel(np.ones((3000, 3000)), time=1.0, threads=1)",
        "am.sinkhorn(h.source + 1e-3, tolerance=0.0, max_iterations=10**12)",
    ],
    ids=["match", "paper", "solve", "heat", "sinkhorn"],
)
def test_ctrl_c_stops_endless_work(work):
    program = f"""
        import signal
        import numpy as np
        import anchormatch as am
        signal.signal(signal.SIGINT, signal.default_int_handler)
        h = am.generate.synthetic(400, noise=0.3, seed=1)
        print("ready", flush=True)
        try:
            while True:
                {work}
        except KeyboardInterrupt:
            print("stopped", flush=True)
        small = am.generate.synthetic(10)
        assert len(am.match(small.source, small.target)) == 10
        print("alive", flush=True)
    """
    child = subprocess.Popen(
        [sys.executable, "-c", textwrap.dedent(program)], stdout=subprocess.PIPE, text=True
    )
    try:
        assert child.stdout.readline() == "ready\n"
        time.sleep(1.0)
        child.send_signal(signal.SIGINT)
        output, _ = child.communicate(timeout=120)
        assert output == "stopped\nalive\n"
        assert child.returncode == 0
    finally:
        child.kill()
        child.communicate()


def test_other_threads_run_meanwhile():
    ticks = 0
    done = threading.Event()

    def count() -> None:
        nonlocal ticks
        while not done.is_set():
            ticks += 1
            time.sleep(0.001)

    counter = threading.Thread(target=count)
    counter.start()
    am.solve((HARD.source, HARD.target), "tabu", time_limit=0.5)
    done.set()
    counter.join()
    assert ticks > 20


def test_several_threads_match_at_once(pair):
    results: list[object] = []

    def work() -> None:
        results.append(am.match(pair.source, pair.target, pair.anchors).accuracy(pair.truth))

    workers = [threading.Thread(target=work) for _ in range(6)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    assert results == [1.0] * 6


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_a_forked_child_can_match(pair):
    assert am.match(pair.source, pair.target, pair.anchors).accuracy(pair.truth) == 1.0
    child = os.fork()
    if child == 0:
        try:
            right = am.match(pair.source, pair.target, pair.anchors).accuracy(pair.truth) == 1.0
            os._exit(0 if right else 3)
        finally:
            os._exit(4)
    for _ in range(600):
        gone, status = os.waitpid(child, os.WNOHANG)
        if gone:
            break
        time.sleep(0.1)
    else:
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
        pytest.fail("the child hangs")
    assert os.waitstatus_to_exitcode(status) == 0


def test_progress_reaches_a_function(pair):
    seen: list[tuple[object, ...]] = []
    am.match(pair.source, pair.target, pair.anchors, progress=lambda *step: seen.append(step))
    assert seen
    for stage, done, total, value in seen:
        assert isinstance(stage, str) and isinstance(done, int)
        assert total is None or isinstance(total, int)
        assert value is None or isinstance(value, float)


def test_an_exception_in_progress_stops_the_work():
    def refuse(*_: object) -> None:
        raise LookupError("enough")

    with pytest.raises(LookupError, match="enough"):
        am.match(HARD.source, HARD.target, HARD.anchors(3), progress=refuse)


def test_bars(pair, capsys):
    am.match(pair.source, pair.target, pair.anchors, progress=True)
    assert capsys.readouterr().err == ""
    am.solve((pair.source, pair.target), "rrwm", progress=tqdm.tqdm)
    assert "rrwm" in capsys.readouterr().err


def test_a_terminal_gets_a_bar_that_is_wiped_out(monkeypatch, pair):
    import io

    class Terminal(io.StringIO):
        def isatty(self) -> bool:
            return True

    stream = Terminal()
    monkeypatch.setattr(sys, "stderr", stream)
    am.match(pair.source, pair.target, pair.anchors, progress=True)
    text = stream.getvalue()
    assert text.startswith("\r") and text.endswith("\r")
    assert text.split("\r")[-2].strip() == ""


def test_a_notebook_gets_a_bar(notebook, pair):
    am.match(pair.source, pair.target, pair.anchors, progress=True)
    assert notebook[0].startswith("<progress") and notebook[-1] == ""


def test_nothing_optional_is_imported():
    program = """
        import sys
        import anchormatch as am
        made = am.generate.synthetic(8)
        m = am.match(made.source, made.target, made.anchors(2), progress=True)
        m.accuracy(made.truth), m.suggest(2), m.to_html(), m._repr_html_(), repr(m)
        names = "scipy networkx igraph rustworkx pandas matplotlib tqdm IPython".split()
        print([name for name in names if name in sys.modules])
    """
    output = subprocess.check_output([sys.executable, "-c", textwrap.dedent(program)], text=True)
    assert output == "[]\n"


def test_memory_in_words():
    from anchormatch._resources import quick

    assert quick("1.5G").max_memory == 3 * 2**29
    assert quick("512 MiB").max_memory == 2**29
    assert quick(10**6).max_memory == 10**6
    assert quick(float("inf")).max_memory == 2**63
    assert quick(np.int64(5)).max_memory == 5
    assert (quick().max_memory or 1) > 0

"""Runs the comparisons with the peers, one after the other, and writes docs/peers.md from what they print.

    python scripts/write_peers.py [--data DIR] [--trials N] [--draws N] [--only NAME,..] [--out FILE]

Run by `make bench-peers` in an environment that has the peers (scripts/peers.txt) and this package. Each
comparison is a script of its own whose first lines say what it measures; this one only collects. Nothing
on the page is typed by hand.
"""

import argparse
import importlib.metadata
import os
import platform
import subprocess
import sys
import time

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
PACKAGES = ["numpy", "scipy", "pygmtools", "graspologic", "POT", "lap", "pycpd", "scikit-image"]


def comparisons(options):
    """Name, what the reader should know, the script and its arguments."""
    data = ["--data", options.data]
    trials = ["--trials", str(options.trials)]
    draws = ["--draws", str(options.draws)]
    return [
        (
            "accuracy",
            "Accuracy and time on the same pairs",
            ["bench_accuracy.py", *trials, *data],
        ),
        (
            "restarts",
            "Accuracy of `best` and of SciPy's FAQ with as many random restarts as fit into the same time",
            ["bench_restarts.py", *trials, *data],
        ),
        ("kernels", "RRWM, linear assignment and eigenpairs", ["bench_peers.py"]),
        ("faq", "One run of seeded FAQ", ["bench_faq.py"]),
        ("compat", "The drop-in functions and what they stand in for", ["bench_compat.py"]),
        ("points", "Points, the same anchors", ["bench_points.py", *data]),
        ("networks", "Real networks, the same anchors", ["bench_networks.py", *draws, *data]),
        ("qaplib", "QAPLIB, a second an instance", ["bench_qaplib.py", *data]),
    ]


def arguments():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--data", default=os.environ.get("ANCHORMATCH_DATA", ""))
    parser.add_argument("--trials", type=int, default=50, help="of the generated pairs")
    parser.add_argument("--draws", type=int, default=2, help="of anchors on the real networks")
    parser.add_argument("--only", help="names, separated by commas (default: all)")
    parser.add_argument("--out", default=os.path.join(ROOT, "docs", "peers.md"))
    return parser.parse_args()


def versions():
    found = [f"Python {platform.python_version()}"]
    for name in PACKAGES:
        try:
            found.append(f"{name} {importlib.metadata.version(name)}")
        except importlib.metadata.PackageNotFoundError:
            found.append(f"no {name}")
    return ", ".join(found)


def main():
    options = arguments()
    table = comparisons(options)
    names = [name for name, _, _ in table]
    wanted = options.only.split(",") if options.only else names
    unknown = [name for name in wanted if name not in names]
    if unknown:
        print(f"--only: {', '.join(unknown)}: expected some of {', '.join(names)}", file=sys.stderr)
        return 2
    page = [
        "# Beside the peers",
        "",
        "Written by `make bench-peers` (`scripts/write_peers.py`) from what each script printed; the opening",
        "lines of a script say what it measures. Seconds are good as ratios within a table only.",
        "",
        f"{platform.system()} {platform.machine()}, {os.cpu_count()} cores; {versions()}.",
    ]
    failed = []
    for name, title, command in table:
        if name not in wanted:
            continue
        print(f"== {name}: {' '.join(command)}", flush=True)
        begun = time.perf_counter()
        result = subprocess.run(
            [sys.executable, os.path.join(ROOT, "scripts", command[0]), *command[1:]],
            cwd=ROOT,
            stdout=subprocess.PIPE,
            text=True,
            check=False,
        )
        print(result.stdout, flush=True)
        if result.returncode:
            failed.append(name)
            print(f"{name}: ended with {result.returncode}, left out", file=sys.stderr)
            continue
        shown = " ".join(part for part in command if part not in ("--data", options.data))
        seconds = time.perf_counter() - begun
        page += ["", f"## {title}", "", f"`python scripts/{shown}`, {seconds:.0f} s", ""]
        printed = result.stdout.rstrip()
        page += [printed] if "\n|---" in printed else ["```text", printed, "```"]
    # Written whole or not at all.
    draft = options.out + ".part"
    with open(draft, "w") as file:
        file.write("\n".join(page) + "\n")
    os.replace(draft, options.out)
    print(f"wrote {options.out}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())

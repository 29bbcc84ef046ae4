"""Runs the examples of the library and compares what they print with the files of their twins in Python."""

import json
import os
import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
CARGO = os.environ.get("CARGO", "cargo").split()


def built():
    """The path of every example; the features are those of the tests, so that nothing is built twice."""
    command = [*CARGO, "build", "--quiet", "--locked", "--workspace", "--exclude", "anchormatch-python"]
    command += ["--all-features", "--examples", "--message-format", "json"]
    printed = subprocess.run(command, cwd=ROOT, check=True, stdout=subprocess.PIPE, text=True).stdout
    found = [json.loads(line) for line in printed.splitlines()]
    return {
        message["target"]["name"]: message["executable"]
        for message in found
        if message["reason"] == "compiler-artifact" and message["executable"]
    }


def main():
    paths = built()
    examples = sorted(path.stem for path in (ROOT / "crates/anchormatch/examples").glob("*.rs"))
    wrong = []
    for name in examples:
        if name.startswith("bench_"):
            continue
        command = [paths[name]]
        printed = subprocess.run(command, cwd=ROOT, check=True, stdout=subprocess.PIPE, text=True).stdout
        expected = (ROOT / "python/examples" / f"{name}.txt").read_text(encoding="utf-8")
        if printed != expected:
            wrong.append(name)
            print(f"{name} prints\n{printed}but should print\n{expected}", file=sys.stderr)
    if wrong:
        sys.exit(f"examples that print something else: {', '.join(wrong)}")
    print("the examples print what they should")


if __name__ == "__main__":
    main()

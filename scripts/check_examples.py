"""Runs the examples of the library and compares what they print with the files of their twins in Python."""

import os
import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
CARGO = os.environ.get("CARGO", "cargo").split()


def main():
    examples = sorted(path.stem for path in (ROOT / "crates/anchormatch/examples").glob("*.rs"))
    wrong = []
    for name in examples:
        if name.startswith("bench_"):
            continue
        command = [*CARGO, "run", "--quiet", "--locked", "-p", "anchormatch", "--example", name]
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

"""Checks, from Cargo.lock alone, that every dependency has a licence that fits and runs on our oldest Rust.

    python scripts/check_dependencies.py

The licences allowed are those of deny.toml. Of a choice ("MIT OR GPL-3.0") one part must be allowed, of
a sum ("MIT AND Unicode-3.0") all. Exits with 1 and a line for each package that does not fit. `make audit`
asks cargo-deny for more: advisories, sources, duplicates.
"""

import json
import os
import re
import subprocess
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))


def allowed_licences():
    with open(os.path.join(ROOT, "deny.toml")) as file:
        listed = re.search(r"^allow = \[(.*?)\]", file.read(), re.MULTILINE | re.DOTALL)
    return set(re.findall(r'"([^"]+)"', listed.group(1)))


def fits(expression, allowed):
    """Whether an SPDX expression (or its older form with slashes) can be satisfied with `allowed`."""
    words = re.findall(r"\(|\)|[^\s()/]+|/", expression.replace(" WITH ", "\0"))
    words = [word.replace("\0", " WITH ").replace("/", "OR") for word in words]

    def sum_of(position):
        value, position = part(position)
        while position < len(words) and words[position] == "AND":
            other, position = part(position + 1)
            value = value and other
        return value, position

    def choice(position):
        value, position = sum_of(position)
        while position < len(words) and words[position] == "OR":
            other, position = sum_of(position + 1)
            value = value or other
        return value, position

    def part(position):
        if words[position] == "(":
            value, position = choice(position + 1)
            return value, position + 1
        return words[position] in allowed, position + 1

    return choice(0)[0]


def version(text):
    numbers = [int(number) for number in text.split(".")]
    return numbers + [0] * (3 - len(numbers))


def main():
    command = [os.environ.get("CARGO", "cargo"), "metadata", "--format-version", "1", "--locked"]
    packages = json.loads(subprocess.check_output(command, cwd=ROOT))["packages"]
    ours = next(p for p in packages if p["name"] == "anchormatch")["rust_version"]
    allowed = allowed_licences()
    faults = []
    for package in packages:
        name = f"{package['name']} {package['version']}"
        if not package["license"] or not fits(package["license"], allowed):
            faults.append(f"{name}: licence {package['license']}: expected one of deny.toml's")
        if package["rust_version"] and version(package["rust_version"]) > version(ours):
            faults.append(f"{name}: needs Rust {package['rust_version']}, we promise {ours}")
    for fault in faults:
        print(fault, file=sys.stderr)
    print(f"{len(packages)} packages, {len(faults)} that do not fit")
    return 1 if faults else 0


if __name__ == "__main__":
    # The parser of expressions, on what is easy to get wrong.
    few = {"MIT", "Unicode-3.0", "Apache-2.0 WITH LLVM-exception"}
    assert fits("MIT/Apache-2.0", few) and fits("(MIT OR GPL-3.0) AND Unicode-3.0", few)
    assert fits("Apache-2.0 WITH LLVM-exception OR GPL-3.0", few)
    assert not fits("GPL-3.0", few) and not fits("(MIT OR GPL-3.0) AND BSD-2-Clause", few)
    assert not fits("GPL-3.0 OR Apache-2.0", few) and not fits("MIT AND GPL-3.0", few)
    sys.exit(main())

"""Packs everything that would be published, checks what is in the packages, installs them and uses them.

    python scripts/release_check.py [--out DIR]

1. Every crate that may be published, in the order of their dependencies, by `cargo package`: each is built
   from its own archive, with the other archives in the place of the registry. What is packed is what is
   committed; a changed file that is not committed is refused.
2. The Python package as sdist and as abi3 wheel by maturin, both looked at by `twine check` and by us.
3. Each of the two in a virtual environment of its own, where the README's Python lines run.

Nothing is uploaded. Exits with 1 and a line for each thing that is wrong. Needs what `make release-check` gives
it: the environment's interpreter has maturin and twine installed.
"""

import argparse
import email
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tarfile
import venv
import zipfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
CARGO = os.environ.get("CARGO", "cargo").split()
LICENCES = ["LICENSE-MIT", "LICENSE-APACHE"]
#: The most that a registry of crates takes, in bytes.
LARGEST_CRATE = 10 * 2**20

wrong = []


def check(condition, message):
    if not condition:
        wrong.append(message)
        print(f"wrong: {message}", file=sys.stderr)


def run(command, **options):
    print("+", " ".join(str(word) for word in command), flush=True)
    return subprocess.run([str(word) for word in command], check=True, **options)


def workspace():
    """The crates of the workspace by name, those that others stand on first, and where they are built."""
    command = [*CARGO, "metadata", "--no-deps", "--format-version", "1", "--locked"]
    metadata = json.loads(subprocess.check_output(command, cwd=ROOT))
    left = {package["name"]: package for package in metadata["packages"]}
    ordered = {}
    while left:
        for name, package in left.items():
            needed = {other["name"] for other in package["dependencies"] if other["kind"] != "dev"}
            if not needed & left.keys():
                ordered[name] = left.pop(name)
                break
        else:
            sys.exit(f"crates that need each other: {', '.join(left)}")
    return ordered, pathlib.Path(metadata["target_directory"])


# --- crates -------------------------------------------------------------------------------------------


def pack_crates(crates, target):
    names = [name for name, package in crates.items() if package["publish"] is None]
    print(f"crates in the order of publication: {', '.join(names)}")
    chosen = [word for name in names for word in ("--package", name)]
    run([*CARGO, "package", "--locked", *chosen], cwd=ROOT)
    for name in names:
        check_crate(crates[name], target / "package" / f"{name}-{crates[name]['version']}.crate")


def check_crate(package, path):
    name, version = package["name"], package["version"]
    check(path.stat().st_size <= LARGEST_CRATE, f"{path.name} is larger than registries take")
    for key in ("description", "license", "readme", "rust_version"):
        check(package[key], f"{name} has no {key}")
    for key, most in (("keywords", 5), ("categories", 5)):
        check(0 < len(package[key]) <= most, f"{name} has {len(package[key])} {key}, and should have 1 to {most}")
    with tarfile.open(path) as archive:
        files = {name.split("/", 1)[1] for name in archive.getnames()}
    written = {"Cargo.toml", "Cargo.toml.orig", "Cargo.lock", ".cargo_vcs_info.json", "README.md", *LICENCES}
    for file in sorted(written - {".cargo_vcs_info.json"} - files):
        check(False, f"{name} {version} is packed without {file}")
    # The studio's page is served from its assets; nothing else is. Tables are what Rust and the page's sources both read.
    belongs = re.compile(r"(src|examples)/.*\.(rs|css|js|tsv)$|assets/[^/]+\.(html|css|js|svg)$")
    for file in sorted(files - written):
        check(belongs.match(file), f"{name} {version} is packed with {file}")


# --- Python -------------------------------------------------------------------------------------------


def build_python(out, environment):
    shutil.rmtree(out, ignore_errors=True)
    maturin = pathlib.Path(sys.executable).with_name("maturin")
    run([maturin, "sdist", "--out", out], cwd=ROOT, env=environment)
    run([maturin, "build", "--release", "--locked", "--out", out], cwd=ROOT, env=environment)
    sdist, = out.glob("*.tar.gz")
    wheel, = out.glob("*.whl")
    run([sys.executable, "-m", "twine", "check", "--strict", sdist, wheel])
    return sdist, wheel


def check_metadata(text, name, version):
    metadata = email.message_from_string(text)
    expected = {
        "Name": "anchormatch",
        "Version": version,
        "License-Expression": "MIT OR Apache-2.0",
        "Requires-Python": ">=3.10",
    }
    for key, value in expected.items():
        check(metadata[key] == value, f"{name}: {key} is {metadata[key]}, and should be {value}")
    check(metadata["Summary"], f"{name} has no summary")
    check(metadata.get_payload().lstrip().startswith("# anchormatch"), f"{name} does not carry the README")
    licences = set(metadata.get_all("License-File", []))
    check(licences == set(LICENCES), f"{name}: licence files are {sorted(licences)}")


def check_sdist(path, version, crates):
    binding = "anchormatch-python"
    needed = reached_from(binding, crates)
    top = f"anchormatch-{version}/"
    check(path.name == f"anchormatch-{version}.tar.gz", f"the sdist is called {path.name}")
    with tarfile.open(path) as archive:
        names = archive.getnames()
        check_metadata(archive.extractfile(top + "PKG-INFO").read().decode(), path.name, version)
    check(all(name.startswith(top) for name in names), f"{path.name} has files beside {top}")
    files = {name.removeprefix(top) for name in names}
    written = {"PKG-INFO", "pyproject.toml", "Cargo.toml", "Cargo.lock", "README.md", *LICENCES}
    for file in sorted(written - files):
        check(False, f"{path.name} has no {file}")
    for file in sorted(files - written):
        parts = file.split("/")
        belongs = file.startswith("python/anchormatch/") or parts[0] == "crates" and parts[1] in needed
        check(belongs, f"{path.name} has {file}")


def reached_from(name, crates):
    """A crate, those of the workspace that are compiled with it, and those of its tests that are never published.

    Cargo reads the manifests of the last before it compiles anything, so they must be there.
    """
    found = {name}
    for other in crates[name]["dependencies"]:
        if other["name"] in crates and not other["optional"]:
            if other["kind"] != "dev":
                found |= reached_from(other["name"], crates)
            elif crates[other["name"]]["publish"] == []:
                found.add(other["name"])
    return found


def check_wheel(path, version):
    tags = re.fullmatch(rf"anchormatch-{re.escape(version)}-cp310-abi3-(\w+)\.whl", path.name)
    check(tags, f"{path.name} is no abi3 wheel for Python 3.10 and later of version {version}")
    info = f"anchormatch-{version}.dist-info/"
    with zipfile.ZipFile(path) as archive:
        files = set(archive.namelist())
        check_metadata(archive.read(info + "METADATA").decode(), path.name, version)
        wheel = email.message_from_string(archive.read(info + "WHEEL").decode())
    check(all(tag.startswith("cp310-abi3-") for tag in wheel.get_all("Tag")), f"{path.name}: tags {wheel.get_all('Tag')}")
    compiled = [file for file in files if re.fullmatch(r"anchormatch/_native\.(abi3\.so|pyd)", file)]
    check(len(compiled) == 1, f"{path.name} has {len(compiled)} compiled modules")
    package = {str(file.relative_to(ROOT / "python")) for file in (ROOT / "python/anchormatch").rglob("*.py*")}
    package = {file for file in package if not file.endswith(".pyc")} | {"anchormatch/py.typed"}
    expected = package | {info + f"licenses/{name}" for name in LICENCES}
    for file in sorted(expected - files):
        check(False, f"{path.name} has no {file}")
    for file in sorted(files - expected - set(compiled)):
        # Libraries and software bills of materials that maturin adds.
        check(file.startswith((info, "anchormatch.libs/")), f"{path.name} has {file}")


def readme_lines():
    """The Python lines of the README."""
    block = re.search(r"^```python\n(.*?)^```$", (ROOT / "README.md").read_text(encoding="utf-8"), re.M | re.S)
    return block.group(1)


def try_out(package, folder, version, environment):
    """Installs one package in a fresh environment and runs the README's lines there, away from the sources."""
    venv.create(folder, clear=True, with_pip=True)
    python = folder / ("Scripts" if os.name == "nt" else "bin") / "python"
    run([python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", package], env=environment)
    lines = readme_lines() + f"\nassert am.__version__ == {version!r}, am.__version__\n"
    ran = subprocess.run([python, "-I", "-c", lines], cwd=folder)
    check(ran.returncode == 0, f"the README's lines fail with {package.name}")
    check((folder / "match.html").exists(), f"the README's lines write no match.html with {package.name}")


# --- documents ----------------------------------------------------------------------------------------


def check_documents(version):
    citation = (ROOT / "CITATION.cff").read_text(encoding="utf-8")
    found = re.search(r"^version: (\S+)$", citation, re.M)
    check(found and found.group(1) == version, f"CITATION.cff is not of version {version}")
    changes = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    check(re.search(rf"^## ({re.escape(version)}|Unreleased)\b", changes, re.M), f"CHANGELOG.md says nothing of {version}")


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("--out", type=pathlib.Path, default=ROOT / "out" / "release")
    out = parser.parse_args().out.resolve()
    crates, target = workspace()
    versions = {package["version"] for package in crates.values()}
    check(len(versions) == 1, f"the crates have several versions: {sorted(versions)}")
    version = crates["anchormatch"]["version"]
    check_documents(version)
    pack_crates(crates, target)
    # The sdist is compiled in the same folder, so that what it shares with the wheel is compiled once.
    environment = os.environ | {"CARGO_TARGET_DIR": str(target)}
    sdist, wheel = build_python(out / "dist", environment)
    check_sdist(sdist, version, crates)
    check_wheel(wheel, version)
    try_out(wheel, out / "from-wheel", version, environment)
    try_out(sdist, out / "from-sdist", version, environment)
    if wrong:
        sys.exit(f"{len(wrong)} things are wrong")
    print(f"anchormatch {version} can be published: {len(crates)} crates seen, {sdist.name}, {wheel.name}")


if __name__ == "__main__":
    main()

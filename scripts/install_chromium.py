"""Installs Chromium from the system's packages, for the tests of the studio's page.

    python scripts/install_chromium.py

Does nothing where a Chromium or Chrome is found already. Knows Debian and its kin, whose package manager needs root
(by sudo where that asks for no password); elsewhere it says what to install by hand and exits with 1.
"""

import os
import shutil
import subprocess
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
sys.path.insert(0, os.path.join(ROOT, "crates", "anchormatch-studio", "tests", "browser"))

import chromium

PACKAGE = "chromium"


def as_root():
    """What stands before a command of the package manager; None where root cannot be had."""
    if os.geteuid() == 0:
        return []
    sudo = shutil.which("sudo")
    if sudo and subprocess.run([sudo, "-n", "true"], capture_output=True).returncode == 0:
        return [sudo, "-n"]
    return None


def main():
    if chromium.find():
        print(f"Chromium is installed: {chromium.find()}")
        return 0
    apt = shutil.which("apt-get")
    root = as_root() if apt else None
    if root is None:
        words = "Chromium is not installed, and only apt-get with root is known here: install it, or set CHROMIUM=its path"
        print(words, file=sys.stderr)
        return 1
    environment = [*root, "env", "DEBIAN_FRONTEND=noninteractive"]
    for arguments in (["update"], ["install", "--yes", "--no-install-recommends", PACKAGE]):
        done = subprocess.run([*environment, apt, "--quiet", *arguments])
        if done.returncode != 0:
            print(f"apt-get {arguments[0]} ended with {done.returncode}", file=sys.stderr)
            return 1
    return 0 if chromium.find() else 1


if __name__ == "__main__":
    sys.exit(main())

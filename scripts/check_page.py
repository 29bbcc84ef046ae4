"""Checks that the built files of the studio's page are up to date with their TypeScript sources.

    python scripts/check_page.py

Needs Node: without it, or where its packages cannot be fetched, this is said and nothing is checked; in continuous
integration (CI is set) that is a failure. Exits with 1 when `npm run build` would change a file.
"""

import os
import shutil
import subprocess
import sys

PAGE = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "crates", "anchormatch-studio", "page")


def unchecked(why):
    print(f"studio page: NOT checked, {why}", file=sys.stderr)
    return 1 if os.environ.get("CI") else 0


def main():
    npm = shutil.which("npm")
    if not npm or not shutil.which("node"):
        return unchecked("Node is not installed")
    install = [npm, "ci", "--ignore-scripts", "--prefer-offline", "--no-audit", "--no-fund", "--loglevel=error"]
    if not os.path.isdir(os.path.join(PAGE, "node_modules")):
        if subprocess.run(install, cwd=PAGE).returncode != 0:
            return unchecked("its packages could not be fetched")
    done = subprocess.run([npm, "run", "--silent", "check"], cwd=PAGE)
    if done.returncode == 0:
        print("studio page: up to date")
    return done.returncode


if __name__ == "__main__":
    sys.exit(main())

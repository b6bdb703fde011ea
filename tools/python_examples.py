#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Runs Python scenes of a folder, unmodified, and prints a table: each file by runcsofa (its
createScene) and by Python (its main).

usage: python_examples.py FOLDER [--program build/bin/runcsofa] [--python python3] [--steps 10]
                          [--data-path FOLDER]"""
import argparse
import os
import subprocess
import sys

PACKAGE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "python")


def run(command, environment):
    """"runs", or the last line that says why not."""
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=300, check=False,
                              env=environment)
    except subprocess.TimeoutExpired:
        return "takes longer than 300 s"
    if done.returncode == 0:
        return "runs"
    lines = [line for line in done.stderr.splitlines() if "rror" in line or "not " in line]
    lines = [line for line in lines if "the scene was not run" not in line] or ["fails"]
    return lines[-1][-160:]


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("folder")
    parser.add_argument("--program", default="build/bin/runcsofa")
    parser.add_argument("--python", default=sys.executable)
    parser.add_argument("--steps", default="10")
    parser.add_argument("--data-path", default="")
    options = parser.parse_args()
    program = os.path.abspath(options.program)
    environment = dict(os.environ, PYTHONDONTWRITEBYTECODE="1", CSOFA_PYTHON_STEPS=options.steps)
    if options.data_path:
        environment["CSOFA_DATA_PATH"] = options.data_path
    library = os.path.join(os.path.dirname(program), "..", "lib", "libcsofa.so.0")
    alone = dict(environment, PYTHONPATH=PACKAGE)
    if os.path.exists(library):
        alone["CSOFA_LIBRARY"] = library
    print("| scene | runcsofa | python3 |\n|---|---|---|")
    for name in sorted(os.listdir(options.folder)):
        if not name.endswith((".py", ".pyscn")):
            continue
        path = os.path.join(options.folder, name)
        with open(path, encoding="utf-8") as file:
            has_main = "__main__" in file.read()
        scene = run([program, "-g", "batch", "-n", options.steps, path], environment)
        own = run([options.python, path], alone) if has_main else "has no main"
        print(f"| {name} | {scene} | {own} |", flush=True)


if __name__ == "__main__":
    main()

#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Runs every scene below the folders, resets it and runs it again: the same bits at every step, and
no crash. Folders that do not exist are left out; with none of them the test is skipped (status 77).

usage: reset.py RUN_TWICE STEPS FOLDER..."""
import concurrent.futures
import os
import re
import subprocess
import sys
import tempfile

REFERENCE = os.environ.get("CSOFA_REFERENCE") or os.path.join(
    os.path.dirname(os.path.abspath(__file__)), "..", "..", "..", "shared", "reference")
AT_ONCE = 16  # scenes of a process


def scenes_below(folders):
    return sorted(os.path.join(folder, name) for top in folders
                  for folder, _, names in os.walk(top) for name in names
                  if name.endswith((".scn", ".xml")))


def run(program, steps, scenes, environment):
    """(what is wrong, how many scenes ran) of the scenes of one process; of those of one that crashed,
    each has a process of its own."""
    with tempfile.TemporaryDirectory() as folder:
        try:
            done = subprocess.run([program, steps, *scenes], cwd=folder, env=environment,
                                  timeout=300 + 30 * len(scenes), stdin=subprocess.DEVNULL,
                                  stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        except subprocess.TimeoutExpired:
            return ["%s: too slow" % " ".join(scenes)], 0
    output = done.stdout.decode(errors="replace")
    if done.returncode < 0 or "Sanitizer" in output:
        if len(scenes) == 1:
            return ["%s: crashed, status %d\n%s" % (scenes[0], done.returncode, output[-2000:])], 0
        each = [run(program, steps, [scene], environment) for scene in scenes]
        told = [line for lines, _ in each for line in lines] or [
            "together they crash: %s\n%s" % (" ".join(scenes), output[-2000:])]
        return told, sum(ran for _, ran in each)
    told = [line for line in output.splitlines() if line.startswith(tuple(scenes))]
    ran = re.search(r"^(\d+) scenes run twice", output, re.M)
    return told or ([] if ran else [output[-2000:]]), int(ran.group(1)) if ran else 0


def main(program, steps, *folders):
    program = os.path.abspath(program)
    folders = [os.path.abspath(f.replace("REFERENCE", REFERENCE)) for f in folders]
    scenes = scenes_below(f for f in folders if os.path.isdir(f))
    if not scenes:
        print("skipped: there is no %s" % ", ".join(folders))
        return 77
    share = [os.path.join(REFERENCE, "sofa", part) for part in ("share", "examples")]
    environment = dict(os.environ, CSOFA_DATA_PATH=":".join(share))
    problems, twice = [], 0
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        parts = [scenes[k:k + AT_ONCE] for k in range(0, len(scenes), AT_ONCE)]
        for told, ran in pool.map(lambda part: run(program, steps, part, environment), parts):
            twice += ran
            problems += told
            print("".join(line + "\n" for line in told), end="", flush=True)
    print("%d of %d scenes run twice, %d problems" % (twice, len(scenes), len(problems)))
    return 1 if problems or 2 * twice < len(scenes) else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))

#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Runs every scene below the folders, and again with a state that is saved and restored between: the
same bits at every step, the same values of all objects at the end, and no crash. Folders that do not exist are left out; with none of them the test is skipped (status 77).

usage: restart.py RESTART STEPS AT FOLDER..."""
import concurrent.futures
import os
import subprocess
import sys
import tempfile

REFERENCE = os.environ.get("CSOFA_REFERENCE") or os.path.join(
    os.path.dirname(os.path.abspath(__file__)), "..", "..", "..", "shared", "reference")


def scenes_below(folders):
    return sorted(os.path.join(folder, name) for top in folders
                  for folder, _, names in os.walk(top) for name in names
                  if name.endswith((".scn", ".xml")))


def run(program, steps, scene, environment):
    with tempfile.TemporaryDirectory() as folder:
        try:
            done = subprocess.run([program] + steps + [scene], cwd=folder, env=environment, timeout=300,
                                  stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                  stderr=subprocess.STDOUT)
        except subprocess.TimeoutExpired:
            return "%s: more than 300 s" % scene, ""
        output = done.stdout.decode(errors="replace")
        told = [line for line in output.splitlines() if line.startswith((scene, "  "))]
        if done.returncode < 0 or "Sanitizer" in output:
            return "%s: crashed, status %d\n%s" % (scene, done.returncode, output[-2000:]), ""
        return "\n".join(told), output


def main(program, steps, at, *folders):
    program = os.path.abspath(program)
    folders = [os.path.abspath(f.replace("REFERENCE", REFERENCE)) for f in folders]
    scenes = scenes_below(f for f in folders if os.path.isdir(f))
    if not scenes:
        print("skipped: there is no %s" % ", ".join(folders))
        return 77
    share = [os.path.join(REFERENCE, "sofa", part) for part in ("share", "examples")]
    environment = dict(os.environ, CSOFA_DATA_PATH=":".join(share))
    problems, same, refused = [], 0, 0
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        for told, output in pool.map(lambda s: run(program, [steps, at], s, environment), scenes):
            same += "1 scenes the same" in output
            refused += "1 refused" in output
            if told:
                problems += [told] if "1 refused" not in output else []
                print(told, flush=True)
    print("%d of %d scenes the same, %d refused, %d problems" % (
        same, len(scenes), refused, len(problems)))
    # what is refused, and what does not run, is not tested: neither may hide here
    return 1 if problems or same < len(scenes) else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))

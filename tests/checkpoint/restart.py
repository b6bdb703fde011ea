#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Runs every scene below the folders, and again with a state that is saved and restored between: the
same bits at every step, the same values of all objects at the end, and no crash. Folders that do not exist are left out; with none of them the test is skipped (status 77).

usage: restart.py RESTART STEPS AT FOLDER..."""
import os
import subprocess
import sys

import suite

REFERENCE = os.environ.get("CSOFA_REFERENCE") or os.path.join(
    os.path.dirname(os.path.abspath(__file__)), "..", "..", "..", "shared", "reference")


def run(program, steps, scene, data_path):
    try:
        status, output = suite.run(program, steps, scene, CSOFA_DATA_PATH=data_path)
    except subprocess.TimeoutExpired:
        return "%s: more than 300 s" % scene, ""
    told = [line for line in output.splitlines() if line.startswith((scene, "  "))]
    if status < 0 or "Sanitizer" in output:
        return "%s: crashed, status %d\n%s" % (scene, status, output[-2000:]), ""
    return "\n".join(told), output


def main(program, steps, at, *folders):
    program = os.path.abspath(program)
    folders = [os.path.abspath(f.replace("REFERENCE", REFERENCE)) for f in folders]
    scenes = suite.scenes_below((f for f in folders if os.path.isdir(f)), (".scn", ".xml"))
    if not scenes:
        print("skipped: there is no %s" % ", ".join(folders))
        return 77
    data_path = ":".join(os.path.join(REFERENCE, "sofa", part) for part in ("share", "examples"))
    problems, same, refused = [], 0, 0
    for told, output in suite.each(lambda s: run(program, [steps, at], s, data_path), scenes):
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

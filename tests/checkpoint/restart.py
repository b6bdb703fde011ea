#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Runs every scene below the folders, and again with a state that is saved and restored between: the
same bits at every step, the same values of all objects at the end, and no crash. Folders that do not
exist are left out; with none of them the test is skipped (status 77).

usage: restart.py RESTART STEPS AT FOLDER..."""
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
import suite  # noqa: E402

REFERENCE = os.environ.get("CSOFA_REFERENCE") or os.path.join(
    os.path.dirname(os.path.abspath(__file__)), "..", "..", "..", "shared", "reference")


def main(program, steps, at, *folders):
    program = os.path.abspath(program)
    folders = [os.path.abspath(f.replace("REFERENCE", REFERENCE)) for f in folders]
    scenes = suite.scenes_below((f for f in folders if os.path.isdir(f)), (".scn", ".xml"))
    if not scenes:
        print("skipped: there is no %s" % ", ".join(folders))
        return 77
    data_path = ":".join(os.path.join(REFERENCE, "sofa", part) for part in ("share", "examples"))
    told = suite.each(lambda some: suite.run(program, [steps, at], some, CSOFA_DATA_PATH=data_path),
                      suite.batches(scenes))
    problems = 0
    for scene, result, text in told:
        if result != "same":
            print("%s: %s\n%s" % (scene, result or "crashed", text), flush=True)
            problems += result != "refused"
    results = [result for _, result, _ in told]
    same, refused = results.count("same"), results.count("refused")
    print("%d of %d scenes the same, %d refused, %d problems" % (
        same, len(scenes), refused, problems))
    # what is refused, and what does not run, is not tested: neither may hide here
    return 1 if problems or same < len(scenes) else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))

#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Every example scene is drawn with everything shown, in every step: nothing crashes, and the states
are those of a run without pictures, to the bit. usage: everything.py DRAW_SCENES [PART OF A PATH]"""
import os
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "support"))
import suite  # noqa: E402


def main(program, part=""):
    program = os.path.abspath(program)
    scenes = [s for s in suite.scenes_below([os.path.join(HERE, "..", "..", "scenes")]) if part in s]
    first = subprocess.run([program, *scenes[:1]], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    if first.returncode == 77:
        print("skipped: " + first.stdout)
        return 77
    told = suite.each(lambda some: suite.run(program, [], some), suite.batches(scenes))
    others = [(scene, result, text) for scene, result, text in told if result != "same"]
    for scene, result, text in others:
        print("%s: %s\n%s" % (scene, result or "crashed", text))
    print("%d scenes drawn, %d changed by it" % (len(scenes), len(others)))
    return 1 if others or not scenes else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))

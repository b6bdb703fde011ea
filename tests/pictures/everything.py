#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Every example scene is drawn with everything shown, in every step: nothing crashes, and the states
are those of a run without pictures, to the bit. usage: everything.py RUNCSOFA [PART OF A PATH]"""
import glob
import os
import re
import subprocess
import sys
import tempfile

PROGRAM = os.path.abspath(sys.argv[1])
PROJECT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
STYLE = '<VisualStyle displayFlags="showAll showNormals%s"/>'


def run(folder, name, scene, *words):
    states = os.path.join(folder, name + ".states")
    result = subprocess.run(
        [PROGRAM, "-g", "batch", "-n", "3", "--keep-going", "--hideProgressBar", "--noscenecheck",
         "--data-path", os.path.dirname(scene), "--states", states, "--states-at", "all"]
        + list(words) + [os.path.join(folder, "scene.scn")], cwd=folder,
        env=dict(os.environ, LIBGL_ALWAYS_SOFTWARE="1"), stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT)
    content = open(states).read() if os.path.exists(states) else None
    return result.returncode, content, result.stdout.decode("utf-8", "replace")


def main():
    part = sys.argv[2] if len(sys.argv) > 2 else ""
    scenes = [s for s in sorted(glob.glob(os.path.join(PROJECT, "scenes", "*", "*.scn")))
              if part in s]
    bad = 0
    for i, scene in enumerate(scenes):
        with open(scene) as file:
            text = re.sub(r"<VisualStyle[^>]*/>", "", file.read())
        style = STYLE % (" showWireframe" if i % 2 else "")
        text = re.sub(r"(<Node\b[^>]*[^/]>)", lambda m: m.group(1) + style, text, count=1)
        with tempfile.TemporaryDirectory(prefix="csofa-everything-") as folder:
            with open(os.path.join(folder, "scene.scn"), "w") as file:
                file.write(text)
            plain = run(folder, "plain", scene)
            drawn = run(folder, "drawn", scene, "--screenshot", "x.png", "--screenshot-every", "1",
                        "--size", "64x48")
        if "no pictures can be made" in drawn[2]:
            print("skipped: " + drawn[2].splitlines()[0])
            return 77
        if plain[:2] != drawn[:2]:
            bad += 1
            print("%s: status %d without pictures, %d with; states %s\n%s" % (
                scene, plain[0], drawn[0], "differ" if plain[1] != drawn[1] else "agree",
                drawn[2][-500:]))
    print("%d scenes drawn, %d changed by it" % (len(scenes), bad))
    return 1 if bad or not scenes else 0


if __name__ == "__main__":
    sys.exit(main())

# SPDX-License-Identifier: LGPL-2.1-or-later
"""The checks of runcsofa find nothing wrong in any example scene but what EXPECTED names.

usage: checks.py RUNCSOFA FOLDER..."""
import concurrent.futures
import glob
import os
import subprocess
import sys
import tempfile

CHECKS = ["--check-tangent", "--check-mesh"]
# what a scene shows on purpose: a part of the line of the report
EXPECTED = {"inverted_tetrahedron.scn": "1 of 1 tetrahedra: inverted"}


def one(arguments):
    program, scene, out = arguments
    done = subprocess.run([program, *CHECKS, "--hideProgressBar", "--out", out, scene],
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=500)
    return scene, done.returncode, done.stdout.decode(errors="replace")


def main():
    program, folders = os.path.abspath(sys.argv[1]), sys.argv[2:]
    scenes = [s for f in folders
              for s in sorted(glob.glob(os.path.join(f, "**", "*.scn"), recursive=True))]
    problems, shown = [] if len(scenes) > 300 else ["there are %d scenes" % len(scenes)], set()
    with tempfile.TemporaryDirectory() as out, concurrent.futures.ThreadPoolExecutor(2) as pool:
        for scene, status, text in pool.map(one, [(program, s, out) for s in scenes]):
            wrong = [line for line in text.splitlines() if ": wrong: " in line]
            expected = EXPECTED.get(os.path.basename(scene))
            shown |= {os.path.basename(scene)} if expected else set()
            unexpected = [line for line in wrong if not expected or expected not in line]
            if unexpected or (status != 0) != bool(expected):
                problems.append("%s: status %d\n%s" % (scene, status, "\n".join(unexpected) or
                                                       text[-1000:]))
    problems += ["there is no scene " + name for name in set(EXPECTED) - shown]
    print("\n".join(problems + ["%d scenes, %d problems" % (len(scenes), len(problems))]))
    sys.exit(1 if problems else 0)


main()

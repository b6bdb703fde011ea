#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Tests the tests of restarts. For each class that keeps something from step to step beside its fields (rows of
SOFA_KEEPS, or what its functions write) there must be a scene whose steps, fields, outputs or messages change when it is
lost: then a class that forgets to save it fails checkpoint/*. Members that a class spares and keeps all the same, for
pictures and messages, must change nothing when they are lost, in any scene.

usage: kept.py KEPT FOLDER..."""
import os
import re
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
import suite  # noqa: E402


def main(program, *folders):
    program = os.path.abspath(program)
    scenes, problems = suite.scenes_below(folders), []
    told = {word: set() for word in ("kept", "shown", "spared", "idle", "wrong")}

    def look(part):
        steps, some = part
        found = suite.run(program, [*steps, ",%s," % ",".join(sorted(told["shown"]))], some)
        for scene, result, text in found:
            if result != "done":
                problems.append("%s: %s\n%s" % (scene, result or "crashed", text))
            problems.extend("%s: two runs differ" % scene for _ in re.findall("^unsteady", text, re.M))
            problems.extend("%s: the run changes without %s, which the class spares" % (scene, name)
                            for name in re.findall(r"^wrong (\S+)$", text, re.M))
            for word, names in told.items():
                names.update(re.findall(r"^%s (\S+)$" % word, text, re.M))
        return found

    suite.each(look, suite.with_steps(scenes))
    problems += ["no scene shows that it matters what %s keeps" % name for name in sorted(told["kept"] - told["shown"])]
    print("\n".join(problems + ["%d scenes, %d classes keep something, of %d it is shown; %d spared members; %d problems" % (
        len(scenes), len(told["kept"]), len(told["shown"]), len(told["spared"]), len(problems))]))
    print("keep nothing in any scene: " + " ".join(sorted(told["idle"] - told["kept"])))
    return 1 if problems or not scenes else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))

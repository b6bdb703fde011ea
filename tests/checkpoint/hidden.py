#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Tests that no object has hidden state, in any scene: what is in its memory after a number of steps must be there in a
simulation that restores the saved state, unless the class spares the member (SOFA_SPARES). That nothing depends on these
is what checkpoint/* test: they are lost in every restart. A member that is spared for nothing is a problem, too.

usage: hidden.py HIDDEN FOLDER..."""
import collections
import os
import re
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
import suite  # noqa: E402


def main(program, *folders):
    program = os.path.abspath(program)
    scenes = suite.scenes_below(folders)
    found, problems = collections.defaultdict(list), []
    told = {"declared": set(), "spared": set()}

    for scene, result, text in suite.each(lambda part: suite.run(program, *part), suite.with_steps(scenes)):
        for line in re.findall(r"^hidden (.*)$", text, re.M):
            found[re.sub(r": byte \d+ .*\((after \S+?)[,)].*", r" \1", line)].append((scene, line))  # a run of bytes once
        for word, names in told.items():
            names.update(re.findall(r"^%s (\S+)$" % word, text, re.M))
        if result != "compared":
            problems.append("%s: %s\n%s" % (scene, result or "crashed", text))

    for where in sorted(found):
        scene, line = found[where][0]
        problems.append("%s\n  is not restored, in %s: save it with SOFA_KEEPS or, if no step depends on it, "
                        "declare it with SOFA_SPARES" % (line, scene))
    problems += ["%s is spared, but in no scene is it other than after the restoring" % name
                 for name in sorted(told["declared"] - told["spared"])]
    print("\n".join(problems + ["%d scenes, %d problems" % (len(scenes), len(problems))]))
    return 1 if problems or not scenes else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))

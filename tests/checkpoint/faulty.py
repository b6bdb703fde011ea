#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Tests the tests: a class of a plugin that forgets to save what it counts is found by name, one that saves or spares it is
not, and one that spares what matters is found by the restart.

usage: faulty.py HIDDEN RESTART"""
import os
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))


def main(hidden, restart):
    problems = []
    for scene, told, same in (("forgetful", "hidden ForgetfulCounter: byte", True), ("absent", "hidden AbsentCounter: byte", True),
                              ("mindful", "", True), ("sparing", "", True), ("wrong", "", False)):
        path = os.path.join(HERE, "faulty", scene + ".scn")
        looked = subprocess.run([hidden, "12", "5", path], capture_output=True, text=True)
        if bool(told) != (looked.returncode == 1) or told not in looked.stdout or ": compared\n" not in looked.stdout:
            problems.append("%s: status %d\n%s%s" % (scene, looked.returncode, looked.stdout, looked.stderr))
        ran = subprocess.run([restart, "12", "5", path], capture_output=True, text=True)
        if same != (ran.returncode == 0) or (not same and "WrongCounter counter.total" not in ran.stdout.replace("/", "")):
            problems.append("%s: restart: status %d\n%s%s" % (scene, ran.returncode, ran.stdout, ran.stderr))
    print("\n".join(problems + ["%d problems" % len(problems)]))
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))

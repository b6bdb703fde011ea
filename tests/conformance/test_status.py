#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""README's status table has the counts of the lists: scenes that conform, those of them that load with every component, and
all scenes.

usage: test_status.py README"""
import collections
import os
import re
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import run_conformance  # noqa: E402

FOLDER = os.path.dirname(os.path.abspath(__file__))
SUITES = {"precise scenes": "own", "SOFA's example scenes": "sofa"}
ROW = re.compile(r"^\| (.+?) \| (\w+) \| (\d+) \| (\d+) \| (\d+) \|$", re.M)


def main(readme):
    with open(readme, encoding="utf-8") as file:
        text = file.read().split("<!-- status begin -->")[1].split("<!-- status end -->")[0]
    good, strict = collections.Counter(), collections.Counter()
    listed = run_conformance.read_list(os.path.join(FOLDER, "conforming.tsv"))
    for (suite, group, _), strictly in listed.items():
        good[suite, group] += 1
        strict[suite, group] += strictly
    problems, others = [], collections.Counter()
    for names, group, same, every, total in ROW.findall(text):
        key = SUITES[names], group
        if (int(same), int(every)) != (good.pop(key, 0), strict[key]):
            problems.append("%s %s: %s and %s, but the list has other counts" % (names, group, same, every))
        others[key[0]] += int(total) - int(same)
    problems += ["%s %s is not in the table" % key for key in good]
    beyond = collections.Counter(suite for suite, _ in run_conformance.read_beyond(os.path.join(FOLDER, "beyond.tsv")))
    problems += ["%s: %d scenes do not conform, %d are explained" % (suite, others[suite], beyond[suite])
                 for suite in SUITES.values() if others[suite] != beyond[suite]]
    print("\n".join(problems) or "the status table has the counts of the lists")
    return 1 if problems or not others else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))

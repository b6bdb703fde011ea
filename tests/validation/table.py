#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""docs/validation.md has one row of each case, with its published value. usage: table.py PROJECT"""
import glob
import os
import re
import sys

PROJECT = sys.argv[1]
sys.path.insert(0, os.path.join(PROJECT, "tools", "validation"))
sys.dont_write_bytecode = True
import case as cases  # noqa: E402

failures = 0


def check(what, good):
    global failures
    failures += not good
    if not good:
        print("wrong:", what)


with open(os.path.join(PROJECT, "docs", "validation.md"), encoding="utf-8") as file:
    text = file.read()
rows = {match.group(1): match.group(0) for match in re.finditer(r"^\|[^\n]*?\[([^\]]*)\]\(\.\./scenes/[^\n]*$", text, re.M)}
scenes = sorted(glob.glob(os.path.join(PROJECT, "scenes", "validation", "*.scn")))
check("there are cases", scenes)
for path in scenes:
    case = cases.Case(path)
    row = rows.pop(case.name, "")
    check("%s has no row in docs/validation.md: run ./dev validate" % case.name, row)
    check("%s: the row has another value: run ./dev validate" % case.name, "| %.5g" % case.reference in row)
for name in rows:
    check("docs/validation.md names %s, which does not exist: run ./dev validate" % name, False)
for name in re.findall(r"\]\((pictures/[^)]*)\)", text):
    check("%s of docs/validation.md exists" % name, os.path.exists(os.path.join(PROJECT, "docs", name)))
sys.exit(1 if failures else 0)

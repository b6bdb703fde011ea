#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Puts a table file between the status markers of README.md: update_readme.py README TABLE."""
import sys

BEGIN, END = "<!-- status begin -->", "<!-- status end -->"


def main(readme, table):
    with open(readme) as file:
        text = file.read()
    if text.count(BEGIN) != 1 or text.count(END) != 1:
        print("%s: the status markers are missing" % readme)
        return 1
    with open(table) as file:
        rows = file.read()
    head, tail = text.split(BEGIN)[0], text.split(END)[1]
    with open(readme, "w") as file:
        file.write(head + BEGIN + "\n" + rows + END + tail)
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:3]))

#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Makes docs/components.md from what the program says about its components.

usage: components.py PROGRAM            print the page
       components.py PROGRAM FILE       write it
       components.py PROGRAM --check FILE   status 1 when FILE is not what would be written"""
import difflib
import subprocess
import sys

HEAD = """# Components

Made by `./dev docs` from the tables of the program; do not edit. `runcsofa --doc NAME` prints the
entry of one component, `runcsofa --list` all names.

A field that is *not supported yet* is read and refused unless it has its default. One with *no effect*
is accepted because SOFA has it. *Computed* fields are results: other objects link to them.
"""


def ask(program, *words):
    return subprocess.run([program, *words], check=True, stdout=subprocess.PIPE, text=True).stdout


def names(program):
    """[(module, [component, ...]), ...] in the order of --list."""
    modules = []
    for line in ask(program, "--list").splitlines():
        if line and not line.startswith(" "):
            modules.append((line, []))
        elif line.strip():
            modules[-1][1].append(line.split()[0])
    return modules


def pages(text, names):
    """The part of each component of a text of --doc, in the order of the names."""
    starts = [("\n" + text).index("\n# %s\n" % name) for name in names]
    return [text[begin:end].strip() for begin, end in zip(starts, starts[1:] + [len(text)])]


def split(page):
    """Text above the table, and the table's rows."""
    lines = page.splitlines()
    first = next((i for i, line in enumerate(lines) if line.startswith("|")), len(lines))
    text = [line for line in lines[1:first] if not line.startswith("Module: ")]
    return "\n".join(text).strip(), lines[first + 2:]


def without_gaps(text):
    while "\n\n\n" in text:
        text = text.replace("\n\n\n", "\n\n")
    return text


def table(rows):
    return ["| field | type | default | unit | meaning |", "|---|---|---|---|---|", *rows, ""]


def page(program):
    modules = names(program)
    every = [name for _, list_ in modules for name in list_]
    entries = dict(zip(every, map(split, pages(ask(program, "--doc", ",".join(every)), every))))
    # rows every component has are told once
    common = None
    for _, rows in entries.values():
        common = rows if common is None else [row for row in common if row in rows]
    out = [HEAD]
    for module, list_ in modules:
        out.append("- %s: %s" % (module, ", ".join("[%s](#%s)" % (n, n.lower()) for n in list_)))
    out += ["", "## Fields of every component", "", *table(common or [])]
    for module, list_ in modules:
        out += ["## " + module, ""]
        for name in list_:
            text, rows = entries[name]
            own = [row for row in rows if row not in common]
            out += ["### " + name, "", text, "", *(table(own) if own else [])]
    return without_gaps("\n".join(out)).rstrip() + "\n"


def main():
    words = sys.argv[1:]
    if not words or len(words) > 3 or (len(words) == 3 and words[1] != "--check"):
        sys.exit(__doc__)
    text = page(words[0])
    if len(words) == 1:
        sys.stdout.write(text)
    elif len(words) == 2:
        with open(words[1], "w", encoding="utf-8") as file:
            file.write(text)
    else:
        with open(words[2], encoding="utf-8") as file:
            old = file.read()
        if old == text:
            return 0
        sys.stdout.writelines(difflib.unified_diff(old.splitlines(True), text.splitlines(True),
                                                   words[2], "as the program says", n=1))
        print("%s is stale: run ./dev docs" % words[2])
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())

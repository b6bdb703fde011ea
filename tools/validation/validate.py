#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Runs the validation cases (case.py says what they are): `./dev validate` writes the table.

usage: validate.py RUNCSOFA SCENE...                one line per scene; status 1 when one is wrong
       validate.py RUNCSOFA --table DOCS SCENE...   writes DOCS/validation.md and its pictures, too"""
import os
import re
import sys
from concurrent.futures import ThreadPoolExecutor

sys.dont_write_bytecode = True

import case as cases  # noqa: E402
import chart  # noqa: E402

HEAD = """# Validation

Each row is a scene of `scenes/validation` whose comment names the quantity, its source and its tolerance; a test runs it.
`./dev validate` runs all of them and writes this page and its pictures. "Ours" lists the values under refinement, the
coarsest mesh first. Errors are those of the last level, relative to the published value or to the closed form; the order
is that of the error between the last two levels, where there is a closed form. In brackets it is that of the differences
between the last three levels, where the published value is no closed form. "exact": the error is that of rounding and of the
solver's tolerance, in whatever mesh or step.

%s.
"""


def measure(program, path):
    """Case, values, complaint."""
    try:
        case = cases.Case(path)
    except (cases.Wrong, OSError) as error:
        return None, [], str(error)
    try:
        values = [cases.value(program, case, level) for level in range(case.n_levels)]
        return case, values, cases.complaint(case, values)
    except (cases.Wrong, ValueError, IndexError) as error:
        return case, [], str(error)


def short(x):
    return "%.5g" % x


def cell(text):
    return text.replace("|", "\\|")


def order_cell(case, values):
    if cases.is_rounding(case, values):
        return "exact"
    found = cases.order(case, values)
    if found is not None:
        return "%.1f" % found
    found = None if case.exact else cases.order_of_differences(case, values)
    return "(%.1f)" % found if found is not None else ""


def row(case, values):
    words = [cell(case.lines["case"]), "[%s](../%s)" % (case.name, scene_path(case)), cell(case.lines["source"]),
             short(case.reference) + (" (exact)" if case.exact else ""), ", ".join(map(short, values)),
             "%.2g" % case.error(values[-1]), order_cell(case, values)]
    return "| " + " | ".join(words) + " |"


def scene_path(case):
    at = os.path.abspath(case.path)
    return at[at.index("scenes" + os.sep + "validation"):].replace(os.sep, "/")


def file_name(family):
    return re.sub(r"[^a-z0-9]+", "-", family.lower()).strip("-") + ".svg"


def section(family, results, docs):
    lines = ["", "## " + family, ""]
    curves = [(case.lines["case"], list(zip(case.sizes(), map(case.error, values))))
              for case, values in results if len(values) > 1 and not cases.is_rounding(case, values)]
    if curves:
        name = os.path.join("pictures", "validation", file_name(family))
        os.makedirs(os.path.join(docs, os.path.dirname(name)), exist_ok=True)
        with open(os.path.join(docs, name), "w", encoding="utf-8") as file:
            file.write(chart.draw(family, curves))
        lines += ["![Errors over mesh sizes: %s](%s)" % (family.lower(), name), ""]
    lines += ["| case | scene | source | value | ours | error | order |", "|---|---|---|---|---|---|---|"]
    return lines + [row(case, values) for case, values in results]


def counts(families):
    n = sum(map(len, families.values()))
    return "%d case%s in %d famil%s" % (n, "s"[n == 1:], len(families), "y" if len(families) == 1 else "ies")


def write_table(docs, results):
    families = {}
    for case, values, _ in results:
        if case and values:
            families.setdefault(case.lines["family"], []).append((case, values))
    lines = [HEAD % counts(families)]
    for family in sorted(families):
        lines += section(family, families[family], docs)
    with open(os.path.join(docs, "validation.md"), "w", encoding="utf-8") as file:
        file.write("\n".join(lines).replace("\n\n\n", "\n\n") + "\n")


def main(argv):
    docs = None
    if len(argv) > 3 and argv[2] == "--table":
        docs, argv = argv[3], argv[:2] + argv[4:]
    if len(argv) < 3:
        sys.exit(__doc__)
    program = os.path.abspath(argv[1])
    failures = 0
    with ThreadPoolExecutor(os.cpu_count() if docs else 1) as pool:
        results = list(pool.map(lambda path: measure(program, path), sorted(argv[2:])))
    for path, (_, values, wrong) in zip(sorted(argv[2:]), results):
        print("%-5s %s: %s%s" % ("wrong" if wrong else "ok", os.path.basename(path), ", ".join(map(short, values)),
                                 " (%s)" % wrong if wrong else ""), flush=True)
        failures += bool(wrong)
    if docs:
        write_table(docs, results)
    sys.exit(1 if failures else 0)


if __name__ == "__main__":
    main(sys.argv)

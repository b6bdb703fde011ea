#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Checks the rows of quirks: each has its entry in docs/differences.md and names a test that is
there and is about it; no entry is without a row.

usage: quirks.py PROJECT PROGRAM [PLUGIN ...]"""
import glob
import os
import re
import subprocess
import sys


def rows(program, plugins):
    """[(word, class, test, text), ...]"""
    load = ["-l", ",".join(plugins)] if plugins else []
    out = subprocess.run([program, *load, "--list-quirks"], check=True, stdout=subprocess.PIPE,
                         text=True).stdout
    return [line.split("\t") for line in out.splitlines()]


def entries(project):
    """Words of the section "Quirks" of the page."""
    with open(os.path.join(project, "docs", "differences.md"), encoding="utf-8") as file:
        return re.findall(r"^### (\S+)$", file.read(), re.M)


def functions(source):
    """The text of each static function, its head included, by name."""
    found = re.finditer(r"^static [^;={]*?(\w+)\([^;{]*\) \{\n.*?^\}", source, re.M | re.S)
    return {m.group(1): m.group(0) for m in found}


def about(source, function, word):
    """Does the test name the quirk, or run, itself or by a helper, with all of them?"""
    every = functions(source)
    own = every[function]
    helpers = [text for name, text in every.items() if re.search(r"\b%s\(" % name, own)]
    return '"%s"' % word in own or any("quirk" in text for text in [own, *helpers])


def check_test(project, word, test):
    """What is wrong with the test a row names, or None."""
    if test.startswith("scenes/"):
        path = os.path.join(project, test)
        return None if os.path.isfile(path) else "there is no scene '%s'" % test
    name, _, function = test.partition(".")
    files = glob.glob(os.path.join(project, "tests", "unit", "*", name + ".c"))
    if len(files) != 1:
        return "there is no test '%s'" % test
    with open(files[0], encoding="utf-8") as file:
        source = file.read()
    registered = re.search(r"(?:cmocka_unit_test\w*|TEST)\(\s*%s\b" % re.escape(function), source)
    if not registered or function not in functions(source):
        return "%s has no test '%s'" % (name, function)
    return None if about(source, function, word) else "'%s' does not run with the quirk" % test


def main():
    project, program, plugins = sys.argv[1], sys.argv[2], sys.argv[3:]
    problems = []
    listed, texts = rows(program, plugins), entries(project)
    for word, klass, test, _ in listed:
        wrong = check_test(project, word, test)
        if wrong:
            problems.append("%s (%s): %s" % (word, klass, wrong))
    words = {row[0] for row in listed}
    problems += ["docs/differences.md has no entry '%s'" % w for w in sorted(words - set(texts))]
    problems += ["docs/differences.md has '%s', which no class has" % w
                 for w in sorted(set(texts) - words)]
    problems += ["docs/differences.md has '%s' twice" % w
                 for w in sorted({w for w in texts if texts.count(w) > 1})]
    print("\n".join(problems) if problems else "%d quirks" % len(words))
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())

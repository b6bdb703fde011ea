#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""House rules that neither formatter nor compiler sees. Prints each breach; status 1 if any."""
import os
import re
import sys

PROJECT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
SPDX = "SPDX-License-Identifier: LGPL-2.1-or-later"
CODE = (".c", ".h", ".cpp")
TEXT = CODE + (".py", ".txt", ".md", ".scn", ".cmake", ".in")

# (pattern, where it is looked for, where it is allowed, what to do instead)
RULES = [
    (r"\b(exit|abort|_exit|quick_exit)\s*\(", ("core/", "numerics/", "components/", "plugins/", "viewer/"), (),
     "libraries never end the process"),
    (r"(?<![\w.>])(printf|puts|putchar|perror)\s*\(", ("core/", "numerics/", "components/", "plugins/", "viewer/"), (),
     "messages go through sofa_message"),
    (r"(?<![\w.>])(malloc|calloc|realloc|free|strdup|strndup)\s*\(",
     ("core/", "numerics/", "components/", "plugins/", "viewer/"), ("core/base/",), "memory comes from the context"),
    (r"(?<![\w.>])(atof|atoi|strtod|strtof|strtol|sscanf|setlocale)\s*\(",
     ("core/", "numerics/", "components/", "plugins/"), ("core/base/text",), "read numbers with base/text.h"),
    (r"-ffast-math|-Ofast", ("CMakeLists.txt", "core/", "numerics/", "components/", "plugins/"), (),
     "results must not depend on reassociation"),
    (r"/" + r"work/", ("",), (), "no path of somebody's machine"),
    (r"\t", ("core/", "numerics/", "components/", "plugins/", "apps/"), (), "indent with two spaces"),
]


def files():
    skip = {".git", "out", "__pycache__", ".cache"}
    for folder, folders, names in os.walk(PROJECT):
        folders[:] = sorted(f for f in folders if f not in skip and not f.startswith("build"))
        for name in sorted(names):
            path = os.path.relpath(os.path.join(folder, name), PROJECT)
            if name.endswith(TEXT) or name == "dev":
                yield path


def without_comments(text):
    """C text with comments and strings blanked, line numbers kept."""
    pattern = re.compile(r'/\*.*?\*/|//[^\n]*|"(?:\\.|[^"\\\n])*"', re.S)
    return pattern.sub(lambda match: re.sub(r"[^\n]", " ", match.group(0)), text)


def breaches(path):
    with open(os.path.join(PROJECT, path), encoding="utf-8", errors="replace") as file:
        text = file.read()
    found = []
    is_code = path.endswith(CODE)
    if is_code and SPDX not in text[:200]:
        found.append((1, "the licence line is missing"))
    body = without_comments(text) if is_code else text
    for pattern, where, allowed, advice in RULES:
        if not path.startswith(where) or (allowed and path.startswith(allowed)):
            continue
        for match in re.finditer(pattern, body):
            found.append((body.count("\n", 0, match.start()) + 1, advice))
    if is_code:
        for number, line in enumerate(text.split("\n"), 1):
            if len(line) > 100:
                found.append((number, "longer than 100 columns"))
        if text.count("\n") > 1500:
            found.append((1, "longer than 1500 lines: split it"))
    return found


def main():
    total = 0
    for path in files():
        for line, what in breaches(path):
            print("%s:%d: %s" % (path, line, what))
            total += 1
    print("house rules: %d breaches" % total)
    return 1 if total else 0


if __name__ == "__main__":
    sys.exit(main())

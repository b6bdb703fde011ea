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
PRODUCT = ("core/", "numerics/", "components/", "plugins/", "viewer/", "apps/")
MAX_PARAMETERS = 6

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
    (r"#\s*pragma\s+omp\b", ("core/", "numerics/", "components/", "plugins/", "viewer/"), (),
     "threads are those of base/team.h: without -fopenmp the line does nothing, and nobody says so"),
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


BARE = re.compile(r"(?<![\w.>])(memcpy|memset|memmove|memcmp|qsort|bsearch)\s*\(")
CONSTANT = re.compile(r"[0-9A-Z_]+|([0-9A-Z_]+ \* )*sizeof\b( ?\([^()]*\)| ?[*\w.>\[\]-]+)( [-*] [0-9A-Z_]+)*")


def arguments(text, at):
    """The arguments in the parentheses that end behind `at`."""
    depth, found, first = 1, [], at
    for place in range(at, len(text)):
        depth += text[place] in "([{"
        depth -= text[place] in ")]}"
        if depth == 0 or (text[place] == "," and depth == 1):
            found.append(" ".join(text[first:place].split()))
            first = place + 1
        if depth == 0:
            break
    return found


def bare_calls(body):
    """Lines of calls whose size may be 0: the functions of base/bytes.h allow null pointers then."""
    sizes = {"qsort": 1}
    return [body.count("\n", 0, match.start()) + 1 for match in BARE.finditer(body)
            if not CONSTANT.fullmatch(arguments(body, match.end())[sizes.get(match.group(1), 2)])]


DEFINITION = re.compile(r"^[A-Za-z_][^;{}()=#]*?\b(\w+)\s*\(", re.M)


def parameters(text, at):
    """Number of parameters in the parentheses that open at `at`, and the place behind them."""
    depth, count = 0, 1
    for place in range(at, len(text)):
        depth += text[place] in "([{"
        depth -= text[place] in ")]}"
        count += text[place] == "," and depth == 1
        if depth == 0:
            return count, place + 1
    return 0, len(text)


def crowded(body):
    """Lines and names of functions defined with too many parameters; body without comments."""
    body = re.sub(r"^[ \t]*#(?:[^\n]*\\\n)*[^\n]*", lambda m: "\n" * m.group(0).count("\n"), body,
                  flags=re.M)
    body = re.sub(r"__attribute__\s*\(\((?:[^()]|\([^()]*\))*\)\)", "", body)
    found = []
    for match in DEFINITION.finditer(body):
        count, end = parameters(body, match.end() - 1)
        if count > MAX_PARAMETERS and body[end:].lstrip().startswith("{"):
            found.append((body.count("\n", 0, match.start()) + 1, match.group(1), count))
    return found


def self_test():
    """The rule of parameters sees what it should."""
    long = "(int a, double (*b)[3], void (*c)(int, int), int d, int e,\n   int f, int g)"
    found = crowded(without_comments(
        "#define M(a, b, c, d, e, f, g) {}\n"
        "int declared%s;\n"
        "static int six(int a, int b, int c, void (*d)(int, int, int), int e, int f) {\n"
        "  return call(a, b, c, d, e, f, 7);\n}\n"
        "ALWAYS __attribute__((noinline)) size_t seven%s {\n}\n"
        "/* void quoted%s {} */\n"
        "const char *pointer%s\n{\n}\n" % (long, long, long, long)))
    assert [f[1:] for f in found] == [("seven", 7), ("pointer", 7)], found
    calls = ["memcpy(a, b, n)", "memset(f(a, 1), 0, 3 * sizeof *a)", "memcmp(a, b, n * sizeof *a)", "qsort(a, 2, n, c)",
             "qsort(a, n, sizeof *a, c)", "memset(a, 0, sizeof(Row))"]
    assert bare_calls("\n".join(calls)) == [1, 3, 5]


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
    if path.startswith(PRODUCT) and path.endswith((".c", ".h")) and path != "core/base/bytes.h":
        for line in bare_calls(body):
            found.append((line, "the size may be 0: copy, compare and sort with base/bytes.h"))
    if path.startswith(PRODUCT) and path.endswith((".c", ".h")):
        for line, name, count in crowded(body):
            found.append((line, "%s has %d parameters: group what belongs together in a struct, %d at "
                                "most" % (name, count, MAX_PARAMETERS)))
    return found


def main():
    self_test()
    total = 0
    for path in files():
        for line, what in breaches(path):
            print("%s:%d: %s" % (path, line, what))
            total += 1
    print("house rules: %d breaches" % total)
    return 1 if total else 0


if __name__ == "__main__":
    sys.exit(main())

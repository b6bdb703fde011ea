#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""What libcsofa shows to other programs: names with the prefix sofa_ or, of the interface of
applications, csofa_, and no function of a component but those of the headers that the viewer uses. Prints the number of both.

usage: check_exports.py LIBRARY ROOT [NM]"""
import os, re, subprocess, sys


def shown(nm, library):
    out = subprocess.run([nm, "-D", "--defined-only", "-P", library], capture_output=True, text=True, check=True)
    names = (line.split()[0].split("@")[0] for line in out.stdout.splitlines())
    return sorted(n for n in names if not n.startswith("__odr_asan"))  # made by the address sanitizer


def declared(root):
    """words of the headers that show something, and beginnings of names that macros make"""
    words = set()
    for top in ("core", "numerics", "components", "api"):
        for folder, _, names in os.walk(os.path.join(root, top)):
            for name in names:
                if name.endswith((".h", ".def")) and not name.endswith("_impl.h"):
                    text = open(os.path.join(folder, name), encoding="utf-8").read()
                    if top != "components" or "visibility push(default)" in text:
                        words.update(re.findall(r"\w+(?:##)?", text))
    return words


def main():
    library, root, nm = (sys.argv[1:] + ["nm"])[:3]
    names = shown(nm, library)
    words = declared(root)
    wrong = ["%s lacks the prefix sofa_ or csofa_" % n for n in names if not n.startswith(("sofa_", "csofa_"))]
    made = tuple(w[:-2] for w in words if w.endswith("##") and w.startswith("sofa_") and w != "sofa_##")
    wrong += ["%s is in no public header" % n for n in names if n not in words and not n.startswith(made)]
    print("\n".join(wrong + ["%d exported symbols, %d wrong" % (len(names), len(wrong))]))
    return 1 if wrong or not names else 0


if __name__ == "__main__":
    sys.exit(main())

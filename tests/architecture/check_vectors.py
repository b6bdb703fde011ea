#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Dof numbers are offsets in memory in one place: no file but those of the seam loops over the length of a plan's
vectors, copies or clears that many reals, or hands that length to a kernel. The operations are in simulation/vectors.h.

usage: check_vectors.py ROOT"""
import os, re, sys

FOLDERS = ["core", "numerics", "components", "plugins", "viewer", "apps"]
# the layout of plans and the operations on their vectors; rows of assembled matrices
SEAM = ("core/simulation/vectors.", "core/simulation/mechanics", "numerics/assembly/")
LENGTH = re.compile(r"\b(m|mechanics)->n_[xv](_main)?\b")
USES = re.compile(r"\bfor \(|\bwhile \(|\bmem(cpy|set|move|cmp)\(|kernels->|\bsize_t \w+ = [^;]*->n_[xv]_main\b")


def statements(text):
    """(number of the first line, text) of what ends with ; or { or }, comments left out."""
    text = re.sub(r"/\*.*?\*/|//[^\n]*", lambda m: re.sub(r"[^\n]", " ", m.group(0)), text, flags=re.S)
    begin = 0
    depth = 0
    for i, c in enumerate(text):
        depth += (c == "(") - (c == ")")
        if c in ";{}" and depth == 0:
            lead = len(text[begin:i]) - len(text[begin:i].lstrip())
            yield text.count("\n", 0, begin + lead) + 1, text[begin:i]
            begin = i + 1


def problems(root):
    for folder in FOLDERS:
        for where, _, names in os.walk(os.path.join(root, folder)):
            for name in sorted(names):
                path = os.path.relpath(os.path.join(where, name), root)
                if not name.endswith((".c", ".h")) or path.startswith(SEAM):
                    continue
                for line, statement in statements(open(os.path.join(root, path), encoding="utf-8").read()):
                    if LENGTH.search(statement) and USES.search(statement):
                        yield "%s:%d: loops over the reals of a plan's vectors: use simulation/vectors.h" % (path, line)


def self_test():
    def found(text):
        return [n for n, s in statements(text) if LENGTH.search(s) and USES.search(s)]
    assert found("int a;\nfor (size_t k = 0; k < m->n_v_main; k++)\n  x[k] = 0;") == [2]
    assert found("memcpy(a, b,\n       m->n_x * sizeof *a);") == [1]
    assert found("const size_t n = m->n_v_main;") == [1]
    assert not found("/* for (n_v_main) */ work_vector(ctx, m->n_v, &v); for (i = 0; i < in->n; i++) ;")


def main():
    self_test()
    found = list(problems(sys.argv[1]))
    print("\n".join(found) or "vectors are touched through their operations")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())

#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Dependencies point one way: base <- math <- object <- draw, topology <- behavior <- change <-
simulation <- scene <- numerics <- components <- api <- plugins, viewer, apps. Also: every public header
compiles alone (given a compiler).

usage: check_includes.py ROOT [CC [FOLDER OF MADE HEADERS]]"""
import os, re, subprocess, sys

LAYERS = ["core/base", "core/math", "core/object", "core/draw", "core/topology", "core/behavior",
          "core/change", "core/simulation", "core/scene", "numerics", "components", "api", "plugins",
          "viewer", "apps"]

def layer(path):
    for i, prefix in enumerate(LAYERS):
        if path.startswith(prefix + "/"):
            return i
    return None


def sources(root):
    for prefix in LAYERS:
        for folder, _, names in os.walk(os.path.join(root, prefix)):
            for name in sorted(names):
                if name.endswith((".c", ".h", ".cpp")):
                    yield os.path.relpath(os.path.join(folder, name), root)


def wrong_includes(root):
    for path in sources(root):
        for n, line in enumerate(open(os.path.join(root, path), encoding="utf-8"), 1):
            m = re.match(r'\s*#\s*include\s*"([^"]+)"', line)
            if not m:
                continue
            target = m.group(1)
            here = os.path.join(os.path.dirname(path), target)
            for candidate in ("core/" + target, target, here):
                if os.path.exists(os.path.join(root, candidate)):
                    up, own = layer(os.path.normpath(candidate)), layer(path)
                    if up is not None and up > own:
                        yield "%s:%d: %s must not include %s" % (path, n, LAYERS[own], target)
                    break


def headers_alone(root, cc, made):
    for path in sources(root):
        if not (path.startswith(("core/", "numerics/")) and path.endswith(".h")) or path.endswith("_impl.h"):
            continue
        code = '#include "%s"\n' % (path[len("core/"):] if path.startswith("core/") else path)
        r = subprocess.run([cc, "-std=c11", "-fopenmp", "-D_GNU_SOURCE", "-Wall", "-Wextra", "-Werror", "-I",
                            os.path.join(root, "core"), "-I", root, "-I", made, "-fsyntax-only", "-x", "c", "-"],
                           input=code, text=True, capture_output=True)
        if r.returncode:
            yield "%s does not compile alone:\n%s" % (path, r.stderr)


def main():
    root, cc, made = (sys.argv[1:] + ["cc", "build/include"][len(sys.argv) - 2:])[:3]
    problems = list(wrong_includes(root)) + list(headers_alone(root, cc, made))
    print("\n".join(problems) or "includes point one way, headers compile alone")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())

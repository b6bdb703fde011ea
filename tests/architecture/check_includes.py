#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Dependencies point one way: base <- math <- object <- draw, topology <- behavior <- change <-
simulation <- scene <- numerics <- components <- api <- plugins, viewer, apps. Also: every public
header compiles alone, as C11 and, given a compiler of C++, as C++20, and declares its functions between
SOFA_BEGIN_DECLS and SOFA_END_DECLS.

usage: check_includes.py ROOT [CC [FOLDER OF MADE HEADERS [CXX]]]"""
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


def public_headers(root):
    for path in sources(root):
        if path.startswith(("core/", "numerics/")) and path.endswith(".h") and not path.endswith("_impl.h"):
            yield path
    yield from ("components/builtins.h", "api/csofa/csofa.h")


def header_alone(root, path, made, compiler, language):
    """What the compiler says about a file that includes nothing else, or ''. path: one, or a list of them."""
    paths = path if isinstance(path, list) else [path]
    code = "".join('#include "%s"\n' % (p[len("core/"):] if p.startswith("core/") else p) for p in paths)
    r = subprocess.run([compiler, *language, "-fopenmp", "-D_GNU_SOURCE", "-Wall", "-Wextra", "-Werror", "-I",
                        os.path.join(root, "core"), "-I", root, "-I", made, "-fsyntax-only", "-"],
                       input=code, text=True, capture_output=True)
    return "%s does not compile alone with %s:\n%s" % (path, compiler, r.stderr) if r.returncode else ""


def headers_alone(root, cc, made, cxx):
    for path in public_headers(root):
        yield header_alone(root, path, made, cc, ["-std=c11", "-x", "c"])
    # each includes what it needs, hence all together are C++ where each is; only else one by one
    plus = ["-std=c++20", "-x", "c++"]
    if cxx and header_alone(root, list(public_headers(root)), made, cxx, plus):
        for path in public_headers(root):
            yield header_alone(root, path, made, cxx, plus)


def without_linkage(root):
    """Headers with a function that C++ would call by another name."""
    for path in public_headers(root):
        with open(os.path.join(root, path), encoding="utf-8") as file:
            text = file.read()
        outside = re.sub(r"^SOFA_BEGIN_DECLS$.*?^SOFA_END_DECLS$", "", text, flags=re.S | re.M)
        for line in re.findall(r"^[A-Za-z][\w *]*\bsofa_\w+(?:\(|;).*", outside, re.M):
            if not line.startswith(("static", "typedef", "constexpr", "template")):
                yield "%s: '%s' is not between SOFA_BEGIN_DECLS and SOFA_END_DECLS" % (path, line)


def main():
    root, cc, made, cxx = (sys.argv[1:] + ["cc", "build/include", ""][len(sys.argv) - 2:])[:4]
    problems = [*wrong_includes(root), *without_linkage(root), *headers_alone(root, cc, made, cxx)]
    problems = [problem for problem in problems if problem]
    print("\n".join(problems) or "includes point one way, headers compile alone")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())

#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""No symbol points upward: what an object file of a room needs is defined in that room or below.
Prints the number of upward arrows, which must be 0, and the largest cycle of object files.

usage: check_symbols.py BUILD [NM]"""
import collections, os, re, subprocess, sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import check_includes

TARGET = re.compile(r"csofa_(core|numerics|components|api)(_[a-z0-9]+)?\.dir$")


def object_files(build):
    """(path, path of the source) of the object files of the layers' archives"""
    root = os.path.join(build, "CMakeFiles")
    for name in sorted(os.listdir(root)):
        if not TARGET.match(name):
            continue
        for folder, _, files in os.walk(os.path.join(root, name)):
            for file in sorted(files):
                if file.endswith(".o"):
                    path = os.path.join(folder, file)
                    source = os.path.relpath(path, os.path.join(root, name))[:-2]
                    yield path, source if "/" in source else "components/" + source


def symbols(nm, paths):
    """{path: (names that an object file defines for others, names that it needs)}"""
    found = {path: (set(), set()) for path in paths}
    out = subprocess.run([nm, "-A", "-g", "-P", *paths], capture_output=True, text=True, check=True).stdout
    for line in out.splitlines():
        path, _, rest = line.partition(": ")
        name, kind = rest.split()[:2]
        found[path][kind in "Uwv"].add(name)
    return found


def arrows(nm, build):
    """{source: {source it needs: a symbol}}"""
    owner, needs = {}, {}
    files = list(object_files(build))
    found = symbols(nm, [path for path, _ in files])
    for path, source in files:
        defined, needed = found[path]
        key = path if source.endswith("kernels_impl.c") else source
        needs[key] = (source, needed)
        owner.update((name, source) for name in defined)
    graph = collections.defaultdict(dict)
    for source, needed in needs.values():
        for name in sorted(needed):
            if name in owner and owner[name] != source:
                graph[source].setdefault(owner[name], name)
    return graph


def largest_cycle(graph):
    """the largest strongly connected set of object files"""
    index, low, stack, on_stack, best = {}, {}, [], set(), []

    def visit(v):
        index[v] = low[v] = len(index)
        stack.append(v)
        on_stack.add(v)
        for w in graph.get(v, {}):
            if w not in index:
                visit(w)
            if w in on_stack:
                low[v] = min(low[v], low[w])
        if low[v] == index[v]:
            part = []
            while not part or part[-1] != v:
                part.append(stack.pop())
                on_stack.discard(part[-1])
            if len(part) > len(best):
                best[:] = part

    sys.setrecursionlimit(10000)
    for v in sorted(graph):
        if v not in index:
            visit(v)
    return sorted(best)


def main():
    graph = arrows(sys.argv[2] if len(sys.argv) > 2 else "nm", sys.argv[1])
    layer = check_includes.layer
    wrong = ["%s needs %s of %s" % (a, name, b) for a in sorted(graph)
             for b, name in sorted(graph[a].items()) if layer(b) > layer(a)]
    cycle = largest_cycle(graph)
    print("\n".join(wrong + ["%d object files with arrows, %d arrows between them, %d upward" %
                             (len(graph), sum(map(len, graph.values())), len(wrong)),
                             "largest cycle: %d object files: %s" % (len(cycle), " ".join(cycle))]))
    return 1 if wrong or not graph else 0


if __name__ == "__main__":
    sys.exit(main())

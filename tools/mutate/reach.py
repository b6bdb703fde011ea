# SPDX-License-Identifier: LGPL-2.1-or-later
"""Which test runs which line. A build with clang records the blocks that each test runs (reach.c); the
result is build-mutate/reach.json:

    {"tests": [name, ...], "seconds": [...], "lines": {file: {line: [numbers of tests]}}, "commit": hash}

A line is the first one of a block. A block that no test runs has an empty list. `commit` is that of the measured
sources: lines of files that changed since then are moved by the differences (load). An update measures the tests
that are new or changed since then, and takes the places of the others from the map."""
import collections
import concurrent.futures
import glob
import json
import os
import re
import shutil
import struct
import subprocess
import sys
import time

PROJECT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
PRODUCT = ("core/", "numerics/", "components/", "plugins/", "viewer/", "apps/")
# tests of sources, installations and documents run no product code that the others do not run
LEFT_OUT = re.compile(r"^(architecture|install|docs)/|^determinism$|^install$|memory$")


def build(folder, targets, jobs):
    """Builds `targets` of the instrumented program in `folder`; none: all, with the tests."""
    runtime = os.path.join(folder, "libreach.so")
    os.makedirs(folder, exist_ok=True)
    subprocess.run(["clang", "-O2", "-shared", "-fPIC", "-o", runtime,
                    os.path.join(PROJECT, "tools/mutate/reach.c")], check=True)
    link = runtime + " -fno-sanitize-link-runtime"  # not the functions that clang brings along
    flags = "-gline-tables-only -fsanitize-coverage=trace-pc-guard,pc-table"
    subprocess.run(["cmake", "-S", PROJECT, "-B", folder, "-G", "Ninja", "-DCSOFA_TESTS=ON",
                    "-DCMAKE_C_COMPILER=clang", "-DCMAKE_CXX_COMPILER=clang++", "-DCMAKE_BUILD_TYPE=None", "-DCMAKE_C_FLAGS=-O1 " + flags,
                    "-DCMAKE_EXE_LINKER_FLAGS=" + link, "-DCMAKE_SHARED_LINKER_FLAGS=" + link,
                    "-DCMAKE_MODULE_LINKER_FLAGS=" + link, "-DCMAKE_LINK_DEPENDS_NO_SHARED=ON",
                    "-DCMAKE_Fortran_COMPILER=NOTFOUND"] +  # it does not know the flags
                   (["-DCMAKE_C_COMPILER_LAUNCHER=ccache"] if shutil.which("ccache") else []),
                   check=True, stdout=subprocess.DEVNULL)
    subprocess.run(["ninja", "-C", folder, "-j%d" % jobs] + targets, check=True)


def names(folder):
    out = subprocess.run(["ctest", "--test-dir", folder, "--show-only=json-v1"], capture_output=True, check=True)
    return [t["name"] for t in json.loads(out.stdout)["tests"] if not LEFT_OUT.search(t["name"])]


def run_test(folder, name, records):
    """Runs one test; seconds it took."""
    os.makedirs(records, exist_ok=True)
    begin = time.monotonic()
    subprocess.run(["ctest", "--test-dir", folder, "-R", "^%s$" % re.escape(name), "--timeout", "600"],
                   env=dict(os.environ, CSOFA_REACH=records), stdout=subprocess.DEVNULL)
    return time.monotonic() - begin


class Modules:
    """Lines of the blocks of each library and program, read once."""

    def __init__(self):
        self.lines = {}

    def get(self, path, records):
        if path not in self.lines:
            with open(os.path.join(records, path.replace("/", "!") + ".pcs"), "rb") as file:
                data = file.read()
            at = struct.unpack("<%dQ" % (len(data) // 8), data)
            self.lines[path] = symbolize(path, at)
        return self.lines[path]


def symbolize(path, addresses):
    """(file, line) of each address; None outside the product."""
    out = subprocess.run(["llvm-symbolizer", "--obj=" + path, "--output-style=JSON", "--functions=none"],
                         input="\n".join(hex(a) for a in addresses), capture_output=True, text=True, check=True)
    places = []
    for text in out.stdout.splitlines():
        symbol = (json.loads(text).get("Symbol") or [{}])[0]
        name = os.path.relpath(symbol.get("FileName") or "/", PROJECT)
        places.append((name, symbol.get("Line", 0)) if name.startswith(PRODUCT) else None)
    return places


def lines_of(records, modules, known):
    """The set of (file, line) of the blocks that ran in the processes of one test; adds all to `known`."""
    ran = set()
    for text in glob.glob(os.path.join(records, "*.modules")):
        with open(text[:-len(".modules")] + ".hits", "rb") as file:
            hits = file.read()
        for row in open(text, encoding="utf-8"):
            first, count, path = row.rstrip("\n").split(" ", 2)
            if not os.path.isabs(path) or not os.path.exists(path):
                continue
            places = modules.get(path, records)
            known.update(p for p in places if p)
            for k in range(int(count)):
                if hits[int(first) + k] and places[k]:
                    ran.add(places[k])
    return ran


def own(records, number):
    """The folder of one test's records."""
    return os.path.join(records, str(number))


def run_all(top, tests, jobs):
    """Runs `tests` in the built folder: their seconds, and the tests of each block, which are ranks in `tests`."""
    folder, records = os.path.join(top, "reach"), os.path.join(top, "records")
    modules, known = Modules(), set()
    seconds, by_line = [0.0] * len(tests), collections.defaultdict(lambda: collections.defaultdict(list))
    shutil.rmtree(records, ignore_errors=True)
    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        running = {pool.submit(run_test, folder, name, own(records, k)): k for k, name in enumerate(tests)}
        for done in concurrent.futures.as_completed(running):
            k = running[done]
            seconds[k] = done.result()
            for file, line in lines_of(own(records, k), modules, known):
                by_line[file][line].append(k)
            shutil.rmtree(own(records, k))
            print("%s %.1f s" % (tests[k], seconds[k]), flush=True)
    if not any(by_line.values()):
        sys.exit("no test recorded a block: is the program linked with %s/libreach.so?" % folder)
    for file, line in known:
        by_line[file].setdefault(line, [])
    return seconds, by_line


def git(*arguments):
    return subprocess.run(["git", *arguments], cwd=PROJECT, capture_output=True, text=True, check=True).stdout


def head():
    return git("rev-parse", "HEAD").strip()


def write(top, commit, tests, seconds, by_line):
    for lines in by_line.values():
        for numbers in lines.values():
            numbers.sort()
    with open(os.path.join(top, "reach.json"), "w", encoding="utf-8") as out:
        json.dump({"tests": tests, "seconds": seconds, "lines": by_line, "commit": commit}, out)


def measure(top, jobs):
    """Builds, runs every test, and writes reach.json in the folder `top`."""
    commit = head()
    build(os.path.join(top, "reach"), [], jobs)
    tests = names(os.path.join(top, "reach"))
    write(top, commit, tests, *run_all(top, tests, jobs))


def moved(line, changes):
    """The place of `line` after `changes`, (begin, lines before, lines after) in order; a line that was replaced
    becomes the first of those that replace it."""
    shift = 0
    for begin, before, after in changes:
        if line < begin:
            break
        if line < begin + before:
            return max(begin + shift, 1)
        shift += after - before
    return line + shift


def changes_since(commit):
    """For each file that differs from `commit`: its changes."""
    found, file = {}, None
    for row in git("diff", "-U0", "--no-renames", "--no-color", commit, "--", *PRODUCT).splitlines():
        if row.startswith("--- a/"):
            file = row[len("--- a/"):]
        hunk = re.match(r"@@ -(\d+)(?:,(\d+))? \+\d+(?:,(\d+))? @@", row)
        if hunk and file:
            begin, before, after = (int(text) if text else 1 for text in hunk.groups())
            found.setdefault(file, []).append((begin + (before == 0), before, after))
    return found


def load(top):
    """The map, with its lines where they are in today's sources."""
    with open(os.path.join(top, "reach.json"), encoding="utf-8") as file:
        data = json.load(file)
    for name, changes in (changes_since(data["commit"]) if "commit" in data else {}).items():
        lines = collections.defaultdict(set)
        for line, numbers in data["lines"].get(name, {}).items():
            lines[str(moved(int(line), changes))].update(numbers)
        if name in data["lines"]:
            data["lines"][name] = {line: sorted(numbers) for line, numbers in lines.items()}
    return data


def outdated(tests, data, regex):
    """Those of `tests` that the map does not have, whose program or scene changed, or that match."""
    files = git("diff", "--name-only", data["commit"]).split() + git("ls-files", "-o", "--exclude-standard").split()
    changed = {os.path.splitext(os.path.basename(f))[0] for f in files if f.startswith("tests/")}
    changed |= {"scene/" + f for f in files if f.startswith("scenes/")}
    known = set(data["tests"])
    return [t for t in tests if t not in known or t in changed or os.path.basename(t) in changed or
            regex and re.search(regex, t)]


def update(top, regex, jobs):
    """Measures the tests that are new or changed since the map was made, and those that match `regex`."""
    data, folder, commit = load(top), os.path.join(top, "reach"), head()
    build(folder, ["csofa", "runcsofa", "plugins/all"], jobs)
    listed = names(folder)
    tests = outdated(listed, data, regex)
    programs = [t[5:] for t in tests if t.startswith("unit/")]
    programs += ["tests/fuzz/all"] * any(t.startswith("fuzz/") for t in tests)
    subprocess.run(["ninja", "-C", folder, "-j%d" % jobs] + programs, check=True)
    print("%d of %d tests" % (len(tests), len(listed)), flush=True)
    seconds, by_line = run_all(top, tests, jobs)
    rank = {name: k for k, name in enumerate(listed)}
    merged = collections.defaultdict(lambda: collections.defaultdict(list))
    for file, lines in by_line.items():
        for line, numbers in lines.items():
            merged[file][int(line)] = [rank[tests[k]] for k in numbers]
    kept = {k: rank[name] for k, name in enumerate(data["tests"]) if name in rank and name not in set(tests)}
    for file, lines in data["lines"].items():
        for line, numbers in lines.items():
            if os.path.exists(os.path.join(PROJECT, file)):
                merged[file][int(line)] += [kept[k] for k in numbers if k in kept]
    before, now = dict(zip(data["tests"], data["seconds"])), dict(zip(tests, seconds))
    write(top, commit, listed, [now.get(t, before.get(t)) for t in listed], merged)


if __name__ == "__main__":
    measure(sys.argv[1], os.cpu_count())

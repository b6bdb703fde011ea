# SPDX-License-Identifier: LGPL-2.1-or-later
"""Which test runs which function. Each test runs once with the library of reach.c, which records the functions of
the build as it is; the result is build-mutate/reach.json:

    {"tests": [name, ...], "seconds": [...], "lines": {file: {line: [numbers of tests]}}, "commit": hash}

A line is the first one of a function. A function that the compiler has put into its callers has the tests of these.
`commit` is that of the measured sources: lines of files that changed since then are moved by the differences (load).
An update measures the tests that are new or changed since then, and takes the places of the others from the map."""
import collections
import concurrent.futures
import glob
import json
import os
import re
import shutil
import signal
import struct
import subprocess
import sys
import threading

import operators

PROJECT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
PRODUCT = ("core/", "numerics/", "components/", "plugins/", "viewer/", "apps/", "api/")
# tests of sources, installations, instructions, documents and windows, and those that repeat all scenes, run no code of a
# component that the others do not run; those that run out of memory take too long
LEFT_OUT = re.compile(r"^(architecture|install|instructions|docs|site|window|pictures|checkpoint|reset|scenes)/|^determinism$|memory$")


class Tests:
    """The tests of a built folder, run without ctest, which reads all of them for each."""

    def __init__(self, folder):
        out = subprocess.run(["ctest", "--test-dir", folder, "--show-only=json-v1"], capture_output=True, check=True)
        self.rows = {}
        for t in json.loads(out.stdout)["tests"]:
            values = {p["name"]: p["value"] for p in t.get("properties", [])}
            environment = dict(v.split("=", 1) for v in values.get("ENVIRONMENT", []))
            if "command" in t:
                self.rows[t["name"]] = (t["command"], environment, values.get("WORKING_DIRECTORY", folder),
                                        values.get("SKIP_RETURN_CODE"))

    def names(self):
        return [name for name in self.rows if not LEFT_OUT.search(name)]


class Sources:
    """The functions of the product: their files, first lines and the words of their bodies."""

    HEAD = re.compile(r"^(?!typedef\b|struct\b|enum\b|union\b|extern\b)[A-Za-z_][\w \t*]*?\b(\w+)\(")

    def __init__(self, top):
        self.functions = {}  # (file, name): (line, words)
        self.by_name = collections.defaultdict(list)  # name: files
        listed = subprocess.run(["git", "ls-files", "--", *PRODUCT], cwd=PROJECT, capture_output=True, text=True)
        for file in listed.stdout.split():
            path = os.path.join(top, file)
            if file.endswith((".c", ".h")) and os.path.exists(path):
                with open(path, encoding="utf-8") as source:
                    code = re.sub(r"\b__attribute__\(\([^()\n]*\)\) ?", "", operators.blanked(source.read()))
                    self.read(file, code.split("\n"))
        self.by_base = collections.defaultdict(list)
        for file in {file for file, _ in self.functions}:
            self.by_base[os.path.basename(file)].append(file)

    def read(self, file, rows):
        at = 0
        while at < len(rows):
            begin = at
            match = self.HEAD.match(rows[at])
            while match and at < len(rows) and not rows[at].endswith(("{", ";", "}")):
                at += 1
            if match and at < len(rows) and rows[at].endswith("{"):
                while at < len(rows) and not rows[at].startswith("}"):
                    at += 1
                self.functions[file, match.group(1)] = begin + 1, set(re.findall(r"\w+", "\n".join(rows[begin + 1:at])))
                self.by_name[match.group(1)].append(file)
            at += 1

    def of_symbol(self, base, name):
        """(file, name) of the functions that a symbol can be; base: the name of its file, "" for one that others
        see."""
        name = name.split(".")[0]
        files = self.by_base[base] if base else self.by_name[name]
        return [(file, name) for file in files if (file, name) in self.functions]


def symbols(path):
    """(name of the file, name) of each function of a module, in the order that reach.c takes."""
    with open(path, "rb") as file:
        data = file.read()
    offset, = struct.unpack_from("<Q", data, 40)
    count, = struct.unpack_from("<H", data, 60)
    sections = [struct.unpack_from("<IIQQQQIIQQ", data, offset + 64 * k) for k in range(count)]
    found, base = [], ""
    for section in sections:
        if section[1] != 2:
            continue
        names = sections[section[6]][4]
        for at in range(section[4], section[4] + section[5], 24):
            name, info, _, index, _, size = struct.unpack_from("<IBBHQQ", data, at)
            text = data[names + name:data.index(b"\0", names + name)].decode()
            if info & 15 == 4:
                base = text
            if info & 15 == 2 and size and index:
                found.append((base if info >> 4 == 0 else "", text))
    return found


class Modules:
    """Functions of each library and program, read once."""

    def __init__(self, sources):
        self.sources, self.places = sources, {}

    def get(self, path):
        if path not in self.places:
            self.places[path] = [self.sources.of_symbol(*s) for s in symbols(path)]
        return self.places[path]


def run_test(tests, name, records, under, runtime):
    """Runs one test; processor time that it took, which does not depend on what else the machine does."""
    os.makedirs(records, exist_ok=True)
    command, environment, directory, _ = tests.rows[name]
    process = subprocess.Popen(command, cwd=directory, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                               stderr=subprocess.DEVNULL, start_new_session=True,
                               env={**os.environ, **environment, "CSOFA_REACH": records, "CSOFA_REACH_UNDER": under,
                                    "LD_PRELOAD": runtime})
    late = threading.Timer(300, os.killpg, (process.pid, signal.SIGKILL))
    late.start()
    _, status, usage = os.wait4(process.pid, 0)
    late.cancel()
    process.returncode = os.waitstatus_to_exitcode(status)
    return usage.ru_utime + usage.ru_stime


def functions_of(records, modules):
    """The set of (file, name) of the functions that ran in the processes of one test."""
    ran = set()
    for text in glob.glob(os.path.join(records, "*.modules")):
        hits = text[:-len(".modules")] + ".hits"
        if not os.path.exists(hits):  # of a process that was killed before it ran
            continue
        with open(hits, "rb") as file:
            hits = file.read()
        for row in open(text, encoding="utf-8"):
            first, count, path = row.rstrip("\n").split(" ", 2)
            if not os.path.exists(path):
                continue
            places = modules.get(path)
            for k in range(int(count)):
                if hits[int(first) + k]:
                    ran.update(places[k])
    return ran


def with_inlined(sources, modules, by_function):
    """Adds the functions without a symbol: they have the tests of those that name them."""
    own = {place for places in modules.places.values() for p in places for place in p}
    missing = {key for key in sources.functions if key not in own}
    callers = {}
    for file, name in missing:
        seen = [file] if file.endswith(".c") else None
        callers[file, name] = [key for key, (_, words) in sources.functions.items()
                               if name in words and key != (file, name) and (seen is None or key[0] in seen)]
    changed = True
    while changed:
        changed = False
        for key in missing:
            tests = set(by_function.get(key, ())).union(*(by_function.get(c, ()) for c in callers[key]))
            if len(tests) > len(by_function.get(key, ())):
                by_function[key], changed = tests, True


def run_all(top, copy, names, tests, jobs):
    """Runs the tests `names` of a built copy: their seconds, and the tests of each function by file and line, which
    are ranks in `names`."""
    records, runtime = os.path.join(top, "records"), os.path.join(top, "libreach.so")
    subprocess.run(["gcc", "-O2", "-shared", "-fPIC", "-o", runtime, os.path.join(PROJECT, "tools/mutate/reach.c"),
                    "-ldl"], check=True)
    sources = Sources(copy.top)
    modules = Modules(sources)
    seconds, by_function = [0.0] * len(names), collections.defaultdict(set)
    shutil.rmtree(records, ignore_errors=True)
    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        running = {pool.submit(run_test, tests, name, os.path.join(records, str(k)), copy.build, runtime): k
                   for k, name in enumerate(names)}
        for done in concurrent.futures.as_completed(running):
            k = running[done]
            seconds[k] = done.result()
            for place in functions_of(os.path.join(records, str(k)), modules):
                by_function[place].add(k)
            shutil.rmtree(os.path.join(records, str(k)))
            print("%s %.1f s" % (names[k], seconds[k]), flush=True)
    if not by_function:
        sys.exit("no test recorded a function: are the programs stripped?")
    with_inlined(sources, modules, by_function)
    by_line = collections.defaultdict(lambda: collections.defaultdict(list))
    for (file, name), (line, _) in sources.functions.items():
        by_line[file][line] = list(by_function.get((file, name), ()))
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


def measure(top, copy, regex, jobs):
    """Runs the tests of a built copy of the sources that match, and writes reach.json in the folder `top`."""
    commit, tests = head(), Tests(copy.build)
    names = [name for name in tests.names() if re.search(regex, name)]
    write(top, commit, names, *run_all(top, copy, names, tests, jobs))


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


def update(top, copy, regex, jobs):
    """Measures the tests that are new or changed since the map was made, and those that match `regex`."""
    data, commit, all_tests = load(top), head(), Tests(copy.build)
    listed = all_tests.names()
    tests = outdated(listed, data, regex)
    print("%d of %d tests" % (len(tests), len(listed)), flush=True)
    seconds, by_line = run_all(top, copy, tests, all_tests, jobs)
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

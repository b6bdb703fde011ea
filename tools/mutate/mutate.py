#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Mutates sources and runs the tests that reach the mutated line: a mutation that no test notices shows a
missing test.

usage: mutate.py [--max N] [--seed N] [--jobs N] [--budget S] [--at-least PERCENT] [--list] FILE[:LINE]...
       mutate.py --reach          measures again which test runs which line (build-mutate/reach.json)
       mutate.py --update [REGEX] measures tests that are new or changed since then, or match REGEX

Everything happens in copies of the sources in build-mutate/. A mutation is killed by a failing test, a
crash or a time limit. It does not count where it does not compile or where the compiler makes the same
program of it. Mutations that change nothing which a test could see are listed with the reason in
tools/mutate/equivalent.tsv. Results are appended to build-mutate/results.jsonl. Exit status 1: fewer than
--at-least percent were killed."""
import argparse
import collections
import glob
import hashlib
import json
import os
import queue
import random
import re
import resource
import shlex
import shutil
import subprocess
import sys
import threading
import time

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import operators
import reach

PROJECT = reach.PROJECT
TOP = os.path.join(PROJECT, "build-mutate")
TARGETS = ["csofa", "runcsofa", "SofaCaribou", "ArticulatedSystemPlugin"]
Result = collections.namedtuple("Result", "file line kind before after state by")


def words(path):
    """Words of a file's or test's own name, in lower case without the s of a plural."""
    name = os.path.splitext(os.path.basename(path))[0]
    found = re.findall(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+", name)
    return {w.lower().rstrip("s") for w in found} - {"", "test"}


class Map:
    """The tests that run a line."""

    def __init__(self):
        data = reach.load(TOP)
        self.tests, self.lines = data["tests"], data["lines"]
        known = self.measured()
        # the instrumented program takes about three times as long
        self.seconds = [known.get(t, s / 3) for t, s in zip(self.tests, data["seconds"])]
        self.kills = collections.Counter()  # (folder, test)
        # those that run out of memory are too long to be measured, and the only ones that can see some lines
        memory = glob.glob(os.path.join(PROJECT, "tests/unit/*/test_*memory.c"))
        self.memory = [("unit/" + os.path.basename(name)[:-2], 60) for name in sorted(memory)]

    def reaching(self, file, line, text):
        if re.search(r"SOFA_ERR_MEMORY|\bfailure\b", text.split("\n")[line - 1]):
            return self.blocks(file, line, text) + self.memory
        return self.blocks(file, line, text)

    def blocks(self, file, line, text):
        """Tests of the block that holds `line`: that of the nearest line before it in the same function, then
        those of the function's other blocks, because code behind a block is not always a block of its own; for
        a table, tests of the whole file; for a file without records, those of its folder."""
        rows = {int(k): v for k, v in self.lines.get(file, {}).items()}
        code = operators.blanked(text).split("\n")
        ends = [at for at, row in enumerate(code, 1) if row.startswith("}")]
        begin = max([at for at in ends if at < line], default=0)
        end = min([at for at in ends if at >= line], default=len(code))
        inside = [at for at in sorted(rows) if begin < at <= end]
        near = [at for at in inside if at <= line]
        tests = self.named(rows[near[-1]], file) if near else []
        files = [file] if rows else [name for name in self.lines if os.path.dirname(name) == os.path.dirname(file)]
        others = self.named({t for at in inside for t in rows[at]} if inside else
                            {t for name in files for tests in self.lines[name].values() for t in tests}, file)
        return tests + [t for t in others if t not in tests]

    def named(self, numbers, file):
        """(name, seconds): the quickest first; a test counts as quicker by its kills in the same folder and by the
        words it shares with the file's name."""
        folder, own = os.path.dirname(file), words(file)

        def cost(k):
            likely = 1 + 2 * self.kills[folder, self.tests[k]] + 4 * len(own & words(self.tests[k]))
            return (0.3 + self.seconds[k]) / likely, self.tests[k]

        return [(self.tests[k], self.seconds[k]) for k in sorted(set(numbers), key=cost)]

    def measured(self):
        """Seconds of tests that passed, which replace those of the instrumented program."""
        path = os.path.join(TOP, "seconds.json")
        if not os.path.exists(path):
            return {}
        with open(path, encoding="utf-8") as file:
            return json.load(file)

    def measure(self, seconds):
        """Keeps `seconds` of tests for this run and the next ones."""
        self.seconds = [seconds.get(t, s) for t, s in zip(self.tests, self.seconds)]
        known = {**self.measured(), **seconds}
        with open(os.path.join(TOP, "seconds.json"), "w", encoding="utf-8") as out:
            json.dump(known, out)


class Copy:
    """One copy of the sources with its build."""

    def __init__(self, number, budget):
        self.budget = budget  # seconds of tests for one mutation
        self.top = os.path.join(TOP, "copy%d" % number, "csofa")
        self.build = os.path.join(self.top, "build")
        self.log = os.path.join(TOP, "copy%d.log" % number)
        # fresh memory of the C library is not zero, so that a missing initialisation shows
        self.environment = dict(os.environ, MALLOC_PERTURB_="165")
        self.seconds, self.broken = {}, set()  # of the tests that passed; those that fail without a mutation

    def refresh(self):
        """The sources as they are in the project, built; the state of the unchanged program is kept."""
        os.makedirs(self.top, exist_ok=True)
        shared = os.path.join(os.path.dirname(PROJECT), "shared")
        link = os.path.join(os.path.dirname(self.top), "shared")
        if os.path.isdir(shared) and not os.path.lexists(link):
            os.symlink(shared, link)
        listed = subprocess.run(["git", "ls-files", "-co", "--exclude-standard"], cwd=PROJECT, capture_output=True,
                                text=True, check=True).stdout.split("\n")
        for name in filter(None, listed):
            self.take(name)
        launcher = ["-DCMAKE_C_COMPILER_LAUNCHER=ccache"] if shutil.which("ccache") else []
        self.run(["cmake", "-S", self.top, "-B", self.build, "-G", "Ninja", "-DCSOFA_TESTS=ON", "-DCMAKE_BUILD_TYPE=None",
                  "-DCMAKE_C_FLAGS=-O1 -w", "-DCMAKE_CXX_FLAGS=-O1", "-DCMAKE_LINK_DEPENDS_NO_SHARED=ON"] + launcher)
        if self.run(["ninja", "-C", self.build]):
            sys.exit("the unchanged sources do not build: see " + self.log)
        self.original = self.state()
        self.environment["CCACHE_READONLY"] = "1"  # no object of a mutation enters the cache

    def take(self, name):
        """Copies one file where it differs, so that only such files are compiled again."""
        source, target = os.path.join(PROJECT, name), os.path.join(self.top, name)
        if not os.path.exists(source):
            return
        with open(source, "rb") as file:
            data = file.read()
        if os.path.exists(target):
            with open(target, "rb") as file:
                if file.read() == data:
                    return
        os.makedirs(os.path.dirname(target), exist_ok=True)
        shutil.copy(source, target)

    def run(self, command, timeout=None, processor=resource.RLIM_INFINITY, added=None, directory=None):
        """Exit status; output goes to the log. A time limit is a failure; `processor`: seconds that a process may
        compute, which do not depend on what else the machine does. `added`: to the environment, of a sanitizer, which
        reserves addresses without limit."""
        with open(self.log, "ab") as log:
            process = subprocess.Popen(command, stdout=log, stderr=log, stdin=subprocess.DEVNULL, start_new_session=True,
                                       preexec_fn=lambda: limits(processor, not added), cwd=directory,
                                       env=dict(self.environment, **(added or {})))
            try:
                return process.wait(timeout)
            except subprocess.TimeoutExpired:
                os.killpg(process.pid, 9)
                process.wait()
                return -9

    def state(self):
        """Hash of the programs and libraries."""
        total = hashlib.sha256()
        for folder in ("lib", "bin", "plugins", "lib/csofa/plugins"):
            for name in sorted(os.listdir(os.path.join(self.build, folder))) if os.path.isdir(
                    os.path.join(self.build, folder)) else []:
                path = os.path.join(self.build, folder, name)
                if (".so" in name or name == "runcsofa") and os.path.isfile(path):
                    with open(path, "rb") as file:
                        total.update(name.encode() + file.read())
        return total.hexdigest()

    def try_one(self, file, text, mutation, reaching):
        """(state, test that saw it); `text` is the file as it was built: the project's may change meanwhile."""
        while True:
            state, by = self.mutated(file, text, mutation, [row for row in reaching if row[0] not in self.broken])
            if state != "killed" or self.is_sound(by):
                return state, by
            print("%s fails without a mutation: it does not count" % by, flush=True)

    def mutated(self, file, text, mutation, reaching):
        target = os.path.join(self.top, file)
        try:
            with open(target, "w", encoding="utf-8") as out:
                out.write(operators.applied(text, mutation))
            if self.run(["ninja", "-C", self.build] + TARGETS):
                return "does not compile", ""
            if self.state() == self.original:
                return "same program", ""
            state, by = self.tests(reaching)
            if state == "survived" and mutation.kind == "off by one":
                return self.sanitized(target, [row for row in reaching if row[0].startswith(("unit/", "scene/"))], by)
            return state, by
        finally:
            with open(target, "w", encoding="utf-8") as out:
                out.write(text)

    def sanitized(self, target, reaching, by):
        """An access beside an array is what the checks with sanitizers see. The file is compiled with the one for
        addresses, and the first tests run again: killed where it reports an error."""
        runtime = subprocess.run(["gcc", "-print-file-name=libasan.so"], capture_output=True, text=True).stdout.strip()
        reports = os.path.join(TOP, "asan")
        for name in glob.glob(reports + ".*"):
            os.remove(name)
        if not os.path.isabs(runtime) or not self.instrumented(target):
            return "survived", by
        added = {"LD_PRELOAD": os.path.realpath(runtime), "ASAN_OPTIONS": "detect_leaks=0:log_path=" + reports}
        begin = time.monotonic()
        for name, _ in reaching:
            if time.monotonic() - begin > 60:
                break
            self.run(self.command(name, 100), 120, added=added)
            if glob.glob(reports + ".*"):
                return "killed", name + " with the sanitizer"
        return "survived", by

    def instrumented(self, target):
        """Links the library with the file as it is compiled for the sanitizer. The object keeps its time: ninja would
        compile it again."""
        with open(os.path.join(self.build, "compile_commands.json"), encoding="utf-8") as file:
            row = next((r for r in json.load(file) if r["file"] == target), None)
        command = shlex.split(row["command"]) if row else []
        made = os.path.join(row["directory"], command[command.index("-o") + 1]) if row else ""
        if "CMakeFiles/csofa_" not in made:
            return False
        before = os.stat(made)
        if self.run(command + ["-O0", "-fsanitize=address"], directory=row["directory"]):
            return False
        os.utime(made, ns=(before.st_atime_ns, before.st_mtime_ns))
        os.remove(os.path.realpath(os.path.join(self.build, "lib/libcsofa.so")))
        return not self.run(["ninja", "-C", self.build] + TARGETS)

    def is_sound(self, name):
        """Does the test pass without a mutation? Asked once of each test that has not passed before."""
        if name not in self.seconds and not name.endswith("sanitizer"):
            own = [name[5:]] if name.startswith("unit/") else []
            begin = time.monotonic()
            if self.run(["ninja", "-C", self.build] + TARGETS + own) or self.run(self.command(name, 600)):
                self.broken.add(name)
                return False
            self.seconds[name] = time.monotonic() - begin
        return True

    def command(self, name, timeout):
        return ["ctest", "--test-dir", self.build, "-R", "^%s$" % re.escape(name), "--timeout", str(timeout)]

    def tests(self, reaching):
        """Runs tests until one fails. A unit test is built when its turn comes: few link the archives."""
        if not reaching:
            return "survived", "no test reaches it"
        begin, passed = time.monotonic(), 0
        for name, seconds in reaching:
            if time.monotonic() - begin + seconds > self.budget:
                continue  # a quicker one may follow
            if name.startswith("unit/") and self.run(["ninja", "-C", self.build, name[5:]]):
                return "does not compile", ""
            limit, start = int(max(20, 6 * seconds)), time.monotonic()
            if self.run(self.command(name, 8 * limit), 8 * limit + 20, limit):
                return "killed", name
            self.seconds[name] = time.monotonic() - start
            passed += 1
        return "survived", "%d of %d tests pass in %d s" % (passed, len(reaching), time.monotonic() - begin)


def limits(processor, addresses):
    resource.setrlimit(resource.RLIMIT_CPU, (processor, processor))
    if addresses:
        resource.setrlimit(resource.RLIMIT_AS, (8 << 30, 8 << 30))
    resource.setrlimit(resource.RLIMIT_FSIZE, (1 << 30, 1 << 30))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def equivalents():
    """Lines of equivalent.tsv: file, line before, line after, reason."""
    path = os.path.join(PROJECT, "tools/mutate/equivalent.tsv")
    if not os.path.exists(path):
        return set()
    with open(path, encoding="utf-8") as rows:
        return {tuple(row.rstrip("\n").split("\t")[:3]) for row in rows if row.strip() and row[0] != "#"}


def chosen(files, options):
    """(file, text, mutation), at most --max of each file, the same ones for the same seed; of FILE:LINE all."""
    known = equivalents()
    for name in files:
        name, _, line = name.partition(":")
        name = os.path.relpath(os.path.abspath(name), PROJECT)
        with open(os.path.join(PROJECT, name), encoding="utf-8") as file:
            text = file.read()
        found = [m for m in operators.mutations(text) if (name,) + operators.described(text, m) not in known]
        if line:
            found = [m for m in found if m.line == int(line)]
        elif options.max and len(found) > options.max:
            found = sorted(random.Random("%d %s" % (options.seed, name)).sample(found, options.max),
                           key=lambda m: m.begin)
        for mutation in found:
            yield name, text, mutation


def work(copy, jobs, reached, results, lock, options):
    while True:
        try:
            name, text, mutation = jobs.get_nowait()
        except queue.Empty:
            return
        begin = time.monotonic()
        state, by = copy.try_one(name, text, mutation, reached.reaching(name, mutation.line, text))
        before, after = operators.described(text, mutation)
        result = Result(name, mutation.line, mutation.kind, before, after, state, by)
        with lock:
            results.append(result)
            reached.measure(copy.seconds)
            reached.kills[os.path.dirname(name), by] += state == "killed"
            with open(os.path.join(TOP, "results.jsonl"), "a", encoding="utf-8") as out:
                out.write(json.dumps(result._asdict()) + "\n")
            if state == "survived":
                print("%s:%d: %s (%s)\n    %s\n    %s" % (name, mutation.line, state, by, before, after), flush=True)
            elif options.verbose:
                print("%s:%d: %s by %s after %.0f s\n    %s" % (name, mutation.line, state, by or "nothing",
                                                              time.monotonic() - begin, after), flush=True)


def report(results, at_least):
    counts = collections.defaultdict(collections.Counter)
    for r in results:
        counts[r.file][r.state] += 1
    total = collections.Counter()
    for name in sorted(counts):
        c = counts[name]
        total.update(c)
        print("%3d of %3d killed  %s" % (c["killed"], c["killed"] + c["survived"], name))
    n = total["killed"] + total["survived"]
    share = 100 * total["killed"] / n if n else 100
    print("%d of %d mutations killed (%.1f %%); %d gave the same program, %d did not compile" %
          (total["killed"], n, share, total["same program"], total["does not compile"]))
    return 0 if share >= at_least else 1


def main():
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("files", nargs="*")
    parser.add_argument("--max", type=int, default=20, help="mutations of a file, 0: all")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--budget", type=int, default=240, help="seconds of tests for one mutation")
    parser.add_argument("--at-least", type=float, default=95)
    parser.add_argument("--list", action="store_true", help="print the mutations, run nothing")
    parser.add_argument("--verbose", action="store_true", help="print all mutations, not only those that survive")
    parser.add_argument("--reach", action="store_true")
    parser.add_argument("--update", nargs="?", const="", metavar="REGEX")
    options = parser.parse_args()
    if options.list:
        for name, text, m in chosen(options.files, options):
            print("%s:%d: %s: %s  ->  %s" % ((name, m.line, m.kind) + operators.described(text, m)))
        return 0
    os.makedirs(TOP, exist_ok=True)
    if options.reach or not os.path.exists(os.path.join(TOP, "reach.json")):
        reach.measure(TOP, options.jobs)
    if options.update is not None:
        reach.update(TOP, options.update, options.jobs)
    if not options.files:
        return 0
    jobs, results, lock = queue.Queue(), [], threading.Lock()
    for job in chosen(options.files, options):
        jobs.put(job)
    copies = [Copy(k, options.budget) for k in range(min(options.jobs, jobs.qsize()))]
    for copy in copies:
        copy.refresh()
    reached = Map()
    threads = [threading.Thread(target=work, args=(copy, jobs, reached, results, lock, options)) for copy in copies]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return report(results, options.at_least)


if __name__ == "__main__":
    sys.exit(main())

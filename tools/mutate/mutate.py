#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Mutates sources and runs the tests that reach the mutated line: a mutation that no test notices shows a
missing test.

usage: mutate.py [--max N] [--seed N] [--jobs N] [--budget S] [--at-least PERCENT] [--list] FILE[:LINE]...
       mutate.py --sample N --seed N --kind KIND
       mutate.py --reach [REGEX]  measures again which test runs which function (build-mutate/reach.json)
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
KINDS = {
    "forces": ["components/solidmechanics/**", "components/mechanicalload/**", "plugins/SofaCaribou/forcefield/**",
               "plugins/SofaCaribou/material/**", "numerics/fem/**", "numerics/material/**"],
    "masses": ["components/mass/**", "plugins/SofaCaribou/mass/**", "numerics/mass/**"],
    "mappings": ["components/mapping/**", "numerics/mapping/**", "plugins/*/mapping/**", "plugins/*/*Mapping.c"],
    "integrators": ["components/odesolver/**", "numerics/time/**", "plugins/SofaCaribou/ode/**",
                    "plugins/SofaCaribou/solver/**"],
    "readers": ["components/io/*Loader*", "components/playback/*Read*", "components/playback/*reader*",
                "components/playback/state_text*", "numerics/io/**", "core/scene/**"],
}
Result = collections.namedtuple("Result", "file line kind before after state by")


def words(path):
    """Words of a file's or test's own name, in lower case without the s of a plural."""
    name = os.path.splitext(os.path.basename(path))[0]
    found = re.findall(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+", name)
    return {w.lower().rstrip("s") for w in found} - {"", "test"}


def function_at(line, text):
    """The text of the function that holds `line`."""
    rows = text.split("\n")
    begin = max([at for at, row in enumerate(rows[:line - 1], 1) if row.startswith("}")], default=0)
    end = next((at for at, row in enumerate(rows[line - 1:], line) if row.startswith("}")), len(rows))
    return "\n".join(rows[begin:end])


def in_fields(line, text):
    """Is the line one of a table of fields?"""
    rows = text.split("\n")[:line]
    head = next((row for row in reversed(rows) if row[:1].isalpha()), "")
    return head.startswith("static const SofaField ") and rows[-1] != head


class Map:
    """The tests that run a line."""

    def __init__(self):
        data = reach.load(TOP)
        self.tests, self.lines = data["tests"], data["lines"]
        known = self.measured()
        self.seconds = [known.get(t, s) for t, s in zip(self.tests, data["seconds"])]
        self.kills = collections.Counter()  # (folder, test)
        # those that run out of memory are too long to be measured, and the only ones that can see some lines
        memory = sorted(glob.glob(os.path.join(PROJECT, "tests/unit/*/test_*memory.c")))
        self.memory = [(os.path.basename(os.path.dirname(name)), "unit/" + os.path.basename(name)[:-2]) for name in memory]
        # those that repeat all scenes of a folder, too long to be measured: they alone save and restore every class
        scenes = glob.glob(os.path.join(PROJECT, "scenes/*/**/*.scn"), recursive=True)
        self.folders = sorted({os.path.relpath(path, os.path.join(PROJECT, "scenes")).split("/")[0] for path in scenes})

    def reaching(self, file, line, text):
        found = self.with_own_cases(file, self.blocks(file, line, text))
        if re.search(r"sofa_state_division|sofa_process_|n_owned|_whole\(", text):
            whole = re.search(r"divi[ds]|_whole\(|n_owned|sofa_process_", function_at(line, text)) is not None
            found = self.divided_early(file, found, whole)
        if re.search(r"SOFA_ERR_MEMORY|\bfailure\b|free\(", text.split("\n")[line - 1]):
            near, far = self.without_memory(file)
            return near + found + far
        if "heckpoint" in function_at(line, text):
            return found + self.checkpoints(file)
        if re.search(r"started|pending|reset|known|= (?:0|false|NULL);|zero\(|begin|init", text.split("\n")[line - 1]):
            found = found + self.resets()
        # defaults and ranges of fields are documented
        return [("docs/components", 3)] + found if in_fields(line, text) else found

    def with_own_cases(self, file, found):
        """The cases of the file's own class first, of a test that has cases of all classes."""
        own = os.path.splitext(os.path.basename(file))[0] + "*"
        return [(name + " " + own, 1) for name, _ in found
                if name.endswith(("force_field_conformance", "force_traces"))] + found

    @staticmethod
    def divided_early(file, found, whole):
        """Tests of meshes that are divided among processes behind the likeliest ones: they are slow, and the only ones that
        see what is done for parts of a mesh. First the motions with the file's own class; whole: then all of them."""
        divided = [row for row in found if re.search("divided|distributed/", row[0])]
        others = [row for row in found if row not in divided]
        own = [(name + " motions " + os.path.splitext(os.path.basename(file))[0], 10) for name, _ in divided
               if name.endswith("test_divided")]
        first, last = (divided, []) if whole else ([], divided)
        return others[:25] + own + first + others[25:] + last

    def without_memory(self, file):
        """Tests that run out of memory and look for what is left, the quickest first: those that share a word with the
        file's path or are of its folder, and the others, which come behind tests that run the line: many of these look for
        what is left, too."""
        known, own = self.measured(), {w for part in file.split("/") for w in words(part)}
        rows = sorted((not words(name) & own, known.get(name, 60), name,
                       bool(words(name) & own) or folder.rstrip("s") in file) for folder, name in self.memory)
        return ([(name, seconds) for _, seconds, name, near in rows if near],
                [(name, seconds) for _, seconds, name, near in rows if not near])

    def resets(self):
        """Tests that run every scene, reset it and run it again: what a run leaves behind shows in them alone."""
        known = self.measured()
        return [(name, known.get(name, 20)) for name in ("reset/scenes", "reset/examples")]

    def checkpoints(self, file):
        """Tests of checkpoints, those of folders that the file's path names first."""
        near = lambda folder: -len(words(folder) & {w for part in file.split("/") for w in words(part)})
        names = ["checkpoint/" + name for name in ["own", *sorted(self.folders, key=near), "plugins"]]
        known = self.measured()
        return [(name, known.get(name, 20)) for name in names]

    def blocks(self, file, line, text):
        """Tests of the block that holds `line`: that of the nearest line before it in the same function, then
        those of the function's other blocks, because code behind a block is not always a block of its own; for
        a table or a function without records, tests of the whole file; for a file without records, those of its
        folder."""
        rows = {int(k): v for k, v in self.lines.get(file, {}).items()}
        code = operators.blanked(text).split("\n")
        ends = [at for at, row in enumerate(code, 1) if row.startswith("}")]
        begin = max([at for at in ends if at < line], default=0)
        end = min([at for at in ends if at >= line], default=len(code))
        inside = [at for at in sorted(rows) if begin < at <= end]
        near = [at for at in inside if at <= line]
        tests = self.named(rows[near[-1]], file) if near else []
        files = [file] if rows else [name for name in self.lines if os.path.dirname(name) == os.path.dirname(file)]
        # a function without a symbol of its own may have no records: those of the file
        numbers = {t for at in inside for t in rows[at]} or {
            t for name in files for tests in self.lines[name].values() for t in tests}
        others = self.named(numbers, file)
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
        self.budget = budget  # processor time of tests for one mutation, s
        self.top = os.path.join(TOP, "copy%d" % number, "csofa")
        self.build = os.path.join(self.top, "build")
        self.log = os.path.join(TOP, "copy%d.log" % number)
        # fresh memory of the C library is not zero, so that a missing initialisation shows; threads that wait take
        # no time from those that compute
        self.environment = dict(os.environ, MALLOC_PERTURB_="165", OMP_WAIT_POLICY="passive")
        self.seconds, self.broken = {}, set()  # of the tests that passed; those that fail without a mutation
        self.links, self.private, self.unclean = {}, [], set()

    def refresh(self):
        """The sources as they are in the project, built; a compiler's cache has the objects of an ordinary build."""
        os.makedirs(self.top, exist_ok=True)
        shared = os.path.join(os.path.dirname(PROJECT), "shared")
        link = os.path.join(os.path.dirname(self.top), "shared")
        if os.path.isdir(shared) and not os.path.lexists(link):
            os.symlink(os.path.realpath(shared), link)
        listed = set(subprocess.run(["git", "ls-files", "-co", "--exclude-standard"], cwd=PROJECT, capture_output=True,
                                    text=True, check=True).stdout.split("\n"))
        for name in filter(None, listed):
            self.take(name)
        self.remove_all_but(listed)
        launcher = ["-DCMAKE_C_COMPILER_LAUNCHER=ccache"] if shutil.which("ccache") else []
        self.run(["cmake", "-S", self.top, "-B", self.build, "-G", "Ninja", "-DCSOFA_TESTS=ON",
                  "-DCMAKE_LINK_DEPENDS_NO_SHARED=ON"] + launcher)
        if self.run(["ninja", "-C", self.build]):
            sys.exit("the unchanged sources do not build: see " + self.log)
        self.ctest = reach.Tests(self.build)
        with open(os.path.join(self.build, "compile_commands.json"), encoding="utf-8") as file:
            self.compiled = json.load(file)
        self.environment["CCACHE_READONLY"] = "1"  # no object of a mutation enters the cache

    def remove_all_but(self, listed):
        """Removes sources that the project no longer has: the build takes whole folders."""
        for folder, folders, names in os.walk(self.top):
            if folder == self.top and "build" in folders:
                folders.remove("build")
            for name in (os.path.relpath(os.path.join(folder, name), self.top) for name in names):
                if name.endswith((".c", ".h", ".cpp")) and name not in listed:
                    os.remove(os.path.join(self.top, name))

    def take(self, name):
        """Copies one file where it differs, so that only such files are compiled again."""
        source, target = os.path.join(PROJECT, name), os.path.join(self.top, name)
        if not os.path.isfile(source):
            return
        with open(source, "rb") as file:
            data = file.read()
        if os.path.exists(target):
            with open(target, "rb") as file:
                if file.read() == data:
                    return
        os.makedirs(os.path.dirname(target), exist_ok=True)
        shutil.copy(source, target)

    def run(self, command, timeout=None, processor=resource.RLIM_INFINITY, added=None, directory=None, addresses=True):
        """Exit status; output goes to the log. A time limit is a failure; `processor`: seconds that a process may
        compute, which do not depend on what else the machine does. `added`: to the environment. `addresses`: the
        memory that a process may reserve is limited."""
        with open(self.log, "ab") as log:
            process = subprocess.Popen(command, stdout=log, stderr=log, stdin=subprocess.DEVNULL, start_new_session=True,
                                       preexec_fn=lambda: limits(processor, addresses), cwd=directory,
                                       shell=isinstance(command, str), env=dict(self.environment, **(added or {})))
            return self.waited(process, timeout)

    def waited(self, process, timeout):
        """Exit status; self.computed: the processor time of the process and its children."""
        begin, pause, late = time.monotonic(), 0.002, False
        while True:
            pid, status, usage = os.wait4(process.pid, os.WNOHANG)
            if pid:
                process.returncode = os.waitstatus_to_exitcode(status)
                self.computed = usage.ru_utime + usage.ru_stime
                return -9 if late else process.returncode
            if timeout and not late and time.monotonic() - begin > timeout:
                os.killpg(process.pid, 9)
                late = True
            time.sleep(pause)
            pause = min(1.2 * pause, 0.05)

    def try_one(self, file, text, mutation, reaching):
        """(state, test that saw it); `text` is the file as it was built: the project's may change meanwhile."""
        while True:
            state, by = self.mutated(file, text, mutation, [row for row in reaching if row[0] not in self.broken])
            if state != "killed" or self.is_sound(by):
                return state, by
            print("%s fails without a mutation: it does not count" % by, flush=True)

    # ---- objects and links ----

    def objects(self, target):
        """(command, object) of each compilation of a source for the library, the program and the plugins."""
        rows = []
        for row in self.compiled:
            words_of = shlex.split(row["command"])
            made = words_of[words_of.index("-o") + 1]
            if row["file"] == target and not made.startswith(("tests/", "bench/", "docs/", "examples/")):
                rows.append((words_of, os.path.join(row["directory"], made)))
        return rows

    def link_of(self, made):
        """The command that links `made`, which is a path in the build folder."""
        if made not in self.links:
            out = subprocess.run(["ninja", "-C", self.build, "-t", "commands", "-s", made], capture_output=True, text=True)
            self.links[made] = out.stdout.strip().split("\n")[-1] if out.returncode == 0 else ""
        return self.links[made]

    def library_of(self, made):
        """What contains the object `made`: the library, a program or a plugin."""
        if made.startswith("CMakeFiles/csofa_"):
            return os.path.relpath(glob.glob(os.path.join(self.build, "lib/libcsofa.so.*.*.*"))[0], self.build)
        out = subprocess.run(["ninja", "-C", self.build, "-t", "query", made], capture_output=True, text=True).stdout
        for row in out.split("outputs:")[-1].split("\n"):
            if row.strip() and not row.strip().startswith("CMakeFiles"):
                return row.strip()
        return ""

    def archive(self, made):
        """Puts an object of the library into the archive that some tests link."""
        folder = re.match(r"CMakeFiles/csofa_([a-z]+)", made).group(1)
        return self.run("ar r libcsofa_%s.a %s" % (folder, shlex.quote(made)), directory=self.build)

    def is_private(self, name):
        """Does a unit test link the archives?"""
        return name.startswith("unit/") and ".a " in self.link_of("bin/" + name[5:].split(" ")[0])

    # ---- one mutation ----

    def mutated(self, file, text, mutation, reaching):
        target = os.path.join(self.top, file)
        status = os.stat(target)
        try:
            with open(target, "w", encoding="utf-8") as out:
                out.write(operators.applied(text, mutation))
            if not file.endswith(".c"):
                return self.header(mutation, reaching)
            return self.source(target, mutation, reaching)
        finally:
            with open(target, "w", encoding="utf-8") as out:
                out.write(text)
            if not file.endswith(".c"):
                self.run(["ninja", "-C", self.build] + TARGETS)
                os.utime(target, ns=(status.st_atime_ns, status.st_mtime_ns))  # the tests are as they were

    def header(self, mutation, reaching):
        """The library and the plugins are compiled again where they include it; programs of tests are not."""
        self.clean()
        if self.run(["ninja", "-C", self.build] + TARGETS):
            return "does not compile", ""
        return self.tests(reaching, None)

    def source(self, target, mutation, reaching):
        rows = self.objects(target)
        if not rows:
            return "does not compile", ""
        saved = {made: (open(made, "rb").read(), os.stat(made)) for _, made in rows}
        relative = [os.path.relpath(made, self.build) for _, made in rows]
        library = self.library_of(relative[0])
        try:
            if any(self.run(command + ["-w"], directory=self.build) for command, _ in rows):
                return "does not compile", ""
            if all(open(made, "rb").read() == data for made, (data, _) in saved.items()):
                return "same program", ""
            self.clean(library)
            if self.run(self.link_of(library), directory=self.build):
                return "does not compile", ""
            state, by = self.tests(reaching, relative if library.startswith("lib/libcsofa.so") else None)
            if state == "survived":
                return self.sanitized(rows, library, [r for r in reaching if r[0].startswith(("unit/", "scene/"))], by)
            return state, by
        finally:
            for made, (data, status) in saved.items():
                with open(made, "wb") as out:
                    out.write(data)
                os.utime(made, ns=(status.st_atime_ns, status.st_mtime_ns))
            self.unclean.add(library)
            for name, objects in self.private:
                for made in objects:
                    self.archive(made)
                self.unclean.add("bin/" + name[5:])
            self.private = []

    def clean(self, but=""):
        """Links again what has objects of a mutation, except `but`."""
        for made in sorted(self.unclean - {but}):
            self.run(self.link_of(made), directory=self.build)
        self.unclean &= {but}

    def sanitized(self, rows, library, reaching, by):
        """An access beside an array is what the checks with sanitizers see, after a mutation of an index, a count or a
        check. The file is compiled with the one for addresses, and the first tests run again: killed where it reports an
        error."""
        runtime = subprocess.run(["gcc", "-print-file-name=libasan.so"], capture_output=True, text=True).stdout.strip()
        reports = os.path.join(os.path.dirname(self.top), "asan")
        for name in glob.glob(reports + ".*"):
            os.remove(name)
        if not os.path.isabs(runtime) or any(
                self.run(command + ["-O0", "-w", "-fsanitize=address"], directory=self.build) for command, _ in rows):
            return "survived", by
        self.run(self.link_of(library), directory=self.build)
        added = {"LD_PRELOAD": os.path.realpath(runtime), "ASAN_OPTIONS": "detect_leaks=0:log_path=" + reports}
        spent = 0
        for name, seconds in reaching:
            if spent > 60:
                break
            if seconds > 20:  # without the sanitizer
                continue
            self.test(name, 1200, added=added)
            spent += self.computed
            if glob.glob(reports + ".*"):
                return "killed", name + " with the sanitizer"
        return "survived", by

    def is_sound(self, name):
        """Does the test pass without a mutation? Asked once of each test that has not passed before."""
        if name not in self.seconds and not name.endswith("sanitizer"):
            self.clean()
            if self.test(name, 600):
                self.broken.add(name)
                return False
            self.seconds[name] = self.computed
        return True

    def test(self, name, timeout, processor=resource.RLIM_INFINITY, added=None):
        """0: the test passes, is skipped, or came after the copy was made. Arguments may follow its name."""
        name, *arguments = name.split(" ")
        if name not in self.ctest.rows:
            return 0
        command, environment, directory, skipped = self.ctest.rows[name]
        command = command + arguments
        status = self.run(command, timeout, processor, {**environment, **(added or {})}, directory, not added)
        return 0 if status == skipped else status

    def tests(self, reaching, objects):
        """Runs tests until one fails. objects: those that the archives lack, which few tests link."""
        if not reaching:
            return "survived", "no test reaches it"
        spent, passed = 0, 0
        for name, seconds in reaching:
            if spent + seconds > self.budget:
                continue  # a quicker one may follow
            private = objects and self.is_private(name)
            if private and len(objects) > 1:
                continue  # variants of one source have one name, and an archive would keep the last one
            if private:
                for made in objects:
                    self.archive(made)
                self.private.append((name, objects))
                if self.run(self.link_of("bin/" + name[5:]), directory=self.build):
                    continue
            limit = int(max(20, 6 * seconds))
            status = self.test(name, 8 * limit, limit)
            if status:
                return "killed", name
            self.seconds[name] = self.computed
            spent += self.computed
            passed += 1
        return "survived", "%d of %d tests pass in %d s" % (passed, len(reaching), spent)


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


def files_of(kind):
    """The sources of a kind, for a sample: no headers, which many others include."""
    names = [os.path.relpath(path, PROJECT) for pattern in KINDS[kind]
             for path in glob.glob(os.path.join(PROJECT, pattern), recursive=True)]
    return sorted({name for name in names if name.endswith(".c")})


def read(files):
    """(file, line or None, text, mutations without those that are listed as equivalent)."""
    known = equivalents()
    for name in files:
        name, _, line = name.partition(":")
        name = os.path.relpath(os.path.abspath(name), PROJECT)
        with open(os.path.join(PROJECT, name), encoding="utf-8") as file:
            text = file.read()
        found = [m for m in operators.mutations(text) if (name,) + operators.described(text, m) not in known]
        yield name, int(line) if line else None, text, found


def chosen(files, options):
    """(file, text, mutation), at most --max of each file, the same ones for the same seed; of FILE:LINE all."""
    for name, line, text, found in read(files):
        if line:
            found = [m for m in found if m.line == line]
        elif options.max and len(found) > options.max:
            found = sorted(random.Random("%d %s" % (options.seed, name)).sample(found, options.max),
                           key=lambda m: m.begin)
        for mutation in found:
            yield name, text, mutation


def sampled(files, options):
    """--sample mutations of all files together: the files in an order by the seed, one mutation of each, then a second
    one, until there are enough."""
    draw = random.Random("sample %d" % options.seed)
    left = [(name, text, draw.sample(found, len(found))) for name, _, text, found in read(files) if found]
    draw.shuffle(left)
    taken = [(name, text, found[k]) for k in range(max((len(found) for _, _, found in left), default=0))
             for name, text, found in left if k < len(found)]
    return taken[options.skip:options.sample]


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
    parser.add_argument("--budget", type=int, default=240, help="processor time of tests for one mutation, s")
    parser.add_argument("--at-least", type=float, default=95)
    parser.add_argument("--kind", choices=sorted(KINDS), help="the files of a kind of components")
    parser.add_argument("--sample", type=int, default=0, help="mutations of all files together, one or more of each")
    parser.add_argument("--skip", type=int, default=0, help="of a sample: its first mutations, which were tried before")
    parser.add_argument("--list", action="store_true", help="print the mutations, run nothing")
    parser.add_argument("--verbose", action="store_true", help="print all mutations, not only those that survive")
    parser.add_argument("--reach", nargs="?", const="", metavar="REGEX")
    parser.add_argument("--update", nargs="?", const="", metavar="REGEX")
    options = parser.parse_args()
    options.files += files_of(options.kind) if options.kind else []
    choose = sampled if options.sample else chosen
    if options.list:
        for name, text, m in choose(options.files, options):
            print("%s:%d: %s: %s  ->  %s" % ((name, m.line, m.kind) + operators.described(text, m)))
        return 0
    os.makedirs(TOP, exist_ok=True)
    copies = [Copy(k, options.budget) for k in range(options.jobs)]
    for copy in copies[:1 if not options.files else None]:
        copy.refresh()
    if options.reach is not None or not os.path.exists(os.path.join(TOP, "reach.json")):
        reach.measure(TOP, copies[0], options.reach or "", options.jobs)
    if options.update is not None:
        reach.update(TOP, copies[0], options.update, options.jobs)
    if not options.files:
        return 0
    jobs, results, lock = queue.Queue(), [], threading.Lock()
    for job in choose(options.files, options):
        jobs.put(job)
    reached = Map()
    threads = [threading.Thread(target=work, args=(copy, jobs, reached, results, lock, options)) for copy in copies]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return report(results, options.at_least)


if __name__ == "__main__":
    sys.exit(main())

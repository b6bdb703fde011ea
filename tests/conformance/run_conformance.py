#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Runs the reference scenes and compares the motion with recorded trajectories.

Reference data is found in $CSOFA_REFERENCE, else in ../shared/reference of the project folder;
without it the run prints "skipped" and succeeds. Nothing is written there: scenes run in a
temporary folder.
"""
import argparse
import concurrent.futures
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import states  # noqa: E402

PROJECT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))


class Scene:
    def __init__(self, root, suite, columns):
        self.suite = suite                       # "own" or "sofa"
        self.name, self.group, self.steps = columns[0], columns[1], int(columns[2])
        self.tolerances = {}
        for pair in columns[3].split(","):
            step, tolerance = pair.split(":")
            self.tolerances[int(step)] = float(tolerance)
        folder = os.path.join(root, suite)
        self.file = os.path.join(folder, "examples" if suite == "sofa" else "", self.name)
        stem = self.name if suite == "sofa" else os.path.basename(self.name)
        self.reference = os.path.join(folder, "states", stem + ".states.gz")
        self.data_path = ":".join(
            os.path.join(root, "sofa", part) for part in ("share", "examples"))


def read_suites(root):
    scenes = []
    for suite in ("own", "sofa"):
        path = os.path.join(root, suite, "suite.tsv")
        if not os.path.exists(path):
            continue
        with open(path) as file:
            for line in file:
                if line.strip() and not line.startswith("#"):
                    scenes.append(Scene(root, suite, line.rstrip("\n").split("\t")))
    return scenes


def run_scene(scene, options, deadline):
    """-> dict(scene, group, status, detail, seconds); status: ok, differs, failed, timeout, ..."""
    row = {"suite": scene.suite, "scene": scene.name, "group": scene.group, "seconds": 0.0,
           "ratio": None}
    limit = options.timeout
    if deadline is not None:
        limit = min(limit, deadline - time.monotonic())
        if limit <= 0:
            return dict(row, status="not run", detail="the time budget is used up")
    folder = tempfile.mkdtemp(prefix="csofa-conformance-")
    result = os.path.join(folder, "result.states")
    work = os.path.join(folder, "work")
    os.mkdir(work)
    command = [options.program, "-g", "batch", "-n", str(scene.steps), "--hideProgressBar",
               "--keep-going", "--quirks", "--data-path", scene.data_path, "--states", result,
               "--states-at", ",".join(str(step) for step in sorted(scene.tolerances)),
               scene.file]
    start = time.monotonic()
    try:
        done = subprocess.run(command, cwd=work, timeout=limit, stdin=subprocess.DEVNULL,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        row["seconds"] = time.monotonic() - start
        output = done.stdout.decode(errors="replace").strip().splitlines()
        if done.returncode < 0:
            return dict(row, status="crashed", detail="signal %d" % -done.returncode)
        if not os.path.exists(result):
            errors = [line for line in output if "error" in line.lower()] or output[-1:]
            return dict(row, status="failed", detail=(errors or ["no states"])[0][:160])
        ratio, step, path, error = states.compare(scene.reference, result, scene.tolerances)
        row["ratio"] = ratio
        if ratio <= 1:
            return dict(row, status="ok", detail="%.1e of the tolerance" % ratio)
        return dict(row, status="differs",
                    detail="step %d %s: %.2e, allowed %.1e" % (
                        step, path, error, scene.tolerances[step]))
    except subprocess.TimeoutExpired:
        return dict(row, status="timeout", seconds=limit, detail="after %.0f s" % limit)
    except (OSError, ValueError, IndexError, KeyError, EOFError) as problem:
        return dict(row, status="failed", detail="unreadable states: %r" % problem)
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def counts(rows):
    """{(suite, group): [conforming, all]} in order of appearance."""
    table = {}
    for row in rows:
        entry = table.setdefault((row["suite"], row["group"]), [0, 0])
        entry[0] += row["status"] == "ok"
        entry[1] += 1
    return table


def write_table(path, table):
    os.makedirs(os.path.dirname(os.path.abspath(path)), exist_ok=True)
    names = {"own": "precise scenes", "sofa": "SOFA's example scenes"}
    with open(path, "w") as file:
        file.write("| scenes | group | same motion as SOFA | of |\n|---|---|---:|---:|\n")
        for (suite, group), (good, total) in table.items():
            file.write("| %s | %s | %d | %d |\n" % (names[suite], group, good, total))


def parse(argv):
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--program", required=True, help="runcsofa")
    parser.add_argument("--reference", default=os.environ.get("CSOFA_REFERENCE") or
                        os.path.join(PROJECT, "..", "shared", "reference"))
    parser.add_argument("--group", action="append", help="only this group (repeatable)")
    parser.add_argument("--except", dest="without", action="append", default=[],
                        help="without this group (repeatable)")
    parser.add_argument("--require", action="append", default=[],
                        help="the run fails when a scene of this group does not conform")
    parser.add_argument("--match", default="", help="only scenes whose path contains this")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--timeout", type=float, default=120, help="per scene, s")
    parser.add_argument("--budget", type=float, default=None, help="for the whole run, s")
    parser.add_argument("--table", help="write the counts as a Markdown table")
    parser.add_argument("--report", help="write all rows as JSON")
    return parser.parse_args(argv)


def main(argv):
    options = parse(argv)
    options.program = os.path.abspath(options.program)
    root = os.path.abspath(options.reference)
    scenes = [scene for scene in (read_suites(root) if os.path.isdir(root) else [])
              if (not options.group or scene.group in options.group)
              and scene.group not in options.without and options.match in scene.name]
    if not scenes:
        print("skipped: no reference scenes in %s" % root)
        return 0
    deadline = time.monotonic() + options.budget if options.budget else None
    rows = []
    with concurrent.futures.ThreadPoolExecutor(max(1, options.jobs)) as pool:
        for row in pool.map(lambda scene: run_scene(scene, options, deadline), scenes):
            rows.append(row)
            print("%-8s %-12s %6.1fs  %s/%s  %s" % (row["status"], row["group"], row["seconds"],
                                                    row["suite"], row["scene"], row["detail"]),
                  flush=True)
    table = counts(rows)
    print()
    for (suite, group), (good, total) in table.items():
        print("%s %s: %d of %d scenes conform" % (suite, group, good, total))
    if options.table:
        write_table(options.table, table)
    if options.report:
        with open(options.report, "w") as file:
            json.dump(rows, file, indent=1)
    missed = [row for row in rows if row["status"] != "ok" and row["group"] in options.require]
    if missed:
        print("%d required scenes do not conform" % len(missed))
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

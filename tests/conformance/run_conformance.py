#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Runs the reference scenes and compares the motion with recorded trajectories.

Reference data is found in $CSOFA_REFERENCE, else in ../shared/reference of the project folder;
without it the run prints "skipped" and ends with status 77. Nothing is written there: scenes run in
a temporary folder.

--expect FILE lists the scenes that conform (suite, group, scene, how it loads; tab-separated). The
run fails when a listed scene of the selected groups does not conform, does not load strictly
although the list says "strict", or is missing from the reference. --write-list FILE writes it.

--beyond FILE explains each other scene (suite, scene, largest multiple of its tolerance, reason;
tab-separated): with --expect the run fails when a scene that is not listed is not explained there, or
is farther off.

--options FILE lists scenes that run with options of their own, with the reason (suite, scene,
options, reason; tab-separated).
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


def run_scene(scene, options):
    """-> dict(scene, group, status, detail, seconds, strict); status: ok, differs, failed, timeout,
    crashed; strict: it loads without --keep-going, so that no component is left out"""
    row = {"suite": scene.suite, "scene": scene.name, "group": scene.group, "seconds": 0.0,
           "ratio": None, "strict": False}
    limit = options.timeout
    folder = tempfile.mkdtemp(prefix="csofa-conformance-")
    result = os.path.join(folder, "result.states")
    work = os.path.join(folder, "work")
    os.mkdir(work)
    base = [options.program, "-g", "batch", "--hideProgressBar", "--quirks", "--data-path",
            scene.data_path] + options.own.get((scene.suite, scene.name), [])
    command = base + ["-n", str(scene.steps), "--keep-going", "--states", result, "--states-at",
                      ",".join(str(step) for step in sorted(scene.tolerances)), scene.file]
    start = time.monotonic()
    try:
        row["strict"] = subprocess.run(base + ["-n", "0", scene.file], cwd=work, timeout=limit,
                                       stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                                       stderr=subprocess.DEVNULL).returncode == 0
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
    """{(suite, group): [conforming, of these strictly loaded, all]} in order of appearance."""
    table = {}
    for row in rows:
        entry = table.setdefault((row["suite"], row["group"]), [0, 0, 0])
        entry[0] += row["status"] == "ok"
        entry[1] += row["status"] == "ok" and row["strict"]
        entry[2] += 1
    return table


def read_rows(path):
    """Columns of each row: lists of words"""
    with open(path, encoding="utf-8") as file:
        return [line.rstrip("\n").split("\t") for line in file if line.strip() and not line.startswith("#")]


def read_explained(path):
    """-> {(suite, scene): the third column}; each row ends with a reason"""
    found = {}
    for suite, scene, value, reason in read_rows(path):
        if not reason.strip():
            raise SystemExit("%s: %s has no reason" % (path, scene))
        found[suite, scene] = value
    return found


def read_list(path):
    """{(suite, group, scene): loads strictly}"""
    return {tuple(row[:3]): row[3] == "strict" for row in read_rows(path)}


def read_options(path):
    """-> {(suite, scene): options}"""
    return {key: value.split() for key, value in read_explained(path).items()}


def read_beyond(path):
    """-> {(suite, scene): largest multiple of its tolerance}"""
    return {key: float(value) for key, value in read_explained(path).items()}


def unexplained(listed, beyond, rows):
    """Scenes that neither are listed nor conform, without an explanation: lines."""
    lines = []
    for row in rows:
        if row["status"] == "ok" or (row["suite"], row["group"], row["scene"]) in listed:
            continue
        most = beyond.get((row["suite"], row["scene"]))
        if most is None or row["ratio"] is None or row["ratio"] > most:
            lines.append("%s/%s (%s) does not conform, and not as explained: %s, %s" % (
                row["suite"], row["scene"], row["group"], row["status"], row["detail"]))
    return lines


def write_list(path, rows):
    with open(path, "w") as file:
        file.write("# SPDX-License-Identifier: LGPL-2.1-or-later\n"
                   "# Scenes that reproduce SOFA's motion: suite, group, scene, and how it loads:\n"
                   "# strict, or partial (components are left out). Written by --write-list.\n")
        for row in rows:
            if row["status"] == "ok":
                file.write("\t".join((row["suite"], row["group"], row["scene"],
                                      "strict" if row["strict"] else "partial")) + "\n")


def compare_with_list(listed, rows, selected):
    """What is worse than the list says, of its scenes that `selected` takes: lines."""
    found = {(row["suite"], row["group"], row["scene"]): row for row in rows}
    worse = []
    for key, strict in listed.items():
        if not selected(key):
            continue
        row = found.get(key)
        if row is None:
            worse.append("%s/%s (%s) is not in the reference" % (key[0], key[2], key[1]))
        elif row["status"] != "ok":
            worse.append("%s/%s (%s) no longer conforms: %s, %s" % (
                key[0], key[2], key[1], row["status"], row["detail"]))
        elif strict and not row["strict"]:
            worse.append("%s/%s (%s) no longer loads without --keep-going" % (
                key[0], key[2], key[1]))
    return worse


def write_table(path, table):
    os.makedirs(os.path.dirname(os.path.abspath(path)), exist_ok=True)
    names = {"own": "precise scenes", "sofa": "SOFA's example scenes"}
    with open(path, "w") as file:
        file.write("| scenes | group | same motion as SOFA | of these, every component is built "
                   "| of |\n|---|---|---:|---:|---:|\n")
        for (suite, group), (good, strict, total) in table.items():
            file.write("| %s | %s | %d | %d | %d |\n" % (names[suite], group, good, strict, total))


def parse(argv):
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--program", required=True, help="runcsofa")
    parser.add_argument("--reference", default=os.environ.get("CSOFA_REFERENCE") or
                        os.path.join(PROJECT, "..", "shared", "reference"))
    parser.add_argument("--group", action="append", help="only this group (repeatable)")
    parser.add_argument("--except", dest="without", action="append", default=[],
                        help="without this group (repeatable)")
    parser.add_argument("--expect", help="list of the scenes that must conform")
    parser.add_argument("--options", help="list of scenes with options of their own",
                        default=os.path.join(os.path.dirname(os.path.abspath(__file__)), "options.tsv"))
    parser.add_argument("--beyond", help="list of the scenes that do not, each with its reason",
                        default=os.path.join(os.path.dirname(os.path.abspath(__file__)), "beyond.tsv"))
    parser.add_argument("--write-list", help="write the list of the scenes that conform")
    parser.add_argument("--match", default="", help="only scenes whose path contains this")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--timeout", type=float, default=120, help="per scene, s")
    parser.add_argument("--table", help="write the counts as a Markdown table")
    parser.add_argument("--report", help="write all rows as JSON")
    return parser.parse_args(argv)


def main(argv):
    options = parse(argv)
    options.program = os.path.abspath(options.program)
    options.own = read_options(options.options)
    root = os.path.abspath(options.reference)

    def selected(key):
        suite, group, scene = key
        return ((not options.group or group in options.group) and group not in options.without
                and options.match in scene)

    if not os.path.isdir(root):
        print("skipped: no reference scenes in %s" % root)
        return 77
    scenes = [scene for scene in read_suites(root)
              if selected((scene.suite, scene.group, scene.name))]
    rows = []
    with concurrent.futures.ThreadPoolExecutor(max(1, options.jobs)) as pool:
        for row in pool.map(lambda scene: run_scene(scene, options), scenes):
            rows.append(row)
            print("%-8s %-12s %6.1fs  %s/%s  %s" % (row["status"], row["group"], row["seconds"],
                                                    row["suite"], row["scene"], row["detail"]),
                  flush=True)
    table = counts(rows)
    print()
    for (suite, group), (good, strict, total) in table.items():
        print("%s %s: %d of %d scenes conform, %d of them with every component" % (
            suite, group, good, total, strict))
    if options.table:
        write_table(options.table, table)
    if options.report:
        with open(options.report, "w") as file:
            json.dump(rows, file, indent=1)
    if options.write_list:
        write_list(options.write_list, rows)
    listed = read_list(options.expect) if options.expect else {}
    worse = compare_with_list(listed, rows, selected)
    if options.expect:
        worse += unexplained(listed, read_beyond(options.beyond), rows)
    better = [row for row in rows if options.expect and row["status"] == "ok"
              and not listed.get((row["suite"], row["group"], row["scene"]), False)
              and (row["strict"] or (row["suite"], row["group"], row["scene"]) not in listed)]
    for row in better:
        print("better than the list: %s/%s" % (row["suite"], row["scene"]))
    print("\n".join(worse))
    if worse:
        print("%d scenes are worse than %s says" % (len(worse), options.expect))
    return 1 if worse or not rows else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Loads and initialises all of SOFA's example scenes: how many do so without an error of ours, and
which components and attributes are still unknown, most used first.

What is left under "unknown attributes" and "other errors" are errors of the scenes, which
docs/coming-from-sofa.md lists with their reasons: the status is 1 when another scene has an error, or
one of these has none.

usage: scene_coverage.py --program RUNCSOFA [--jobs N] [--match TEXT] [--scenes]
Reference data is found in $CSOFA_REFERENCE, else in ../shared/reference of the project folder;
without it the run prints "skipped" and succeeds."""
import argparse
import collections
import concurrent.futures
import json
import os
import re
import subprocess
import sys
import tempfile

PROJECT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
# (kind, pattern of a message); the first group is the name that is counted
KINDS = (
    ("component", re.compile(r"there is no component '([^']+)'")),
    ("attribute", re.compile(r"<(\w+)> has no attribute '([^']+)'")),
    ("not built", re.compile(r"(.*) is not supported yet")),
)


def scenes_below(root):
    found = []
    for folder, _, files in os.walk(root):
        found += [os.path.join(folder, name) for name in files if name.endswith(".scn")]
    return sorted(found)


def problems(program, scene, data_path, timeout):
    """Set of (kind, name) that the program says about the scene."""
    command = [program, "-n", "0", "--keep-going", "--quirks", "--noscenecheck",
               "--hideProgressBar", "--log", "json", "--data-path", data_path, scene]
    with tempfile.TemporaryDirectory(prefix="csofa-coverage-") as folder:
        try:
            done = subprocess.run(command, cwd=folder, timeout=timeout, stdin=subprocess.DEVNULL,
                                  stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        except subprocess.TimeoutExpired:
            return {("failure", "longer than %g s" % timeout)}
    found = set()
    for line in done.stdout.decode(errors="replace").splitlines():
        try:
            message = json.loads(line)
        except ValueError:
            continue
        if message.get("severity") in ("error", "fatal"):
            found.add(kind_of(message["text"]))
    if done.returncode < 0:
        found.add(("failure", "signal %d" % -done.returncode))
    elif done.returncode and not found:
        found.add(("failure", "status %d" % done.returncode))
    return found


def kind_of(text):
    for kind, pattern in KINDS:
        match = pattern.search(text)
        if match:
            return kind, ".".join(match.groups())
    return "other", re.sub(r"'[^']*'|-?\d[\d.e+-]*", "…", text)[:100]


def listed_scenes(page):
    """Those of the table of scenes with errors."""
    with open(page, encoding="utf-8") as file:
        return set(re.findall(r"^\| `([^`]+\.scn)` \| [^|]+ \|$", file.read(), re.M))


def differences(found, listed, match):
    """Lines for what the list does not say; found: {scene: problems}."""
    lines = ["%s has errors and is not listed" % scene
             for scene in sorted(found) if found[scene] and scene not in listed]
    return lines + ["%s is listed and has no errors" % scene
                    for scene in sorted(listed) if match in scene and not found.get(scene)]


def print_counts(title, counts, known):
    if not counts:
        return
    print("\n%s: scenes" % title)
    for name, n in sorted(counts.items(), key=lambda item: (-item[1], item[0])):
        note = "" if known is None or name in known else "  (not in SOFA either, unless an alias)"
        print("  %4d  %s%s" % (n, name, note))


def main():
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("--program", required=True)
    parser.add_argument("--reference", default=os.environ.get("CSOFA_REFERENCE") or
                        os.path.join(PROJECT, "..", "shared", "reference"))
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--match", default="", help="only scenes whose path contains this")
    parser.add_argument("--timeout", type=float, default=60)
    parser.add_argument("--scenes", action="store_true", help="list every scene with its problems")
    args = parser.parse_args()
    sofa = os.path.join(os.path.abspath(args.reference), "sofa")
    examples = os.path.join(sofa, "examples")
    if not os.path.isdir(examples):
        print("skipped: there is no %s" % examples)
        return 0
    data_path = ":".join(os.path.join(sofa, part) for part in ("share", "examples"))
    with open(os.path.join(sofa, "components.json"), encoding="utf-8") as file:
        components = json.load(file)
    known = set(components)
    for name, row in components.items():
        known.update("%s.%s" % (name, field[0]) for field in row["fields"] + row["links"])
    files = [path for path in scenes_below(examples) if args.match in path]
    program = os.path.abspath(args.program)
    with concurrent.futures.ThreadPoolExecutor(args.jobs) as pool:
        results = list(pool.map(lambda path: problems(program, path, data_path, args.timeout),
                                files))
    counts = collections.defaultdict(collections.Counter)
    for path, found in zip(files, results):
        if args.scenes:
            print("%-8s %s%s" % ("ok" if not found else "%d" % len(found),
                                 os.path.relpath(path, examples),
                                 "".join("\n           %s: %s" % item for item in sorted(found))))
        for kind, name in found:
            counts[kind][name] += 1
    good = sum(not found for found in results)
    print("%d of %d scenes load without an error" % (good, len(files)))
    print_counts("unknown components", counts["component"], known)
    print_counts("unknown attributes", counts["attribute"], known)
    print_counts("known and not built", counts["not built"], None)
    print_counts("other errors", counts["other"], None)
    print_counts("failures", counts["failure"], None)
    found = {os.path.relpath(path, examples): said for path, said in zip(files, results)}
    page = os.path.join(PROJECT, "docs", "coming-from-sofa.md")
    wrong = differences(found, listed_scenes(page), args.match)
    print("\n".join(wrong))
    return 1 if counts["failure"] or wrong else 0


if __name__ == "__main__":
    sys.exit(main())

#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Runs SOFA's regression scenes with topological changes and compares elements with its records.

Reference data is found as run_conformance.py finds it; without it the run prints "skipped" and
ends with status 77. A copy of each scene in a temporary folder gets a WriteTopology at the end of every node.
Every record of the reference must be reproduced, list by list in order, at every recorded time, by
some topology of the scene.
"""
import argparse
import glob
import gzip
import os
import re
import shutil
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as xml
import zlib

PROJECT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
LIST = os.path.join("sofa", "regression", "RegressionTopologyScenes.regression-tests")
KINDS = ("Edges", "Triangles", "Quads", "Tetrahedra", "Hexahedra")
WIDTH = dict(zip(KINDS, (2, 3, 4, 4, 8)))


def read_text(path):
    """The text of a file; what can be read of a truncated gzip file."""
    if not path.endswith(".gz"):
        with open(path) as file:
            return file.read()
    with open(path, "rb") as file:
        data = file.read()
    try:
        return gzip.decompress(data).decode()
    except EOFError:
        return zlib.decompressobj(wbits=31).decompress(data).decode(errors="replace")


def read_blocks(path):
    """-> [(time, {kind: [elements]})], complete blocks only."""
    blocks, lines = [], read_text(path).split("\n")
    i = 0
    while i < len(lines):
        word = lines[i].split()
        if word[:1] == ["T="]:
            blocks.append((float(word[1]), {}))
        elif len(word) == 2 and word[0][:-1] in KINDS and blocks and i + 1 < len(lines):
            kind, n = word[0][:-1], int(word[1])
            v = [int(k) for k in lines[i + 1].split()]
            w = WIDTH[kind]
            elements = [tuple(v[k:k + w]) for k in range(0, len(v), w)]
            if len(elements) == n:
                blocks[-1][1][kind] = elements
            i += 1
        i += 1
    return [block for block in blocks if len(block[1]) == len(KINDS)]


def difference(reference, blocks):
    """None, or what differs first."""
    found = dict(blocks)
    if not reference:
        return "the reference has no complete block"
    for time, lists in reference:
        if time not in found:
            return "t = %g s is missing" % time
        for kind in KINDS:
            if not lists[kind]:
                continue  # as SOFA's own test
            mine = found[time][kind]
            if len(mine) != len(lists[kind]):
                return "t = %g s: %d %s, expected %d" % (time, len(mine), kind, len(lists[kind]))
            for i, (a, b) in enumerate(zip(mine, lists[kind])):
                if a != b:
                    return "t = %g s: %s %d is %s, expected %s" % (time, kind, i, a, b)
    return None


def instrument(source, target):
    """Copies a scene, adding a WriteTopology to every node below the root."""
    tree = xml.parse(source)
    root, n = tree.getroot(), 0
    for node in root.iter("Node"):
        if node is not root:
            xml.SubElement(node, "WriteTopology", name="record%d" % n,
                           filename="record%d.txt" % n)
            n += 1
    tree.write(target)


def run_scene(options, scene, steps, references):
    """-> list of problems."""
    sofa = os.path.join(options.reference, "sofa")
    source = os.path.join(sofa, "examples", scene)
    folder = tempfile.mkdtemp(prefix="csofa-topologies-")
    try:
        instrument(source, os.path.join(folder, "scene.scn"))
        paths = ":".join((os.path.join(sofa, "share"), os.path.join(sofa, "examples"),
                          os.path.dirname(source)))
        command = [options.program, "-g", "batch", "-n", str(steps), "--hideProgressBar",
                   "--keep-going", "--quirks", "--data-path", paths, "scene.scn"]
        done = subprocess.run(command, cwd=folder, stdin=subprocess.DEVNULL, timeout=300,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        if done.returncode < 0:
            return ["crashed with signal %d" % -done.returncode]
        records = [read_blocks(path) for path in sorted(glob.glob(folder + "/record*.txt"))]
        problems = []
        for reference in references:
            wanted = read_blocks(reference)
            all_differences = [difference(wanted, blocks) for blocks in records]
            if None not in all_differences:
                told = sorted((d for d in all_differences if d), key=len)[-1:] or ["no records"]
                name = os.path.basename(reference).split(".reference_")[1]
                problems.append("%s: %s" % (name, "; ".join(sorted(set(all_differences or told)))))
        return problems
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def read_list(path):
    with open(path) as file:
        lines = [line.split() for line in file if line.strip() and not line.startswith("#")]
    return [(words[0], int(words[1])) for words in lines[1:]]


def main(argv):
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--program", required=True, help="runcsofa")
    parser.add_argument("--reference", default=os.environ.get("CSOFA_REFERENCE") or
                        os.path.join(PROJECT, "..", "shared", "reference"))
    parser.add_argument("--match", default="", help="only scenes whose path contains this")
    options = parser.parse_args(argv)
    options.program = os.path.abspath(options.program)
    options.reference = os.path.abspath(options.reference)
    path = os.path.join(options.reference, LIST)
    if not os.path.exists(path):
        print("skipped: no regression list at %s" % path)
        return 77
    missed = 0
    for scene, steps in read_list(path):
        if options.match not in scene:
            continue
        stem = os.path.join(options.reference, "sofa", "regression", "references", scene)
        references = sorted(glob.glob(glob.escape(stem) + ".reference_*_topology.txt.gz"))
        problems = run_scene(options, scene, steps, references)
        if not references:
            problems.append("there is no reference")
        print("%-8s %s (%d records)" % ("differs" if problems else "ok", scene, len(references)))
        for problem in problems:
            print("         " + re.sub(r"\s+", " ", problem))
        missed += bool(problems)
    print("%d scenes differ" % missed)
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

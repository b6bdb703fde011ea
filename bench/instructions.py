#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Counts the instructions of a step with valgrind and compares them with a table.

The count is the difference of a long and a short run, divided by the steps between them. It depends
neither on the load of the machine nor on its instruction sets: csofa runs its portable kernels, and
the libraries are told to do so too. A scene whose count has grown by more than 5 % fails, unless its
row has been written again with the reason.

usage: instructions.py [--program RUNCSOFA] [--table FILE] [--only WORD...] [--short]
                       [--update [--why TEXT]]
  --short        the scenes marked `short`, as the tests do
  --update       write the measured counts; rows that grow by more than 5 % need --why
Status 0: within the table; 1: a count has grown, or a scene fails; 77: there is no valgrind."""
import argparse
import concurrent.futures
import os
import re
import shutil
import subprocess
import sys
import tempfile

import scenes as beams

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(HERE)
LIMIT = 1.05

# no instruction set beyond the portable one in the C library and in OpenBLAS; one thread
ENVIRONMENT = {
    "GLIBC_TUNABLES": "glibc.cpu.hwcaps=-AVX512F,-AVX512VL,-AVX512BW,-AVX2,-AVX2_Usable,-AVX,"
                      "-AVX_Usable,-FMA,-FMA_Usable,-FMA4,-ERMS,-FSRM,-BMI2,-RTM,-LZCNT,-MOVBE",
    "OPENBLAS_CORETYPE": "Nehalem",
    "OPENBLAS_NUM_THREADS": "1",
    "OMP_NUM_THREADS": "1",
    "LC_ALL": "C",
}


class Row:
    """scene: a path below the repository, or `beam SIZE SOLVER`."""

    def __init__(self, line):
        self.scene, first, last, short, count, self.why = line.rstrip("\n").split("\t")
        self.first, self.last = int(first), int(last)
        self.short = short == "short"
        self.count = int(count)

    def text(self):
        return "\t".join([self.scene, str(self.first), str(self.last),
                          "short" if self.short else "long", str(self.count), self.why])


def read_table(path):
    with open(path, encoding="utf-8") as file:
        lines = file.read().splitlines()
    return lines[0], [Row(line) for line in lines[1:] if line]


def write_scene(row, folder):
    if not row.scene.startswith("beam "):
        return os.path.join(ROOT, row.scene)
    _, size, solver = row.scene.split()
    path = os.path.join(folder, "beam.scn")
    with open(path, "w", encoding="utf-8") as file:
        file.write(beams.scene(size, solver))
    return path


def instructions(program, scene, steps, folder):
    command = ["valgrind", "--tool=cachegrind", "--cache-sim=no", "--branch-sim=no",
               "--cachegrind-out-file=/dev/null", program, "--isa", "baseline", "-g", "batch",
               "-n", str(steps), scene]
    done = subprocess.run(command, cwd=folder, env=dict(os.environ, **ENVIRONMENT),
                          stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, check=False)
    output = done.stdout.decode(errors="replace")
    found = re.search(r"I\s+refs:\s+([\d,]+)", output)
    if done.returncode != 0 or not found:
        raise RuntimeError("%s, %d steps: status %d\n%s" %
                           (scene, steps, done.returncode, output[-2000:]))
    return int(found.group(1).replace(",", ""))


def measure(program, row):
    """Instructions of a step between the first and the last of the row."""
    with tempfile.TemporaryDirectory() as folder:
        scene = write_scene(row, folder)
        first, last = (instructions(program, scene, n, folder) for n in (row.first, row.last))
    return (last - first) // (row.last - row.first)


def judge(row, count):
    """What is said of a count, and whether it is within the table."""
    ratio = count / row.count if row.count else float("inf")
    grown = ratio > LIMIT
    word = "grown" if grown else "fewer: --update" if ratio < 1 / LIMIT else "as before"
    return "%-58s %12d %7.3f  %s" % (row.scene, count, ratio, word), not grown


def update(rows, counts, why):
    """False: a row has grown, and no reason was given."""
    for row, count in zip(rows, counts):
        grown = row.count and count > LIMIT * row.count
        if grown and not why:
            print("%s: grown by %.1f %%: say why with --why" %
                  (row.scene, 100 * (count / row.count - 1)))
            return False
        if grown:
            row.why = why
        row.count = count
    return True


def options():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--program", default=os.path.join(ROOT, "build", "bin", "runcsofa"))
    parser.add_argument("--table", default=os.path.join(HERE, "instructions.tsv"))
    parser.add_argument("--only", nargs="*", default=[])
    parser.add_argument("--short", action="store_true")
    parser.add_argument("--update", action="store_true")
    parser.add_argument("--why", default="")
    return parser.parse_args()


def main():
    given = options()
    if not shutil.which("valgrind"):
        print("skipped: valgrind is not installed")
        return 77
    head, rows = read_table(given.table)
    chosen = [row for row in rows if (row.short or not given.short) and
              (not given.only or any(word in row.scene for word in given.only))]
    program = os.path.abspath(given.program)
    try:
        with concurrent.futures.ThreadPoolExecutor(2) as pool:
            counts = list(pool.map(lambda row: measure(program, row), chosen))
    except RuntimeError as error:
        print(error)
        return 1
    if given.update:
        if not update(chosen, counts, given.why.replace("\t", " ")):
            return 1
        with open(given.table, "w", encoding="utf-8") as file:
            file.write("\n".join([head] + [row.text() for row in rows]) + "\n")
    print("%-58s %12s %7s" % ("instructions of a step", "now", "/ table"))
    verdicts = [judge(row, count) for row, count in zip(chosen, counts)]
    for text, _ in verdicts:
        print(text)
    return 0 if chosen and all(good for _, good in verdicts) else 1


if __name__ == "__main__":
    sys.exit(main())

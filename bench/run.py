#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Measures runcsofa on beams of 1k, 10k and 100k tetrahedra, and what this machine can do.

usage: run.py [--program build/bin/runcsofa] [--machine build/bin/csofa_machine] [options]
  --beams 1k,10k,100k               which beams
  --solvers cg-free,cg-assembled,direct
  --steps N      steps of a sample; default: by size    --samples N   default 5; the best one counts
  --threads N    default 1                              --isa NAME    default auto
  --details      time per phase and component of every case, not of the reference alone
  --peer CMD     also time a peer, e.g. --peer "runSofa -g batch -n {steps} {scene}"
  --json FILE    write all numbers
The measured programs are bound to as many processors as they have threads."""
import argparse
import json
import os
import platform
import shlex
import shutil
import subprocess
import sys
import tempfile
import time

import scenes

HERE = os.path.dirname(os.path.abspath(__file__))
REFERENCE = "10k"
STEPS = {"1k": 40, "10k": 20, "100k": 2}
# SOFA on the reference beam, ms a step, and the machine it was measured on
SOFA_MS = {"cg-free": 42.0, "cg-assembled": 26.0, "direct": 198.0}
SOFA_MACHINE = {"triad_memory": 29.0, "triad_l3": 43.0, "dgemm": 55.0}
# what we allow ourselves on such a machine: (limit, what it grows with, unit)
BUDGETS = {
    "cg-free": (8.0, "triad_l3", "ns per tetrahedron and iteration"),
    "direct": (60.0, "dgemm", "ms a step"),
}


def fail(message):
    sys.exit("run.py: " + message)


# ---- running a program ----

def run(command, folder, threads):
    """Runs a program; returns wall time, processor time, peak memory and what it printed."""
    cpus = sorted(os.sched_getaffinity(0))[-threads:]
    with open(os.path.join(folder, "out.txt"), "w+b") as out:
        start = time.monotonic()
        process = subprocess.Popen(command, cwd=folder, stdout=out, stderr=subprocess.STDOUT,
                                   preexec_fn=lambda: os.sched_setaffinity(0, cpus))
        _, status, usage = os.wait4(process.pid, 0)
        wall = time.monotonic() - start
        process.returncode = os.waitstatus_to_exitcode(status)
        out.seek(0)
        text = out.read().decode("utf-8", "replace")
    if status:
        fail("%s ended with status %d:\n%s" % (shlex.join(command), process.returncode, text))
    return {"wall_s": wall, "cpu_s": usage.ru_utime + usage.ru_stime,
            "peak_mib": usage.ru_maxrss / 1024, "text": text}


def read_timers(path):
    """Rows of a file of timers, each with its path of names."""
    rows, stack = [], []
    with open(path, encoding="utf-8") as file:
        for line in file:
            row = json.loads(line)
            stack[row["level"]:] = [row["name"]]
            row["path"] = "/".join(stack)
            rows.append(row)
    return rows


def step_ms(rows):
    return sum(1e3 * r["seconds"] / r["steps"] for r in rows if r["level"] == 0)


# ---- cases ----

def write_scene(folder, beam, solver, log=False):
    path = os.path.join(folder, "beam.scn")
    with open(path, "w", encoding="utf-8") as file:
        file.write(scenes.scene(beam, solver, log))
    return path


def first_step(args, folder, beam, solver):
    """Loads and makes one step. Conjugate gradients must make all their iterations, or the numbers
    mean nothing."""
    path = write_scene(folder, beam, solver, log=True)
    result = run([args.program, "-g", "batch", "-n", "1", "--threads", str(args.threads), "--isa",
                  args.isa, path], folder, args.threads)
    if solver.startswith("cg") and "%d iterations" % scenes.ITERATIONS not in result["text"]:
        fail("%s %s does not make %d iterations:\n%s" % (beam, solver, scenes.ITERATIONS,
                                                         result["text"]))
    return result


def measure(args, beam, solver):
    """One case: load time, ms a step (best and median sample), timers of the best sample."""
    steps = args.steps or STEPS[beam]
    # the first sample holds the analysis of the matrix and is left out
    total = (args.samples + 1) * steps
    with tempfile.TemporaryDirectory() as folder:
        one = first_step(args, folder, beam, solver)
        path = write_scene(folder, beam, solver)
        result = run([args.program, "-g", "batch", "-n", str(total), "--threads",
                      str(args.threads), "--isa", args.isa, "--computationTimeAtBegin",
                      "--computationTimeSampling", str(steps), "--computationTimeOutputType",
                      "json", path], folder, args.threads)
        begin = read_timers(os.path.join(folder, "beam_000000.json"))
        samples = [read_timers(os.path.join(folder, "beam_%06d.json" % (steps * (i + 1))))
                   for i in range(args.samples + 1)]
    kept = sorted(samples[1:], key=step_ms)
    return {
        "beam": beam, "solver": solver, "steps": total,
        "load_ms": 1e3 * sum(r["seconds"] for r in begin if r["level"] == 0),
        "ms": step_ms(kept[0]), "median_ms": step_ms(kept[len(kept) // 2]),
        "cpu_ms": 1e3 * (result["cpu_s"] - one["cpu_s"]) / (total - 1),
        "peak_mib": result["peak_mib"], "busy": result["cpu_s"] / result["wall_s"] / args.threads,
        "timers": kept[0],
    }


def measure_peer(args, beam, solver):
    """The same for a peer's command line: from the wall times of a short and a long run."""
    steps = args.steps or STEPS[beam]
    runs = []
    with tempfile.TemporaryDirectory() as folder:
        path = write_scene(folder, beam, solver)
        for n in (1, 1 + args.samples * steps):
            words = [w.format(scene=path, steps=n) for w in args.peer]
            runs.append(run(words, folder, args.threads))
    ms = 1e3 * (runs[1]["wall_s"] - runs[0]["wall_s"]) / (args.samples * steps)
    return {"ms": ms, "load_ms": 1e3 * runs[0]["wall_s"] - ms, "peak_mib": runs[1]["peak_mib"]}


# ---- reports ----

def machine(args):
    """What this machine does: {name: value}; prints it."""
    text = subprocess.run([args.machine, args.isa], check=True, stdout=subprocess.PIPE, text=True,
                          stderr=subprocess.DEVNULL).stdout
    rows = [json.loads(line) for line in text.splitlines()]
    print("this machine (%s, one thread)" % processor())
    for row in rows:
        print("  %-45s %10.4g %s" % (row["name"], row["value"], row["unit"]))
    print()
    return {row["name"]: row["value"] for row in rows}


def processor():
    try:
        with open("/proc/cpuinfo", encoding="utf-8") as file:
            for line in file:
                if line.startswith("model name"):
                    return line.split(":", 1)[1].strip()
    except OSError:
        pass
    return platform.processor() or platform.machine()


def print_header(peer):
    print("%-5s %-13s %9s %9s %9s %9s %9s %9s %8s" % (
        "beam", "solver", "steps/s", "ms/step", "median", "cpu ms", "load ms", "peak MiB", "busy"),
        end="")
    print("  %9s %9s %9s %7s" % ("peer ms", "load ms", "peak MiB", "faster") if peer else "")


def print_case(case):
    print("%-5s %-13s %9.1f %9.3f %9.3f %9.3f %9.1f %9.1f %7.0f%%" % (
        case["beam"], case["solver"], 1e3 / case["ms"], case["ms"], case["median_ms"],
        case["cpu_ms"], case["load_ms"], case["peak_mib"], 100 * case["busy"]), end="")
    peer = case.get("peer")
    if peer:
        print("  %9.3f %9.1f %9.1f %6.1fx" % (peer["ms"], peer["load_ms"], peer["peak_mib"],
                                              peer["ms"] / case["ms"]), end="")
    print(flush=True)


def print_timers(case):
    print("\n%s %s: where a step goes" % (case["beam"], case["solver"]))
    total = case["ms"]
    for row in case["timers"]:
        ms = 1e3 * row["seconds"] / row["steps"]
        if ms >= 0.002 * total:
            print("  %9.3f ms %6.1f%%  %s%s" % (ms, 100 * ms / total, "  " * row["level"],
                                               row["name"]))


def verdicts(cases, rates, threads):
    """Prints budget, measured and verdict of the reference beam; is all within?"""
    within = True
    judged = [c for c in cases if c["beam"] == REFERENCE and c["solver"] in BUDGETS]
    if judged:
        print("\nbudgets of the beam of %d tetrahedra, scaled by the rates of this machine"
              % scenes.n_tetrahedra(REFERENCE))
    for case in judged:
        limit, rate, unit = BUDGETS[case["solver"]]
        scale = SOFA_MACHINE[rate] / rates[rate]
        per_unit = 1.0
        if case["solver"] == "cg-free":
            per_unit = 1e6 / (scenes.n_tetrahedra(REFERENCE) * scenes.ITERATIONS)
        # one thread's processor time leaves out what other programs took
        own = min(case["ms"], case["cpu_ms"]) if threads == 1 else case["ms"]
        measured, sofa = own * per_unit, SOFA_MS[case["solver"]] * per_unit
        good = measured <= limit * scale
        within &= good
        print("  %-9s budget %7.2f (%g x %.2f by %s), measured %7.2f %s: %s" % (
            case["solver"], limit * scale, limit, scale, rate, measured, unit,
            "within" if good else "EXCEEDED"))
        print("            SOFA %.3g there: %.1f times as much, %.1f times when scaled" % (
            sofa, sofa / measured, sofa * scale / measured))
    return within


def parse():
    parser = argparse.ArgumentParser(usage=__doc__)
    build = os.path.join(os.path.dirname(HERE), "build", "bin")
    parser.add_argument("--program", default=os.path.join(build, "runcsofa"))
    parser.add_argument("--machine", default=os.path.join(build, "csofa_machine"))
    parser.add_argument("--beams", default=",".join(scenes.BEAMS))
    parser.add_argument("--solvers", default=",".join(scenes.SOLVERS))
    parser.add_argument("--steps", type=int, default=0)
    parser.add_argument("--samples", type=int, default=5)
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--isa", default="auto")
    parser.add_argument("--details", action="store_true")
    parser.add_argument("--peer")
    parser.add_argument("--json")
    args = parser.parse_args()
    args.program, args.machine = os.path.abspath(args.program), os.path.abspath(args.machine)
    if args.peer:
        args.peer = shlex.split(args.peer)
        # the peer runs in a folder of its own
        args.peer[0] = os.path.abspath(shutil.which(args.peer[0]) or fail("no program " + args.peer[0]))
    for name, known in (("beams", scenes.BEAMS), ("solvers", scenes.SOLVERS)):
        setattr(args, name, getattr(args, name).split(","))
        for word in getattr(args, name):
            if word not in known:
                fail("unknown '%s' in --%s: known are %s" % (word, name, ", ".join(known)))
    if args.samples < 1 or args.steps < 0 or args.threads < 1:
        fail("--samples and --threads are at least 1, --steps is not negative")
    return args


def main():
    args = parse()
    rates = machine(args)
    cases = []
    print_header(args.peer)
    for beam in args.beams:
        for solver in args.solvers:
            case = measure(args, beam, solver)
            if args.peer:
                case["peer"] = measure_peer(args, beam, solver)
            print_case(case)
            cases.append(case)
    for case in cases:
        if args.details or case["beam"] == REFERENCE:
            print_timers(case)
    if min(case["busy"] for case in cases) < 0.95:
        print("\nother programs ran, too: trust the best times ('ms/step', 'cpu ms'), not the median")
    within = verdicts(cases, rates, args.threads)
    if args.json:
        with open(args.json, "w", encoding="utf-8") as file:
            json.dump({"machine": rates, "processor": processor(), "cases": cases}, file, indent=1)
    return 0 if within else 1


if __name__ == "__main__":
    sys.exit(main())

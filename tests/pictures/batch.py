#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Pictures and videos of batch runs: names, sizes, what happens without OpenGL, without ffmpeg, with
places that cannot be written. usage: batch.py RUNCSOFA"""
import os
import struct
import subprocess
import sys
import tempfile

PROGRAM = os.path.abspath(sys.argv[1])
PROJECT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
SCENE = os.path.join(PROJECT, "scenes", "visual", "OglModel.scn")
failures = 0


def run(folder, *words, **environment):
    result = subprocess.run(
        [PROGRAM, "-g", "batch", "--hideProgressBar"] + list(words) + [SCENE], cwd=folder,
        env=dict(os.environ, LIBGL_ALWAYS_SOFTWARE="1", **environment), stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT)
    return result.returncode, result.stdout.decode("utf-8", "replace"), sorted(os.listdir(folder))


def check(what, good, found=None):
    global failures
    if not good:
        failures += 1
        print("wrong: %s: %s" % (what, found))


def size(path):
    with open(path, "rb") as file:
        head = file.read(24)
    return struct.unpack(">II", head[16:24]) if head[:8] == b"\x89PNG\r\n\x1a\n" else None


def main():
    with tempfile.TemporaryDirectory() as folder:
        r = run(folder, "-n", "3", "--screenshot", "a.png", "--size", "70x50")
        if "no pictures can be made" in r[1]:
            print("skipped: " + r[1].splitlines()[0])
            return 77
        check("one picture", r[0] == 0 and r[2] == ["a.png"], r)
        check("its size", size(os.path.join(folder, "a.png")) == (70, 50))
    with tempfile.TemporaryDirectory() as folder:
        r = run(folder, "-n", "4", "--screenshot", "a.png", "--screenshot-every", "2", "--size",
                "64x48")
        check("numbered pictures", r[0] == 0 and
              r[2] == ["a_000000.png", "a_000002.png", "a_000004.png"], r)
    with tempfile.TemporaryDirectory() as folder:
        r = run(folder, "-n", "8", "--video", "a.mp4", "--size", "65x49")
        check("video", r[0] == 0 and (r[2] == ["a.mp4"] or "ffmpeg" in r[1]), r)
    with tempfile.TemporaryDirectory() as folder:
        r = run(folder, "-n", "4", "--video", "a.mp4", "--size", "64x48", PATH="/nowhere")
        check("series instead of a video", r[0] == 0 and "ffmpeg" in r[1] and
              r[2] == ["a_%06d.png" % i for i in range(len(r[2]))] and len(r[2]) >= 2, r)
    with tempfile.TemporaryDirectory() as folder:
        r = run(folder, "-n", "2", "--screenshot", "nowhere/a.png", "--size", "64x48")
        check("a place that is not there", r[0] == 1 and "cannot write the picture" in r[1], r)
    with tempfile.TemporaryDirectory() as folder:
        r = run(folder, "-n", "2", "--screenshot", "a.png", "--states", "a.states",
                __EGL_VENDOR_LIBRARY_DIRS="/nowhere", __EGL_VENDOR_LIBRARY_FILENAMES="/nowhere")
        check("without OpenGL the rest is still made",
              r[0] == 1 and "no pictures can be made" in r[1] and 
              r[2] == ["a.states", "a.states.provenance"], r)
    with tempfile.TemporaryDirectory() as folder:
        for words in (["--size", "10"], ["--size", "0x5"], ["--size", "axb"],
                      ["--screenshot-every", "3"],
                      ["--screenshot", "a.png", "--screenshot-every", "0"]):
            r = run(folder, *words)
            check("refuses %s" % words, r[0] == 2 and not r[2], r)
    return 1 if failures else 0


sys.exit(main())

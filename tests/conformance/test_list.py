#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""The list of conforming scenes: a scene that no longer conforms fails the run, and so does a program
that does nothing; without reference data the run is skipped."""
import contextlib
import gzip
import io
import os
import stat
import sys
import tempfile
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import run_conformance  # noqa: E402

STATES = "step 0 time 0\nstate /a n 1 dim 3 vdim 3\nx 0 0 %s\nv 0 0 0\n"
# stands for runcsofa: writes the states file it is asked for; loads strictly when told
PROGRAM = """#!/bin/sh
while [ $# -gt 1 ]; do
  if [ "$1" = --states ]; then printf '%s' > "$2"; exit 0; fi
  shift
done
exit %d
"""


class List(unittest.TestCase):
    def setUp(self):
        self.temporary = tempfile.TemporaryDirectory()
        self.folder = self.temporary.name
        self.addCleanup(self.temporary.cleanup)
        os.makedirs(self.path("own", "states"))
        self.write("own/suite.tsv", "drop.scn\tfirst\t1\t0:1e-6\n")
        self.write("own/drop.scn", "<Node/>")
        with gzip.open(self.path("own", "states", "drop.scn.states.gz"), "wt") as file:
            file.write(STATES % "1")
        self.write("list", "own\tfirst\tdrop.scn\tstrict\n")

    def path(self, *parts):
        return os.path.join(self.folder, *parts)

    def write(self, name, text):
        with open(self.path(*name.split("/")), "w") as file:
            file.write(text)
        return self.path(*name.split("/"))

    def program(self, z, loading=0):
        path = self.write("program", PROGRAM % ((STATES % z).replace("\n", "\\n"), loading))
        os.chmod(path, os.stat(path).st_mode | stat.S_IXUSR)
        return path

    def status(self, program, *more, expect="list"):
        with contextlib.redirect_stdout(io.StringIO()):
            return run_conformance.main(["--program", program, "--reference", self.folder, "--expect",
                                         self.path(expect)] + list(more))

    def test_a_listed_scene_conforms(self):
        self.assertEqual(self.status(self.program("1")), 0)

    def test_a_listed_scene_that_differs_fails(self):
        self.assertEqual(self.status(self.program("1.1")), 1)

    def test_a_listed_scene_that_no_longer_loads_strictly_fails(self):
        self.assertEqual(self.status(self.program("1", loading=1)), 1)
        self.write("list", "own\tfirst\tdrop.scn\tpartial\n")
        self.assertEqual(self.status(self.program("1", loading=1)), 0)

    def test_a_program_that_does_nothing_fails(self):
        self.assertEqual(self.status("/bin/false"), 1)
        self.assertEqual(self.status("/bin/true"), 1)

    def test_a_listed_scene_that_is_missing_fails(self):
        self.write("list", "own\tfirst\tdrop.scn\tstrict\nown\tfirst\tother.scn\tstrict\n")
        self.assertEqual(self.status(self.program("1")), 1)
        self.assertEqual(self.status(self.program("1"), "--match", "drop"), 0)

    def test_a_scene_that_is_not_listed_is_explained(self):
        self.write("empty", "")
        beyond = self.write("beyond", "own\tdrop.scn\t2e5\ta tie\n")
        self.assertEqual(self.status(self.program("1.1"), "--beyond", beyond, expect="empty"), 0)
        self.assertEqual(self.status(self.program("1.3"), "--beyond", beyond, expect="empty"), 1)
        self.assertEqual(self.status("/bin/true", "--beyond", beyond, expect="empty"), 1)
        self.assertEqual(self.status(self.program("1.1"), expect="empty"), 1)
        self.assertEqual(self.status(self.program("1"), expect="empty"), 0)
        self.write("beyond", "own\tdrop.scn\t2e5\t \n")
        with self.assertRaises(SystemExit):
            self.status(self.program("1"), "--beyond", beyond, expect="empty")

    def test_an_empty_selection_fails(self):
        self.assertEqual(self.status(self.program("1"), "--match", "nothing"), 1)

    def test_without_reference_it_is_skipped(self):
        self.folder = self.path("none")
        with contextlib.redirect_stdout(io.StringIO()):
            status = run_conformance.main(["--program", "/bin/true", "--reference", self.folder])
        self.assertEqual(status, 77)

    def test_a_scene_runs_with_its_options(self):
        options = self.write("options", "own\tdrop.scn\t--isa baseline\tit rounds\n")
        program = self.write("program", """#!/bin/sh
case "$*" in *"--isa baseline"*) ;; *) exit 1;; esac
""" + (PROGRAM % ((STATES % "1").replace("\n", "\\n"), 0)).split("\n", 1)[1])
        os.chmod(program, os.stat(program).st_mode | stat.S_IXUSR)
        self.assertEqual(self.status(program, "--options", options), 0)
        self.assertEqual(self.status(program), 1)
        self.write("options", "own\tdrop.scn\t--isa baseline\t \n")
        with self.assertRaises(SystemExit):
            self.status(program, "--options", options)

    def test_the_list_that_is_written_is_the_list_that_is_read(self):
        path = self.path("written")
        self.assertEqual(self.status(self.program("1"), "--write-list", path), 0)
        self.assertEqual(run_conformance.read_list(path), {("own", "first", "drop.scn"): True})


if __name__ == "__main__":
    unittest.main()

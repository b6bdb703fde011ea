#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""The comparison itself: exact match, a small miss, missing states and frames, NaN."""
import math
import os
import sys
import tempfile
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import states  # noqa: E402

REFERENCE = """step 0 time 0
state /a b/dofs n 2 dim 3 vdim 3
x 0 0 0 2 0 0
v 0 0 0 0 0 0
step 5 time 0.05
state /a b/dofs n 2 dim 3 vdim 3
x 0 0 0 2 0 1
"""


class Compare(unittest.TestCase):
    def run_compare(self, text, tolerances):
        with tempfile.TemporaryDirectory() as folder:
            paths = [os.path.join(folder, name) for name in ("reference", "result")]
            for path, content in zip(paths, (REFERENCE, text)):
                with open(path, "w") as file:
                    file.write(content)
            return states.compare(paths[0], paths[1], tolerances)

    def test_same(self):
        self.assertEqual(self.run_compare(REFERENCE, {0: 1e-9, 5: 1e-9})[0], 0)

    def test_miss_is_relative_to_the_extent(self):
        worst = self.run_compare(REFERENCE.replace("2 0 1", "2 0 1.002"), {5: 1e-3})
        self.assertAlmostEqual(worst[3], 1e-3)
        self.assertEqual(worst[1:3], (5, "/a b/dofs"))

    def test_missing_or_not_finite(self):
        for text in (REFERENCE.split("step 5")[0], REFERENCE.replace("/a b", "/c"),
                     REFERENCE.replace("2 0 1", "2 0"), REFERENCE.replace("2 0 1", "2 0 nan")):
            self.assertEqual(self.run_compare(text, {5: 1e-3})[0], math.inf)


if __name__ == "__main__":
    unittest.main()

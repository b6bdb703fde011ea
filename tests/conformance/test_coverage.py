#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""The list of SOFA's scenes with errors: one that is not listed, and a listed one without, are told."""
import os
import sys
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import scene_coverage  # noqa: E402

PAGE = os.path.join(scene_coverage.PROJECT, "docs", "coming-from-sofa.md")


class Coverage(unittest.TestCase):
    def test_the_page_has_a_list(self):
        listed = scene_coverage.listed_scenes(PAGE)
        self.assertIn("Demos/collisionMultiple.scn", listed)
        self.assertEqual(len(listed), 20)

    def test_what_the_list_does_not_say_is_told(self):
        found = {"a.scn": set(), "b.scn": {("other", "x")}, "c.scn": {("other", "y")}}
        self.assertEqual(scene_coverage.differences(found, {"b.scn", "c.scn"}, ""), [])
        self.assertEqual(scene_coverage.differences(found, {"b.scn"}, ""),
                         ["c.scn has errors and is not listed"])
        self.assertEqual(scene_coverage.differences(found, {"a.scn", "b.scn", "c.scn"}, ""),
                         ["a.scn is listed and has no errors"])
        self.assertEqual(scene_coverage.differences({}, {"a.scn"}, "Demos"), [])


if __name__ == "__main__":
    unittest.main()

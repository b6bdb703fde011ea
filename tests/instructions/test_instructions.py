#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""What bench/instructions.py says of counts: growth fails, and needs a reason to be written."""
import os
import sys
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "bench"))
import instructions  # noqa: E402


def row(count, why=""):
    return instructions.Row("a.scn\t2\t5\tshort\t%d\t%s\n" % (count, why))


class Counts(unittest.TestCase):
    def test_growth_fails(self):
        self.assertTrue(instructions.judge(row(1000), 1050)[1])
        text, good = instructions.judge(row(1000), 1051)
        self.assertFalse(good)
        self.assertIn("grown", text)
        self.assertTrue(instructions.judge(row(1000), 500)[1])

    def test_growth_needs_a_reason(self):
        rows = [row(1000), row(2000)]
        self.assertFalse(instructions.update(rows[:1], [1100], ""))
        self.assertEqual(rows[0].count, 1000)
        self.assertTrue(instructions.update(rows, [1100, 1900], "it does more"))
        self.assertEqual([r.count for r in rows], [1100, 1900])
        self.assertEqual([r.why for r in rows], ["it does more", ""])

    def test_rows_are_kept(self):
        self.assertEqual(row(7, "why").text(), "a.scn\t2\t5\tshort\t7\twhy")

    def test_table(self):
        head, rows = instructions.read_table(os.path.join(instructions.HERE, "instructions.tsv"))
        self.assertEqual(len(head.split("\t")), 6)
        self.assertTrue(any(r.short for r in rows))
        for r in rows:
            self.assertLess(r.first, r.last)
            self.assertGreater(r.count, 0)
            self.assertTrue(r.scene.startswith("beam ") or
                            os.path.exists(os.path.join(instructions.ROOT, r.scene)), r.scene)


if __name__ == "__main__":
    unittest.main()

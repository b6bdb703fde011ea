# SPDX-License-Identifier: LGPL-2.1-or-later
"""The examples, the notebook and the program of docs/python.md."""
import contextlib
import importlib.util
import io
import json
import os
import re
import sys
import unittest
import xml.etree.ElementTree as ElementTree

import support  # noqa: F401  (without numpy: skipped)

import csofa
import numpy as np

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")
EXAMPLES = os.path.join(ROOT, "examples", "python")
sys.path.insert(0, EXAMPLES)


class Examples(unittest.TestCase):
    def test_sweep(self):
        import sweep
        sags = np.array(sweep.sweep([5000, 10000, 20000]))
        # small displacements are proportional to 1 / modulus
        np.testing.assert_allclose(sags * [5000, 10000, 20000] / (sags[2] * 20000), 1, rtol=0.01)
        self.assertLess(sags[2], -0.02)

    @unittest.skipUnless(importlib.util.find_spec("scipy"), "no scipy")
    def test_optimise_modulus(self):
        import optimise_modulus
        context = csofa.Context()
        measured = optimise_modulus.equilibrium(6000.0, context).copy()
        modulus, _runs = optimise_modulus.find(measured, 3000.0, context)
        self.assertAlmostEqual(modulus / 6000, 1, places=4)

    @unittest.skipUnless(importlib.util.find_spec("scipy"), "no scipy")
    def test_gradient(self):
        import gradient
        context = csofa.Context()
        for modulus in (300.0, 1000.0, 5000.0):  # the end sinks by 0.84, 0.26, 0.05 m
            height, slope = gradient.gradient(modulus, context)
            h = 1e-3 * modulus
            low, high = (gradient.height(gradient.solve(at, context)["/beam/state"].position)
                         for at in (modulus - h, modulus + h))
            self.assertAlmostEqual(slope * 2 * h / (high - low), 1, delta=1e-5)
            self.assertTrue(low < height < high)

    def test_environment(self):
        import environment
        world = environment.Environment()
        idle = environment.play(world, (0, 0))
        self.assertAlmostEqual(idle, -100)
        gains, total = environment.search(world, 20)
        self.assertGreater(total, idle / 2)
        # the same run again has the same bits
        self.assertEqual(environment.play(world, gains), total)

    def test_notebook(self):
        with open(os.path.join(EXAMPLES, "beam.ipynb"), encoding="utf-8") as file:
            notebook = json.load(file)
        names = {}
        for cell in notebook["cells"]:
            if cell["cell_type"] == "code":
                exec("".join(cell["source"]), names)  # as Jupyter does
        svg = ElementTree.fromstring(names["picture"]._repr_svg_())
        self.assertEqual(len([e for e in svg if e.tag.endswith("polyline")]), 3)


    @unittest.skipUnless(importlib.util.find_spec("nbclient") and
                         importlib.util.find_spec("ipykernel"), "no nbclient or ipykernel")
    def test_notebook_in_jupyter(self):
        import nbclient
        import nbformat
        notebook = nbformat.read(os.path.join(EXAMPLES, "beam.ipynb"), 4)
        client = nbclient.NotebookClient(notebook, timeout=300, kernel_name="python3",
                                         resources={"metadata": {"path": EXAMPLES}})
        client.execute()
        shown = {kind for cell in notebook.cells if cell.cell_type == "code"
                 for output in cell.outputs for kind in output.get("data", {})}
        self.assertIn("image/svg+xml", shown)


class Page(unittest.TestCase):
    def test_programs(self):
        """Each block of docs/python.md that begins with an import runs, and prints what the block
        behind it says."""
        with open(os.path.join(ROOT, "docs", "python.md"), encoding="utf-8") as file:
            text = file.read()
        blocks = re.findall(r"^```python\n(import .*?)^```\n\n```text\n(.*?)^```", text, re.S | re.M)
        self.assertGreaterEqual(len(blocks), 1)
        for program, expected in blocks:
            out = io.StringIO()
            with contextlib.redirect_stdout(out):
                exec(program, {"__name__": "__main__"})
            self.assertEqual(out.getvalue(), expected)


if __name__ == "__main__":
    unittest.main()

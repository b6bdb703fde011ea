# SPDX-License-Identifier: LGPL-2.1-or-later
"""Finds Young's modulus from measured positions: least squares with scipy, where the derivative is
a difference of two runs. The measurement is a run with a modulus that the search does not know."""
import beam
import csofa
import numpy as np
from scipy.optimize import least_squares


def equilibrium(modulus, context):
    """Positions of the beam at rest under gravity, (n, 3)."""
    scene = beam.make(modulus, solver="StaticSolver", context=context)
    scene.step()
    return scene["/beam/state"].position


def find(measured, guess, context):
    """The modulus, Pa, and the number of runs."""
    def residual(log_modulus):
        return (equilibrium(float(np.exp(log_modulus[0])), context) - measured).ravel()

    # a relative step of 1e-4 is far above the tolerance of the static solver
    found = least_squares(residual, [np.log(guess)], diff_step=1e-4, xtol=1e-10)
    return float(np.exp(found.x[0])), found.nfev


def main():
    context = csofa.Context()
    measured = equilibrium(7200.0, context).copy()
    modulus, runs = find(measured, 3000.0, context)
    print(f"found {modulus:.3f} Pa in {runs} evaluations; the measured beam has 7200 Pa")


if __name__ == "__main__":
    main()

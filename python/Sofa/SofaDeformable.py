# SPDX-License-Identifier: LGPL-2.1-or-later
"""Parameters of materials. Springs have their functions (addSpring, ...) without this module."""


def toLameParameters3D(youngModulus, poissonRatio):
    """(mu, lambda) of a solid."""
    return (youngModulus / (2 * (1 + poissonRatio)),
            youngModulus * poissonRatio / ((1 + poissonRatio) * (1 - 2 * poissonRatio)))


def toLameParameters2D(youngModulus, poissonRatio):
    """(mu, lambda) of plane stress."""
    return (youngModulus / (2 * (1 + poissonRatio)),
            youngModulus * poissonRatio / (1 - poissonRatio ** 2))

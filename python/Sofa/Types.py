# SPDX-License-Identifier: LGPL-2.1-or-later
"""Values with names."""


class RGBAColor(list):
    """RGBAColor(r, g, b, a), each in 0..1."""

    def __init__(self, r=1.0, g=1.0, b=1.0, a=1.0):
        list.__init__(self, (r, g, b, a) if not isinstance(r, (list, tuple)) else r)


class BoundingBox(list):
    """BoundingBox(min, max)"""

    def __init__(self, low=(0, 0, 0), high=(0, 0, 0)):
        list.__init__(self, [list(low), list(high)])

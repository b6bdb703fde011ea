# SPDX-License-Identifier: LGPL-2.1-or-later
"""Values with names."""


_COLORS = {"white": (1, 1, 1), "black": (0, 0, 0), "red": (1, 0, 0), "green": (0, 1, 0),
           "blue": (0, 0, 1), "cyan": (0, 1, 1), "magenta": (1, 0, 1), "yellow": (1, 1, 0),
           "gray": (0.5, 0.5, 0.5), "darkgray": (0.25, 0.25, 0.25),
           "lightgray": (0.75, 0.75, 0.75), "orange": (1, 0.5, 0), "purple": (0.5, 0, 0.5),
           "pink": (1, 0, 0.5), "brown": (0.6, 0.3, 0), "lime": (0.5, 1, 0),
           "teal": (0, 0.5, 0.5), "navy": (0, 0, 0.5), "olive": (0.5, 0.5, 0),
           "maroon": (0.5, 0, 0), "silver": (0.75, 0.75, 0.75), "gold": (1, 0.84, 0),
           "azure": (0, 0.5, 1)}


def _color(text):
    if text in _COLORS:
        return (*map(float, _COLORS[text]), 1.0)
    digits = text[1:] if text.startswith("#") else ""
    if len(digits) not in (6, 8):
        raise ValueError(f"there is no color '{text}': names are {', '.join(_COLORS)}, and "
                         "#rrggbb, #rrggbbaa")
    return tuple(int(digits[i:i + 2], 16) / 255 for i in range(0, len(digits), 2)) + (
        (1.0,) if len(digits) == 6 else ())


class RGBAColor(list):
    """RGBAColor(r, g, b, a), each in 0..1; RGBAColor("red"), RGBAColor("#ff8000")."""

    def __init__(self, r=1.0, g=1.0, b=1.0, a=1.0):
        if isinstance(r, str):
            r = _color(r)
        list.__init__(self, r if isinstance(r, (list, tuple)) else (r, g, b, a))


class BoundingBox(list):
    """BoundingBox(min, max)"""

    def __init__(self, low=(0, 0, 0), high=(0, 0, 0)):
        list.__init__(self, [list(low), list(high)])

# SPDX-License-Identifier: LGPL-2.1-or-later
"""A picture of convergence: errors over mesh sizes on logarithmic axes, as SVG."""
import math
from html import escape

WIDTH, HEIGHT, LEFT, RIGHT, TOP, BOTTOM = 860, 380, 76, 360, 40, 54
COLOURS = ["#33608e", "#c0562c", "#3f8a4f", "#8a5aa8", "#b8860b", "#2a8f96", "#a03a5a", "#555555"]
LEAST = 1e-14  # errors below are drawn there


def decades(values):
    low, high = math.floor(math.log10(min(values))), math.ceil(math.log10(max(values)))
    return low, max(high, low + 1)


class Axes:
    """Places on the picture of mesh sizes and errors."""

    def __init__(self, sizes, errors):
        self.sizes = sorted(set(sizes))
        self.low, self.high = decades(errors)
        first, last = math.log(self.sizes[0]), math.log(self.sizes[-1])
        self.first, self.span = first, (last - first) or 1

    def x(self, size):
        return LEFT + (WIDTH - LEFT - RIGHT) * (math.log(size) - self.first) / self.span

    def y(self, error):
        share = (math.log10(max(error, LEAST)) - self.low) / (self.high - self.low)
        return TOP + (HEIGHT - TOP - BOTTOM) * (1 - share)


def text(x, y, words, anchor="start", more=""):
    return '<text x="%.1f" y="%.1f" text-anchor="%s"%s>%s</text>' % (x, y, anchor, more, escape(words))


def frame(axes, title):
    out = [text(LEFT, 22, title, more=' font-weight="bold"')]
    step = max(1, (axes.high - axes.low) // 6)
    for power in range(axes.low, axes.high + 1, step):
        y = axes.y(10.0 ** power)
        out.append('<path d="M%d %.1fH%d" stroke="#ddd"/>' % (LEFT, y, WIDTH - RIGHT))
        out.append(text(LEFT - 8, y + 4, "1e%d" % power, "end"))
    for size in axes.sizes:
        out.append('<path d="M%.1f %dV%d" stroke="#ddd"/>' % (axes.x(size), TOP, HEIGHT - BOTTOM))
    # names of sizes only where they do not overlap
    last = -math.inf
    for size in axes.sizes:
        if axes.x(size) - last > 44:
            last = axes.x(size)
            out.append(text(last, HEIGHT - BOTTOM + 18, "%.3g" % size, "middle"))
    out.append(text((LEFT + WIDTH - RIGHT) / 2, HEIGHT - 12, "mesh size (of the coarsest mesh)", "middle"))
    out.append(text(14, TOP - 8, "error"))
    return out


def curve(axes, k, name, points):
    colour = COLOURS[k % len(COLOURS)]
    dash = ' stroke-dasharray="6 4"' if k >= len(COLOURS) else ""
    path = "M" + "L".join("%.1f %.1f" % (axes.x(h), axes.y(e)) for h, e in points)
    out = ['<path d="%s" fill="none" stroke="%s" stroke-width="1.8"%s/>' % (path, colour, dash)]
    out += ['<circle cx="%.1f" cy="%.1f" r="3" fill="%s"/>' % (axes.x(h), axes.y(e), colour) for h, e in points]
    y = TOP + 8 + 16 * k
    out.append('<path d="M%d %dH%d" stroke="%s" stroke-width="2.5"%s/>' %
               (WIDTH - RIGHT + 14, y, WIDTH - RIGHT + 38, colour, dash))
    out.append(text(WIDTH - RIGHT + 44, y + 4, name if len(name) < 52 else name[:50] + "..."))
    return out


def draw(title, curves):
    """curves: (name, [(size, error), ...])"""
    sizes = [h for _, points in curves for h, _ in points]
    errors = [max(e, LEAST) for _, points in curves for _, e in points]
    axes = Axes(sizes, errors)
    height = max(HEIGHT, TOP + 30 + 16 * len(curves))
    out = ['<svg xmlns="http://www.w3.org/2000/svg" width="%d" height="%d" font-family="sans-serif" '
           'font-size="12"><rect width="100%%" height="100%%" fill="white"/>' % (WIDTH, height)]
    out += frame(axes, title)
    for k, (name, points) in enumerate(curves):
        out += curve(axes, k, name, points)
    return "\n".join(out + ["</svg>", ""])

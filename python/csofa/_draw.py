# SPDX-License-Identifier: LGPL-2.1-or-later
"""Drawings: what draw(visual) of a controller adds to a picture."""
import ctypes
import weakref

import numpy as np

from ._call import place_of
from ._context import ERROR, Message
from ._library import DrawFunction, lib
from ._saved import path_of


def _values(source):
    """Numbers of a data, or what numpy makes an array of."""
    return np.asarray(getattr(source, "value", source), dtype=np.float64)


def _rows(source, what="points", width=3):
    """(n, width), contiguous. Points of 1 or 2 numbers have zeros for the others."""
    rows = _values(source)
    if rows.size == 0:
        return np.zeros((0, width))
    if rows.ndim != 2 or (rows.shape[1] != width and (width != 3 or rows.shape[1] > 3)):
        raise ValueError(f"{what} are an array of shape {rows.shape}: expected (n, {width})")
    full = np.zeros((len(rows), width))
    full[:, :rows.shape[1]] = rows
    return full


def _numbers(source, n, what):
    numbers = np.ascontiguousarray(_values(source))
    if numbers.shape != (n,):
        raise ValueError(f"{what} has the shape {numbers.shape}: expected {n} numbers")
    return numbers


class DrawTool:
    """Draws in one picture, during draw(visual). Points are (n, 3) arrays, lists or data, in the
    world frame; colors are 3 or 4 numbers from 0 to 1 (None: white)."""

    def __init__(self, drawing):
        self._drawing = drawing  # None: the picture is made

    def _call(self, function, *arguments):
        if self._drawing is None:
            raise ValueError("it draws during draw() alone")
        function(self._drawing, *arguments)

    @staticmethod
    def _color(color):
        if color is None:
            return None
        numbers = [float(c) for c in color]
        if len(numbers) not in (3, 4):
            raise ValueError(f"a color of {len(numbers)} numbers: expected 3 or 4")
        return (ctypes.c_double * 4)(*numbers, *[1.0] * (4 - len(numbers)))

    def _shapes(self, function, points, corners, *arguments):
        rows = _rows(points)
        if len(rows) % corners:
            raise ValueError(f"{len(rows)} points: expected a multiple of {corners}")
        self._call(function, len(rows) // corners, rows.ctypes.data, *arguments)

    def drawPoints(self, points, size, color=None):
        """size: diameter, pixels"""
        self._shapes(lib.csofa_draw_points, points, 1, size, self._color(color))

    def drawLines(self, points, size, color=None):
        """A line for two points; size: width, pixels"""
        self._shapes(lib.csofa_draw_lines, points, 2, size, self._color(color))

    def drawTriangles(self, points, color=None):
        """A triangle for three points"""
        self._shapes(lib.csofa_draw_triangles, points, 3, self._color(color))

    def drawSpheres(self, points, radius, color=None):
        self._shapes(lib.csofa_draw_spheres, points, 1, radius, self._color(color))

    def drawFrames(self, points, *orientations_size):
        """drawFrames(points, orientations, size), drawFrames(frames, size): frames have 7 numbers,
        orientations 4 (x y z w); size: lengths of the three axes"""
        if len(orientations_size) not in (1, 2):
            raise TypeError("drawFrames takes (points, orientations, size) or (frames, size)")
        *orientations, size = orientations_size
        if orientations:
            points, turns = _rows(points), _rows(orientations[0], "orientations", 4)
            if len(points) != len(turns):
                raise ValueError(f"{len(points)} points with {len(turns)} orientations")
            frames = np.ascontiguousarray(np.hstack([points, turns]))
        else:
            frames = _rows(points, "frames", 7)
        lengths = _numbers(size, 3, "size")
        self._call(lib.csofa_draw_frames, len(frames), frames.ctypes.data, lengths.ctypes.data)

    def drawText(self, *arguments):
        """drawText(point, height, text, color): in the scene. drawText(x, y, size, text), of older
        scripts: in front of the picture"""
        if len(arguments) == 4 and np.ndim(arguments[0]) == 0:
            x, y, size, text = arguments
            self.drawOverlayText([x, y], size, text)
        else:
            self.draw3DText(*arguments)

    def draw3DText(self, point, height, text, color=None):
        """height: of a line, in the unit of lengths"""
        point = _numbers(point, 3, "the point")
        self._call(lib.csofa_draw_text, point.ctypes.data, height, _text(text), self._color(color))

    def drawOverlayText(self, point, size, text, color=None):
        """point: pixels from the upper left corner; size: of the letters, pixels"""
        point = _numbers(point, 2, "the point")
        self._call(lib.csofa_draw_overlay_text, point.ctypes.data, size, _text(text),
                   self._color(color))


def _text(text):
    return str(text).encode("utf-8", "replace")


class VisualParams:
    """A picture that is made."""

    def __init__(self, drawing):
        self.drawTool = DrawTool(drawing)

    def getDrawTool(self):
        return self.drawTool


def draws(thing):
    return callable(getattr(type(thing), "draw", None))


def _guard(function, drawing, context, path):
    """function(visual): did it end well? An error, of any kind, does not pass through the library:
    it is reported."""
    visual = VisualParams(drawing)
    try:
        function(visual)
        return True
    except BaseException as error:
        text = (f"draw() failed: {place_of(error)}{type(error).__name__}: {error}; it is not called "
                "again")
        context._pass_on(Message(ERROR, text, path=path))
        return False
    finally:
        visual.drawTool._drawing = None


def connect(scene):
    """Lets the library call draw(visual) of the scene's controllers."""
    weak = weakref.ref(scene)

    def draw(_user, drawing):
        here = weak()
        for controller in list(here._controllers) if here is not None else ():
            if draws(controller) and not controller.__dict__.get("_draw_failed"):
                if not _guard(controller.draw, drawing, here.context, path_of(controller)):
                    controller.__dict__["_draw_failed"] = True
        return 0

    function = DrawFunction(draw)
    scene._held.functions.append(function)  # as long as the scene of the library
    scene._check(lib.csofa_on_draw(scene._pointer(), function, None))


def connect_object(handle, function):
    """Lets an ApplicationController call function(visual)."""
    def draw(_user, drawing):
        good = _guard(function, drawing, handle._scene.context, handle.getPathName())
        return 0 if good else 1

    handle._set_function(lib.csofa_set_draw, DrawFunction(draw))

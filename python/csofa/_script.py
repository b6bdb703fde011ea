# SPDX-License-Identifier: LGPL-2.1-or-later
"""Scenes that are Python programs: a file with createScene(root)."""
import os
import runpy
import sys

from ._context import Error, Message, ERROR
from ._scene import new_scene


def run(path, scene, arguments=()):
    """Runs createScene(root) of the file in a scene. root is a node of Sofa.Core; the arguments
    are sys.argv[1:]."""
    from Sofa import Core
    path = os.path.abspath(path)
    folder, before, old = os.path.dirname(path), list(sys.path), sys.argv
    sys.argv = [path, *arguments]
    sys.path.insert(0, folder)
    scene.context.add_data_path(folder)
    try:
        values = runpy.run_path(path, run_name="csofa_scene")
        if "createScene" not in values:
            text = "there is no function createScene(root)"
            raise Error(f"{path}: {text}", 3, [Message(ERROR, text, path)])
        values["createScene"](Core.root_of(scene))
    finally:
        sys.argv = old
        # imports of controllers come later
        if folder not in before:
            before.append(folder)
        sys.path[:] = before
    return scene


def load(path, context, arguments):
    if not os.path.exists(path):
        text = "no such scene file"
        raise Error(f"{path}: {text}", 4, [Message(ERROR, text, path)])
    return run(path, new_scene(context), arguments)

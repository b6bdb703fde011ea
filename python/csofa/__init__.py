# SPDX-License-Identifier: LGPL-2.1-or-later
"""csofa from Python: load a scene, step it, read and change it. docs/python.md explains it.

    import csofa
    scene = csofa.load("beam.scn")
    scene.step(100)
    print(scene["/beam/state"].position)      # (n, 3), m
"""
from ._context import (DEPRECATED, ERROR, FATAL, INFO, WARNING, Context, Error, Message,
                       NotFoundError, log_message, on_message)
from ._controller import Controller
from ._library import lib as _lib
from ._object import Node, Object
from ._scene import Scene, adopt, load, load_text, new_scene
from ._values import View

__version__ = _lib.csofa_version().decode()
__all__ = ["Context", "Controller", "Error", "Message", "Node", "NotFoundError", "Object", "Scene",
           "View", "load", "load_text", "log_message", "new_scene", "on_message", "DEPRECATED",
           "ERROR", "FATAL", "INFO", "WARNING"]

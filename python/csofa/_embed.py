# SPDX-License-Identifier: LGPL-2.1-or-later
"""What the plugin SofaPython3 calls. Functions return the text of an error, or ""."""
import os
import sys
import traceback

from . import _saved, _scene, _script
from ._call import place_of
from ._context import Error

_scenes = {}  # of this process, by address

# a program that ends does not end the interpreter
sys.stdout.reconfigure(line_buffering=True)


def _explain(error):
    """One line: the innermost line of the script, and what went wrong. What csofa did not refuse
    itself is a mistake of the script: the way to it goes to stderr."""
    place = place_of(error)
    if not isinstance(error, Error) and not isinstance(error.__cause__, Error):
        traceback.print_exception(error)
    text = str(error).replace("\n", "; ")
    return f"{place}{text if isinstance(error, Error) else f'{type(error).__name__}: {text}'}"


def load(path, pointer, arguments):
    """arguments: "A,B", of the command line."""
    from Sofa import Core
    try:
        scene = _scenes[pointer] = _scene.adopt(pointer)
        Core.share(scene.context)
        arguments = arguments.split(",") if arguments else []
        if not any(sys.argv):  # the interpreter of another program: they stay for controllers
            sys.argv = [os.path.abspath(path), *arguments]
        _script.run(path, scene, arguments)
    except (Exception, SystemExit) as error:
        return _explain(error) or "the program ended itself"
    return ""


def event(pointer, kind, dt, key):
    scene = _scenes.get(pointer)
    if scene is None or not scene._controllers:
        return ""
    try:
        if kind == "init":
            scene._become_ready()
            scene._init_controllers()
        elif kind == "reset":
            for controller in list(scene._controllers):
                controller.reset()
        elif kind.startswith("Key"):
            scene._send(kind, {"key": chr(key), "isHandled": False})
        else:
            scene._send(kind, {"dt": dt, "isHandled": False})
    except (Exception, SystemExit) as error:
        return _explain(error) or "the program ended itself"
    return ""


def unsaved(pointer):
    """The objects of Python that a saved state does not have."""
    scene = _scenes.get(pointer)
    return ", ".join(_saved.names_of_others(scene)) if scene is not None else ""


def end(pointer):
    scene = _scenes.pop(pointer, None)
    if scene is not None:
        scene.close()
    sys.stdout.flush()
    sys.stderr.flush()

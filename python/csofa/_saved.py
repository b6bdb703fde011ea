# SPDX-License-Identifier: LGPL-2.1-or-later
"""Objects written in Python in saved states: what their saveState() returns, as JSON."""
import base64
import ctypes
import json
import weakref

from ._call import guard
from ._library import RestoreFunction, SaveFunction, lib


def is_saved(thing):
    """Has the object both methods?"""
    has = [hasattr(type(thing), name) for name in ("saveState", "restoreState")]
    if any(has) and not all(has):
        raise TypeError(f"{type(thing).__name__} has one of saveState and restoreState: "
                        "both are needed")
    return all(has)


def path_of(thing):
    return f"{thing.getContext().getPathName().rstrip('/')}/{thing.getName()}"


def names_of_others(scene):
    """The paths of the objects that are not saved."""
    return [path_of(thing) for thing in scene._controllers if not is_saved(thing)]


def _encode(thing):
    value = thing.saveState()
    if isinstance(value, (bytes, bytearray)):
        return {"path": path_of(thing), "bytes": base64.b64encode(value).decode("ascii")}
    try:
        return {"path": path_of(thing), "json": json.loads(json.dumps(value))}
    except (TypeError, ValueError) as error:
        raise TypeError(f"{thing!r}: saveState returned what is neither bytes nor a value of "
                        f"JSON: {error}") from None


def _decode(entry):
    return base64.b64decode(entry["bytes"]) if "bytes" in entry else entry["json"]


def _restore(scene, text):
    things = [thing for thing in scene._controllers if is_saved(thing)]
    entries = json.loads(text) if text else []
    expected, found = [path_of(thing) for thing in things], [entry["path"] for entry in entries]
    if expected != found:
        raise ValueError(f"the saved state is of the Python objects {found}, the scene has "
                         f"{expected}")
    for thing, entry in zip(things, entries):
        thing._init_once()
        thing.restoreState(_decode(entry))


def connect(scene):
    """Lets the library save and restore the objects of the scene that can be."""
    weak = weakref.ref(scene)

    def write(here, to):
        entries = [_encode(thing) for thing in here._controllers if is_saved(thing)]
        text = json.dumps(entries).encode("ascii")
        lib.csofa_put_bytes(to, text, len(text))

    def save(_user, to):
        here = weak()
        return guard(here, write, here, to) if here is not None else 0

    def restore(_user, data, n):
        here = weak()
        return guard(here, _restore, here, ctypes.string_at(data, n) if n else b"") if here is not None else 0

    functions = (SaveFunction(save), RestoreFunction(restore))
    scene._held.functions.append(functions)  # as long as the scene of the library
    scene._check(lib.csofa_on_save(scene._pointer(), *functions, None))

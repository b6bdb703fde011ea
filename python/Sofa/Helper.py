# SPDX-License-Identifier: LGPL-2.1-or-later
"""Messages."""
import csofa
from csofa import _context

_NAMES = {csofa.INFO: "Info", csofa.DEPRECATED: "Deprecated", csofa.WARNING: "Warning",
          csofa.ERROR: "Error", csofa.FATAL: "Fatal"}


def _send(severity, arguments):
    *place, text = arguments
    emitter = path = None
    if place:
        path = place[0].getPathName() if hasattr(place[0], "getPathName") else None
        emitter = None if path else str(place[0])
    message = csofa.Message(severity, str(text), path=path, emitter=emitter)
    handler = _context._usual[0]
    if handler:
        handler(message)


def msg_info(*arguments):
    """msg_info(text), msg_info(emitter, text), msg_info(object, text)"""
    _send(csofa.INFO, arguments)


def msg_deprecated(*arguments):
    _send(csofa.DEPRECATED, arguments)


def msg_warning(*arguments):
    _send(csofa.WARNING, arguments)


def msg_error(*arguments):
    _send(csofa.ERROR, arguments)


def msg_fatal(*arguments):
    _send(csofa.FATAL, arguments)


class MessageHandler:
    """with a handler, messages go to its process(dict) instead of the usual place."""

    def process(self, message):
        raise NotImplementedError

    def _receive(self, m):
        self.process({"type": _NAMES[m.severity], "message": m.text, "file": m.file, "line": m.line,
                      "sender": m.path or m.emitter or "csofa", "component": m.path})

    def __enter__(self):
        self._before = csofa.on_message(self._receive)
        return self

    def __exit__(self, *_):
        csofa.on_message(self._before)


def getBuildDir():
    return ""

# SPDX-License-Identifier: LGPL-2.1-or-later
"""Contexts, errors and messages."""
import ctypes
import logging
import os
import re
import weakref

from ._library import MessageFunction, lib

INFO, DEPRECATED, WARNING, ERROR, FATAL = range(5)
_LEVELS = {INFO: logging.INFO, DEPRECATED: logging.WARNING, WARNING: logging.WARNING,
           ERROR: logging.ERROR, FATAL: logging.CRITICAL}
_log = logging.getLogger("csofa")


class Message:
    """A message of csofa. Members that are not known are None."""

    __slots__ = ("severity", "text", "file", "line", "path", "emitter")

    def __init__(self, severity, text, file=None, line=0, path=None, emitter=None):
        self.severity, self.text, self.emitter = severity, text, emitter
        self.file, self.line, self.path = file, line or None, path

    def __str__(self):
        place = f"{self.file}:{self.line}: " if self.file and self.line else ""
        return f"{place}{self.path + ': ' if self.path else ''}{self.text}"


class Error(RuntimeError):
    """A call that failed. `message` is the text without its place; `messages` are all errors of
    the call; `object` is a path, `file` and `line` the place in the scene, or None; `code` is the
    number of the error in csofa/csofa.h."""

    def __init__(self, text, code=0, messages=()):
        super().__init__(text)
        self.code, self.messages = code, list(messages)
        first = self.messages[0] if self.messages else Message(ERROR, text)
        self.message, self.object = first.text, first.path
        self.file, self.line = first.file, first.line


class NotFoundError(Error, KeyError):
    """An object, field, file or class that does not exist."""
    __str__ = RuntimeError.__str__


_CODE_NOT_FOUND = 4


def text_of(value):
    return value.decode("utf-8", "replace") if value is not None else None


def log_message(message):
    """The usual handler: Python's logging, logger "csofa"."""
    _log.log(_LEVELS[message.severity], "%s", message)


class _Held:
    """A context of the library; the last user destroys it. Scenes and views keep it."""

    def __init__(self, pointer, function=None):
        self.pointer = pointer
        if function is not None:
            weakref.finalize(self, _destroy, pointer, function)


def _destroy(pointer, _function):  # the function lives as long as the context
    lib.csofa_destroy(pointer)


def _receiver(context_of):
    """The function that the library calls; it does not keep the context, which keeps it."""
    def receive(_user, severity, text, file, line, path, emitter):
        context = context_of()
        if context is not None:
            context._receive(Message(severity, text_of(text), text_of(file), line, text_of(path),
                                     text_of(emitter)))
    return receive


class Context:
    """Options and messages that scenes share. threads: of a step; options: words of csofa_create
    ("quirks", "keep-going", "strict", "sandbox", "trust-scene"). One thread at a time uses a
    context; several contexts are independent."""

    def __init__(self, threads=1, options="", _pointer=None):
        if _pointer is None:
            out = ctypes.c_void_p()
            code = lib.csofa_create(f"threads={int(threads)} {options}".encode(), ctypes.byref(out))
            if code:
                raise Error(f"these options cannot be: '{options}', threads={threads}", code)
            receive = MessageFunction(_receiver(weakref.ref(self)))
            self._held = _Held(out.value, receive)
            lib.csofa_on_message(out, receive, None)
        else:
            self._held = _Held(_pointer)
        self._errors, self._handlers = [], []
        self.threads = int(threads)
        self._scenes = weakref.WeakSet()
        if _pointer is None and os.environ.get("CSOFA_DATA_PATH"):
            self.add_data_path(os.environ["CSOFA_DATA_PATH"])

    def _receive(self, message):
        if message.severity >= ERROR:
            self._errors.append(message)  # of an exception, if the call fails
        else:
            self._pass_on(message)

    def _pass_on(self, message):
        for handler in self._handlers or [_usual[0]]:
            if handler:
                handler(message)

    def on_message(self, handler):
        """Messages of this context go to the function, too; it gets a Message. Returns a function
        that removes it. Handlers do not call functions of the same context."""
        self._handlers.append(handler)
        return lambda: self._handlers.remove(handler)

    def check(self, code):
        """Raises the error of a call."""
        errors, self._errors = self._errors, []
        if not code:
            for message in errors:
                self._pass_on(message)
            return
        text = text_of(lib.csofa_last_error(self._held.pointer)) or text_of(lib.csofa_err_text(code))
        kind = NotFoundError if code == _CODE_NOT_FOUND else Error
        messages = errors or [_placed(line) for line in text.split("\n")]
        raise kind(text, code, messages)

    def fail(self, code=_CODE_NOT_FOUND):
        """Raises the error of a call that returned nothing."""
        self.check(code)

    def load_plugin(self, name):
        self.check(lib.csofa_load_plugin(self._held.pointer, name.encode()))

    def add_data_path(self, folders):
        self.check(lib.csofa_add_data_path(self._held.pointer, str(folders).encode()))

    def add_plugin_path(self, folders):
        self.check(lib.csofa_add_plugin_path(self._held.pointer, str(folders).encode()))

    def has_class(self, name):
        return bool(lib.csofa_has_class(self._held.pointer, name.encode()))


def _placed(line):
    """A Message of a line of csofa_last_error: "file:12: /path: text"."""
    match = re.match(r"(?:(?P<file>[^:\s][^:]*):(?P<line>\d+): )?(?:(?P<path>/[^:\s]*): )?(?P<t>.*)",
                     line)
    return Message(ERROR, match["t"], match["file"], int(match["line"] or 0), match["path"])


_usual = [log_message]  # of all contexts without a handler of their own


def on_message(handler):
    """Messages of contexts without a handler go to the function, which gets a Message; None: to
    nobody. At the start they go to Python's logging. Returns the previous handler."""
    before, _usual[0] = _usual[0], handler
    return before

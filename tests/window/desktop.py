#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""What a person at a desktop does to a window: a file dragged onto it (as a file manager does, by
the XDND protocol), and the mouse and keyboard of the X server (xdotool). Run inside a display.

usage: desktop.py PROGRAM SCENE SCRIPT STEPS
SCRIPT is what the window plays; STEPS has a line per action, done one after the other:
  after FILE        waits until the script has written it
  drop FILE         drags it onto the window
  xdotool WORDS     such as `mousemove 100 10 click 1`; places are those of the window"""
import ctypes, os, subprocess, sys, time
from ctypes import byref, c_char_p, c_int, c_long, c_ubyte, c_uint, c_ulong, c_void_p, POINTER

LONGEST = 120  # seconds to wait for anything

CLIENT_MESSAGE, SELECTION_REQUEST, SELECTION_NOTIFY = 33, 30, 31


class ClientMessage(ctypes.Structure):
    _fields_ = [("type", c_int), ("serial", c_ulong), ("send_event", c_int), ("display", c_void_p),
                ("window", c_ulong), ("message_type", c_ulong), ("format", c_int),
                ("l", c_long * 5)]


class SelectionRequest(ctypes.Structure):
    _fields_ = [("type", c_int), ("serial", c_ulong), ("send_event", c_int), ("display", c_void_p),
                ("owner", c_ulong), ("requestor", c_ulong), ("selection", c_ulong),
                ("target", c_ulong), ("property", c_ulong), ("time", c_ulong)]


class SelectionNotify(ctypes.Structure):
    _fields_ = [("type", c_int), ("serial", c_ulong), ("send_event", c_int), ("display", c_void_p),
                ("requestor", c_ulong), ("selection", c_ulong), ("target", c_ulong),
                ("property", c_ulong), ("time", c_ulong)]


class Event(ctypes.Union):
    _fields_ = [("type", c_int), ("client", ClientMessage), ("request", SelectionRequest),
                ("notify", SelectionNotify), ("pad", c_long * 24)]


class Desktop:
    """A connection to the X server."""

    def __init__(self):
        x = self.x = ctypes.CDLL("libX11.so.6")
        x.XOpenDisplay.restype = c_void_p
        x.XOpenDisplay.argtypes = [c_char_p]
        x.XDefaultRootWindow.restype = c_ulong
        x.XDefaultRootWindow.argtypes = [c_void_p]
        x.XInternAtom.restype = c_ulong
        x.XInternAtom.argtypes = [c_void_p, c_char_p, c_int]
        x.XCreateSimpleWindow.restype = c_ulong
        x.XCreateSimpleWindow.argtypes = [c_void_p, c_ulong, c_int, c_int, c_uint, c_uint, c_uint,
                                          c_ulong, c_ulong]
        x.XSetSelectionOwner.argtypes = [c_void_p, c_ulong, c_ulong, c_ulong]
        x.XSendEvent.argtypes = [c_void_p, c_ulong, c_int, c_long, POINTER(Event)]
        x.XNextEvent.argtypes = [c_void_p, POINTER(Event)]
        x.XPending.argtypes = x.XFlush.argtypes = [c_void_p]
        x.XChangeProperty.argtypes = [c_void_p, c_ulong, c_ulong, c_ulong, c_int, c_int,
                                      POINTER(c_ubyte), c_int]
        x.XQueryTree.argtypes = [c_void_p, c_ulong, POINTER(c_ulong), POINTER(c_ulong),
                                 POINTER(POINTER(c_ulong)), POINTER(c_uint)]
        x.XSetInputFocus.argtypes = [c_void_p, c_ulong, c_int, c_ulong]
        x.XFetchName.argtypes = [c_void_p, c_ulong, POINTER(c_char_p)]
        self.display = x.XOpenDisplay(None)
        self.root = x.XDefaultRootWindow(self.display)
        self.own = x.XCreateSimpleWindow(self.display, self.root, 0, 0, 1, 1, 0, 0, 0)

    def atom(self, name):
        return self.x.XInternAtom(self.display, name.encode(), 0)

    def find(self, word):
        """The window with the word in its title, None: not there."""
        root, parent, n = c_ulong(), c_ulong(), c_uint()
        children = POINTER(c_ulong)()
        self.x.XQueryTree(self.display, self.root, byref(root), byref(parent), byref(children),
                          byref(n))
        for i in range(n.value):
            name = c_char_p()
            self.x.XFetchName(self.display, children[i], byref(name))
            if name.value and word.encode() in name.value:
                return children[i]
        return None

    def focus(self, window):
        """There is no window manager that would do it."""
        self.x.XSetInputFocus(self.display, window, 2, 0)
        self.x.XFlush(self.display)

    def tell(self, window, message, numbers):
        event = Event()
        event.client.type, event.client.window, event.client.format = CLIENT_MESSAGE, window, 32
        event.client.display = self.display
        event.client.message_type = self.atom(message)
        for i, number in enumerate(numbers):
            event.client.l[i] = number
        self.x.XSendEvent(self.display, window, 0, 0, byref(event))
        self.x.XFlush(self.display)

    def hear(self, message, text):
        """Waits for a message of the window; hands the dragged text over when it is asked for."""
        end = time.time() + LONGEST
        while time.time() < end:
            if not self.x.XPending(self.display):
                time.sleep(0.01)
                continue
            event = Event()
            self.x.XNextEvent(self.display, byref(event))
            if event.type == SELECTION_REQUEST:
                self.hand_over(event.request, text)
            elif event.type == CLIENT_MESSAGE and event.client.message_type == self.atom(message):
                return list(event.client.l)
        sys.exit("no %s came" % message)

    def hand_over(self, request, text):
        data = (c_ubyte * len(text)).from_buffer_copy(text)
        self.x.XChangeProperty(self.display, request.requestor, request.property, request.target,
                               8, 0, data, len(text))
        event = Event()
        event.notify.type, event.notify.display = SELECTION_NOTIFY, self.display
        for name in ("requestor", "selection", "target", "property", "time"):
            setattr(event.notify, name, getattr(request, name))
        self.x.XSendEvent(self.display, request.requestor, 0, 0, byref(event))
        self.x.XFlush(self.display)

    def drop(self, window, path):
        text = ("file://" + path.replace(" ", "%20") + "\r\n").encode()
        self.x.XSetSelectionOwner(self.display, self.atom("XdndSelection"), self.own, 0)
        self.tell(window, "XdndEnter", [self.own, 5 << 24, self.atom("text/uri-list"), 0, 0])
        self.tell(window, "XdndPosition",
                  [self.own, 0, 300 << 16 | 300, 0, self.atom("XdndActionCopy")])
        if not self.hear("XdndStatus", text)[1] & 1:
            sys.exit("the window takes no files")
        self.tell(window, "XdndDrop", [self.own, 0, 0, 0, 0])
        self.hear("XdndFinished", text)


def until(condition, what, child):
    end = time.time() + LONGEST
    while not condition():
        if time.time() > end or child.poll() is not None:
            sys.exit("waited in vain for " + what)
        time.sleep(0.02)


def play(desktop, child, line):
    word, _, rest = line.strip().partition(" ")
    if word == "after":
        until(lambda: os.path.exists(rest), rest, child)
    elif word == "drop":
        desktop.drop(desktop.find("csofa"), rest)
    elif word == "xdotool":
        desktop.focus(desktop.find("csofa"))
        subprocess.run(["xdotool"] + rest.split(), check=True)


def main():
    program, scene, script, steps = sys.argv[1:5]
    child = subprocess.Popen([program, "-g", "imgui", scene],
                             env=dict(os.environ, CSOFA_UI_SCRIPT=script))
    desktop = Desktop()
    try:
        until(lambda: desktop.find("csofa"), "the window", child)
        for line in open(steps, encoding="utf-8"):
            if line.strip():
                play(desktop, child, line)
        return child.wait(LONGEST)
    finally:
        if child.poll() is None:
            child.kill()


if __name__ == "__main__":
    sys.exit(main())

# SPDX-License-Identifier: LGPL-2.1-or-later
"""Scenes: load, step, read, change, save."""
import ctypes
import os
import weakref

from . import _draw, _saved, _values
from ._call import guard
from ._context import Context, Error, Message, NotFoundError, ERROR, _CODE_NOT_FOUND
from ._library import EventFunction, lib
from ._matrix import as_scipy, assemble
from ._modes import modes
from ._object import Node, Object

PYTHON_SCENES = (".py", ".py3", ".pyscn", ".py3scn")

# names of SofaPython3
EVENTS = {"animateBegin": "AnimateBeginEvent", "animateEnd": "AnimateEndEvent",
          "collisionBegin": "CollisionBeginEvent", "collisionEnd": "CollisionEndEvent",
          "integrateBegin": "IntegrateBeginEvent", "integrateEnd": "IntegrateEndEvent",
          "mappingEnd": "UpdateMappingEndEvent", "keyPressed": "KeypressedEvent",
          "keyReleased": "KeyreleasedEvent",
          "constraintsBuilt": "BuildConstraintSystemEndEvent",
          "constraintsSolved": "SolveConstraintSystemEndEvent"}


class _Held:
    """A scene of the library. It is destroyed when the scene and all arrays that show its memory
    are gone."""

    def __init__(self, context, pointer, owned=True):
        self.context = context._held  # lives longer
        self.pointer = pointer
        self.functions = []  # that the library calls
        if owned:
            weakref.finalize(self, _destroy, self.context, pointer)


def _destroy(_context, pointer):
    lib.csofa_destroy_scene(pointer)


class Scene:
    """A scene. scene["/body/state"] is an object, scene.root the root node."""

    def __init__(self, context, pointer, owned=True):
        self.context = context
        self._held = _Held(context, pointer, owned)
        self._lent = _values.Lent()
        self._controllers = []
        self._fields = {}  # found so far, by object and name
        self._known = weakref.WeakValueDictionary()
        self._embedded = not owned  # another program makes the steps and sends the events
        self._initialised = False
        self._hears = False
        self._saves = False
        self._draws = False
        context._scenes.add(self)
        self._raised = None  # by a function that the library called

    # ---- inside ----

    def _pointer(self):
        if self._held is None:
            raise ValueError("the scene is closed")
        return self._held.pointer

    def _check(self, code):
        raised, self._raised = self._raised, None
        if raised is not None:
            self.context._errors.clear()
            raise raised
        if code or self.context._errors:
            self.context.check(code)

    def _fail(self):
        self.context.fail()

    def _missing(self, text):
        raise NotFoundError(text, _CODE_NOT_FOUND, [Message(ERROR, text)])

    def _wrap(self, number, kinds):
        if not number:
            return None
        key = (number, kinds[0])
        found = self._known.get(key)
        if found is None:
            node = lib.csofa_is_node(self._pointer(), number)
            found = kinds[0 if node else 1](self, number)
            self._known[key] = found
        return found

    def _root(self, kinds):
        return self._wrap(lib.csofa_root(self._pointer()), kinds)

    # ---- objects ----

    @property
    def root(self):
        return self._root((Node, Object))

    def __getitem__(self, path):
        return self.root[path]

    def find(self, path):
        """None: there is none."""
        return self.root.find(path)

    def __iter__(self):
        """All objects, node after node, without the nodes."""
        nodes = [self.root]
        while nodes:
            node = nodes.pop(0)
            yield from node.objects
            nodes = node.children + nodes

    # ---- running ----

    def init(self):
        """Initialises the scene, or what was added since. step calls it."""
        self._check(lib.csofa_init(self._pointer()))
        if not self._initialised:
            self._become_ready()
        self._init_controllers()

    def _become_ready(self):
        """The library has initialised the scene: controllers get to know."""
        self._init_controllers()
        self._initialised = True
        self._send("SimulationInitDoneEvent", {"isHandled": False})
        self._check(lib.csofa_init(self._pointer()))  # what they added

    def _init_controllers(self):
        for controller in list(self._controllers):
            controller._init_once()

    def step(self, n=1):
        """Makes n steps. A step that fails raises Error and leaves the state of the step before."""
        if self._controllers or not self._initialised:
            self.init()
        self._check(lib.csofa_step(self._pointer(), n))

    def _listen(self):
        """Events of the library reach controllers. A program that embeds Python sends them itself."""
        if self._embedded or self._hears:
            return
        self._hears = True
        scene = weakref.ref(self)

        def hear(_user, event, key, dt):
            name = EVENTS.get(event.decode())
            here = scene()
            if here is None or name is None or not here._controllers:
                return 0
            values = {"key": chr(key)} if name.startswith("Key") else {"dt": dt}
            return guard(here, here._send, name, dict(values, isHandled=False))

        function = EventFunction(hear)
        self._held.functions.append(function)  # as long as the scene of the library
        self._check(lib.csofa_on_event(self._pointer(), function, None))

    def _keep(self, thing):
        """An object written in Python that has saveState and restoreState is part of saved states;
        what has draw() is drawn."""
        if _saved.is_saved(thing) and not self._saves:
            self._saves = True
            _saved.connect(self)
        if _draw.draws(thing) and not self._draws:
            self._draws = True
            _draw.connect(self)

    def _send(self, kind, event):
        for controller in list(self._controllers):
            controller._handle(kind, dict(event, type=kind))

    def run_until(self, time):
        """Steps while scene.time + dt/2 < time."""
        if self._controllers or not self._initialised:
            self.init()
        self._check(lib.csofa_run_until(self._pointer(), time))

    def reset(self):
        self._check(lib.csofa_reset(self._pointer()))
        for controller in list(self._controllers):
            controller.reset()

    def send_key(self, key, pressed=True):
        """A key ("A" or its number) goes to the objects that listen, and to controllers."""
        number = key if isinstance(key, int) else ord(key)
        self._check(lib.csofa_send_key(self._pointer(), number, int(pressed)))

    @property
    def time(self):
        return lib.csofa_time(self._pointer())

    @property
    def dt(self):
        return lib.csofa_dt(self._pointer())

    @dt.setter
    def dt(self, value):
        self.root.set("dt", value)

    @property
    def steps(self):
        return lib.csofa_steps(self._pointer())

    def energies(self):
        """Kinetic and potential energy, J."""
        kinetic, potential = ctypes.c_double(), ctypes.c_double()
        self._check(lib.csofa_energies(self._pointer(), ctypes.byref(kinetic),
                                       ctypes.byref(potential)))
        return kinetic.value, potential.value

    # ---- matrices ----

    def matrix(self, obj, m=0.0, b=0.0, k=1.0, project=False):
        """m M + b dF/dv + k dF/dx of the solver of an object (or path) at the present state, as a
        scipy.sparse.csr_matrix; without scipy the arrays (start, columns, values). Rows are
        velocities of independent states (matrix_row). project: rows and columns that projective
        constraints hold are those of the unit matrix. The values are a copy."""
        return as_scipy(*self._assemble(obj, (m, b, k), project))

    def _assemble(self, obj, factors, project=False):
        if not self._initialised and not self._embedded:
            self.init()
        return assemble(self, self[obj] if isinstance(obj, str) else obj, factors, project)

    def matrix_row(self, state):
        """The first row of a state (or path) in matrices; None: no solver moves it, or it is
        mapped."""
        state = self[state] if isinstance(state, str) else state
        row = lib.csofa_sparse_row(self._pointer(), state._id)
        return row if row >= 0 else None

    def modes(self, n):
        """The n lowest modes of vibration of the scene's one ODE solver at the present state, as
        tuples (value, frequency, rigid, mass, shape)."""
        return self._modes(n, False)

    def buckling(self, n):
        """Linear buckling of the same: the n lowest factors of the scene's loads, fewer where
        there are fewer, as tuples of the same kind."""
        return self._modes(n, True)

    def _modes(self, n, buckling):
        if not self._initialised and not self._embedded:
            self.init()
        return modes(self, n, buckling)

    # ---- saving, closing ----

    def xml(self):
        text = lib.csofa_xml(self._pointer())
        if text is None:
            self._fail()
        return text.decode("utf-8")

    def save(self, path):
        self._check(lib.csofa_save_xml(self._pointer(), _values.encode(os.fspath(path))))

    def save_state(self, path):
        """Writes the whole state of the run; restore_state goes on from it with the same bits."""
        self._check(lib.csofa_save_state(self._pointer(), _values.encode(os.fspath(path))))

    def restore_state(self, path):
        """Takes over a state that save_state, or runcsofa --save-state, wrote of the same scene."""
        self._check(lib.csofa_restore_state(self._pointer(), _values.encode(os.fspath(path))))

    def close(self):
        """Ends the scene; also done when nobody uses it. Arrays of it stay readable."""
        self._held = None
        self._controllers = []

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def __repr__(self):
        if self._held is None:
            return "<closed scene>"
        return f"<Scene time={self.time:g} steps={self.steps}>"


def _new(context, function, *arguments):
    context = context or Context()
    out = ctypes.c_void_p()
    context.check(function(context._held.pointer, *arguments, ctypes.byref(out)))
    return Scene(context, out.value)


def load(path, context=None, arguments=(), **options):
    """Reads a scene file (.scn, .xml), or runs createScene(root) of a Python file. It is not
    initialised, so that fields can be set first. arguments: texts, sys.argv[1:] of a Python file.
    options: those of Context."""
    path = os.fspath(path)
    context = context or Context(**options)
    if path.endswith(PYTHON_SCENES):
        from . import _script
        return _script.load(path, context, arguments)
    if arguments:
        raise ValueError(f"{path}: the scene takes no arguments: only a Python program does")
    return _new(context, lib.csofa_load, _values.encode(path))


def load_text(xml, folder=None, context=None, **options):
    """The same of XML text. Names of files are relative to `folder`."""
    return _new(context or Context(**options), lib.csofa_load_text, _values.encode(xml),
                _values.encode(folder) if folder else None)


def new_scene(context=None, **options):
    """An empty scene."""
    return _new(context or Context(**options), lib.csofa_new_scene)


def adopt(pointer):
    """A scene of a program that embeds Python, which goes on to own it."""
    context = Context(_pointer=lib.csofa_context_of(pointer))
    return Scene(context, pointer, owned=False)

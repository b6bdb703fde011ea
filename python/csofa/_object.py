# SPDX-License-Identifier: LGPL-2.1-or-later
"""Objects and nodes of a scene."""
import ctypes

import numpy as np

from . import _values
from ._call import guard
from ._draw import connect_object as connect_drawing
from ._library import EventFunction, UpdateFunction, lib
from ._mapping import connect as connect_mapping
from ._values import encode


def _own(name):
    """Is it an attribute of the Python object, not a field?"""
    return name.startswith("_")


class Handle:
    """What objects and nodes have in common. The number of an object that was removed finds
    nothing: calls raise NotFoundError."""

    def __init__(self, scene, number):
        object.__setattr__(self, "_scene", scene)
        object.__setattr__(self, "_id", number)

    def __eq__(self, other):
        return isinstance(other, Handle) and self._id == other._id and (
            self._scene._held is other._scene._held)

    def __hash__(self):
        return hash(self._id)

    def _text(self, function):
        text = function(self._scene._pointer(), self._id)
        if text is None:
            self._scene._fail()
        return text.decode("utf-8", "replace")

    # ---- names ----

    def getName(self):
        return self._text(lib.csofa_name)

    def getPathName(self):
        """"/body/state"."""
        return self._text(lib.csofa_path)

    def getLinkPath(self):
        """"@/body/state", the value of a link to this object."""
        return "@" + self.getPathName()

    _link_text = getLinkPath

    def getClassName(self):
        return self._text(lib.csofa_class)

    def getTemplateName(self):
        return self._text(lib.csofa_template)

    def getCategories(self):
        return [self._text(lib.csofa_category)]

    def exists(self):
        """False: it was removed, or its scene closed."""
        try:
            return bool(self.getClassName())
        except Exception:  # of any kind: the scene may be closed
            return False

    def getContext(self):
        """The node of an object; of a node itself."""
        return self if self._is_node() else self._parent()

    def _is_node(self):
        return bool(lib.csofa_is_node(self._scene._pointer(), self._id))

    def _parent(self):
        return self._scene._wrap(lib.csofa_parent(self._scene._pointer(), self._id), self._kinds())

    def _kinds(self):
        raise NotImplementedError

    # ---- fields ----

    def fields(self):
        """Names of all fields."""
        scene = self._scene._pointer()
        n = lib.csofa_n_fields(scene, self._id)
        return [lib.csofa_field_name(scene, self._id, i).decode() for i in range(n)]

    def has(self, field):
        return bool(lib.csofa_has_field(self._scene._pointer(), self._id, encode(field)))

    def get(self, field):
        """The value of a field: str, float, int, bool, or a numpy view (csofa.View)."""
        return _values.get(self, field)

    def set(self, field, value):
        """Sets it from a text as in a scene file ("@path" links), numbers, arrays, or an object."""
        _values.put(self, field, value)

    def text(self, field):
        text = lib.csofa_get_text(self._scene._pointer(), self._id, encode(field))
        if text is None:
            self._scene._fail()
        return text.decode("utf-8", "replace")

    def linked(self, field):
        """The object that a link leads to, or that gives the value of the field; None."""
        number = lib.csofa_linked_object(self._scene._pointer(), self._id, encode(field))
        return self._scene._wrap(number, self._kinds()) if number else None

    def link(self, field):
        """"@/path.field" of the field that the value comes from, "@/path" of a link; ""."""
        return self._describe(lib.csofa_field_link, field)

    def help(self, field):
        return self._describe(lib.csofa_field_help, field)

    def unit(self, field):
        return self._describe(lib.csofa_field_unit, field)

    def default(self, field):
        return self._describe(lib.csofa_field_default, field)

    def type(self, field):
        return self._describe(lib.csofa_field_type, field)

    def _describe(self, function, field):
        text = function(self._scene._pointer(), self._id, encode(field))
        if text is None:
            self._scene._fail()
        return text.decode("utf-8", "replace")

    def is_set(self, field):
        return bool(_values.info(self, field)[3] & _values.SET)

    # ---- what objects do ----

    def add_force(self, point, force):
        """Adds to the external force (N; frames: force and torque) of a point of a mechanical
        state, for the next step only."""
        values = (ctypes.c_double * len(force))(*force)
        scene = self._scene
        scene._check(lib.csofa_add_force(scene._pointer(), self._id, point, len(force), values))

    def set_controller(self, function):
        """Of an ApplicationController: events call function(event, key, dt), in the step: event is
        "animateBegin", "keyPressed", ..."""
        scene = self._scene

        def call(_user, event, key, dt):
            return guard(scene, function, event.decode(), key, dt)

        self._set_function(lib.csofa_set_controller, EventFunction(call))

    def set_draw(self, function):
        """Of an ApplicationController: pictures of the scene call function(visual), which draws by
        the methods of visual.drawTool."""
        connect_drawing(self, function)

    def set_engine(self, function):
        """Of an ApplicationEngine: function() sets the outputs, when one is wanted and an input has
        changed."""
        scene = self._scene
        self._set_function(lib.csofa_set_engine,
                           UpdateFunction(lambda _user: guard(scene, function)))

    def set_mapping(self, mapping, source, target):
        """Of an ApplicationMapping from the state `source` to `target`: it calls
        mapping.apply(params, x_out, x_in), and mapping.jacobian(params, x_in), which returns rows
        of (row, column, value) or a scipy matrix, or applyJ(params, v_out, v_in)."""
        connect_mapping(mapping, self, source, target)

    def _set_function(self, setter, function):
        scene = self._scene
        scene._held.functions.append(function)  # as long as the scene of the library
        scene._check(setter(scene._pointer(), self._id, function, None))

    def add_elements(self, kind, vertices):
        """Of a topology that may change, or its modifier: adds elements of a kind ("tetrahedron",
        ...), each a row of vertices; "point": so many points."""
        if kind == "point":
            self._modify(lib.csofa_add_elements, kind, int(vertices), None)
            return
        rows = np.ascontiguousarray(vertices, np.uint32)
        if rows.ndim != 2:
            raise ValueError(f"expected a row of vertices for each {kind}, not an array of shape "
                             f"{rows.shape}")
        self._modify(lib.csofa_add_elements, kind, len(rows), rows)

    def remove_elements(self, kind, ids):
        """Removes elements, or points, by their current indices."""
        ids = np.ascontiguousarray(ids, np.uint32).ravel()
        self._modify(lib.csofa_remove_elements, kind, len(ids), ids)

    def _modify(self, function, kind, n, numbers):
        scene = self._scene
        if scene._lent.numbers():
            raise BufferError("arrays still show values of the scene, whose memory a topological "
                              "change may free: delete or copy them first")
        data = numbers.ctypes.data if numbers is not None else None
        scene._check(function(scene._pointer(), self._id, encode(kind), n, data))

    def remove(self):
        """Removes it from the scene; a node with all below it."""
        scene = self._scene
        if scene._lent.numbers() & set(self._below()):
            raise BufferError(f"arrays still show values of {self!r}: delete or copy them first")
        scene._controllers = [c for c in scene._controllers if c._node_id not in self._below()]
        scene._check(lib.csofa_remove(scene._pointer(), self._id))

    def _below(self):
        return [self._id]

    def __repr__(self):
        try:
            return f"<{self.getClassName()} {self.getPathName()}>"
        except Exception:
            return f"<removed object {self._id}>"

    def __dir__(self):
        return sorted(set(super().__dir__()) | set(self.fields()))


class NodeMethods:
    """What nodes add."""

    def _list(self, count, at):
        scene = self._scene._pointer()
        return [self._scene._wrap(at(scene, self._id, i), self._kinds())
                for i in range(count(scene, self._id))]

    @property
    def children(self):
        return self._list(lib.csofa_n_children, lib.csofa_child)

    @property
    def objects(self):
        return self._list(lib.csofa_n_objects, lib.csofa_object)

    def _below(self):
        numbers = [self._id] + [o._id for o in self.objects]
        for child in self.children:
            numbers += child._below()
        return numbers

    def find(self, path):
        """An object or node by a path from this node, "/..." from the root; None."""
        if path[:1] == "@":
            path = path[1:]
        number = lib.csofa_find(self._scene._pointer(), self._id, encode(path))
        return self._scene._wrap(number, self._kinds()) if number else None

    def __getitem__(self, path):
        found = self.find(path)
        if found is None:
            self._scene._missing(f"{self.getPathName()}: there is no object '{path}'")
        return found

    def getChild(self, name):
        return next((c for c in self.children if c.getName() == name), None)

    def getObject(self, name):
        return next((o for o in self.objects if o.getName() == name), None)

    def add_node(self, name, **attributes):
        number = ctypes.c_uint64()
        scene = self._scene
        scene._check(lib.csofa_add_node(scene._pointer(), self._id, encode(name),
                                        _values.attributes(attributes), ctypes.byref(number)))
        return scene._wrap(number.value, self._kinds())

    def add_object(self, kind, **attributes):
        number = ctypes.c_uint64()
        scene = self._scene
        scene._check(lib.csofa_add_object(scene._pointer(), self._id, encode(kind),
                                          _values.attributes(attributes), ctypes.byref(number)))
        return scene._wrap(number.value, self._kinds())

    def init(self):
        """Initialises what was added to a running scene."""
        self._scene.init()

    def energies(self):
        """Kinetic and potential energy of the whole scene, J."""
        return self._scene.energies()


class Object(Handle):
    """A component. Its fields are attributes: `mass.totalMass`, `state.position[3]`,
    `solver.rayleighMass = 0.1`."""

    def _kinds(self):
        return Node, Object

    @property
    def name(self):
        return self.getName()

    @property
    def path(self):
        return self.getPathName()

    @property
    def node(self):
        return self._parent()

    def __getattr__(self, name):
        if _own(name):
            raise AttributeError(name)
        try:
            return _values.get(self, name)
        except KeyError as error:
            raise AttributeError(str(error)) from None

    def __setattr__(self, name, value):
        if _own(name):
            object.__setattr__(self, name, value)
            return
        try:
            _values.put(self, name, value)
        except KeyError as error:
            raise AttributeError(str(error)) from None


class Node(NodeMethods, Object):
    """A node. Children and objects are attributes, too: `scene.root.body.state`."""

    def __getattr__(self, name):
        if _own(name):
            raise AttributeError(name)
        found = self.getChild(name) or self.getObject(name)
        return found if found is not None else Object.__getattr__(self, name)

    def add(self, kind, name=None, **attributes):
        """add(csofa.Node, "body") makes a child node; add("UniformMass", totalMass=1) a component;
        add(MyController()) a controller."""
        from ._controller import Controller
        if kind is Node:
            return self.add_node(name, **attributes)
        if isinstance(kind, Controller):
            return kind._enter(self)
        if name is not None:
            attributes["name"] = name
        return self.add_object(kind, **attributes)

    addObject = add

    def addChild(self, name, **attributes):
        return self.add_node(name, **attributes)

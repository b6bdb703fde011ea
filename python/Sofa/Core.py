# SPDX-License-Identifier: LGPL-2.1-or-later
"""Nodes, objects and data as SofaPython3 names them: the attribute of an object is a Data."""
from xml.sax.saxutils import quoteattr

import csofa
from csofa import _matrix
from csofa._draw import DrawTool, VisualParams
from csofa._library import lib
from csofa._object import Handle, NodeMethods

from . import _graft
from ._component import BaseController, Controller, Sourced
from ._data import Data, Field, LinkPath
from ._engine import DataEngine
from ._matrices import Rows, dense, mass_matrix, solved_matrix, stiffness_matrix
from ._lenient import leading_numbers
from ._mechanical import ForceField, Mapping, Mass, __getattr__  # noqa: F401
from ._springs import Spring, change_springs, springs_of
from ._tasks import TaskScheduler

__all__ = ["BaseController", "BaseObject", "Controller", "Data", "DataEngine", "DrawTool",
           "ForceField", "Mapping", "Mass", "Node", "Object", "TaskScheduler", "VisualParams"]
_shared = []  # the context of nodes that scripts make


def shared_context():
    if not _shared:
        _shared.append(csofa.Context())
    return _shared[0]


def share(context):
    """Scripts use this context from now on."""
    _shared[:] = [context]


def root_of(scene):
    """The root of a scene as such a node."""
    return scene._root((Node, Object))


class Base(Sourced, Handle):
    def _kinds(self):
        return Node, Object

    def getData(self, name):
        return self.findData(name)

    def findData(self, name):
        """None: there is no such field."""
        return Field(self, name) if self.has(name) else None

    def getDataFields(self):
        return {name: Field(self, name) for name in self.fields()}

    def setDataValues(self, **values):
        for name, value in values.items():
            self.set(name, value)

    def findLink(self, name):
        return Field(self, name) if self.has(name) else None

    def getRoot(self):
        return root_of(self._scene)

    def setName(self, name):
        self.set("name", name)

    def getLinkPath(self):
        return LinkPath(Handle.getLinkPath(self), self)

    linkpath = property(getLinkPath)
    _PLAIN = ("linkpath",)

    def __getattr__(self, name):
        if not name.startswith("_") and self.has(name):
            return Field(self, name)
        raise AttributeError(f"{self!r} has no field and no attribute '{name}'")

    def __setattr__(self, name, value):
        if name.startswith("_") or not self.has(name):
            # an attribute of the script: the scene keeps this object
            object.__setattr__(self, name, value)
            self._scene.__dict__.setdefault("_kept", {})[self._id] = self
        elif name != "name" or value != self.getName():
            self.set(name, value)


class Object(Base):
    """A component."""

    def reinit(self):
        """Takes changed fields over; the library has done so when they were set."""

    def init(self):
        """In a scene that runs: initialises what was added. Before that nothing: the scene does it,
        and outputs of engines are computed when they are read."""
        if self._scene._initialised:
            self._scene.init()

    def assembleMMatrix(self):
        """The matrix of a mass, of the rows of its state."""
        return mass_matrix(self)

    def assembleKMatrix(self):
        """dF/dx of a force field, of the rows of its state."""
        return stiffness_matrix(self)

    def addPoints(self, n, propagate=True):
        self.add_elements("point", n)

    def removePoints(self, ids, propagate=True):
        self.remove_elements("point", ids)

    # ---- of springs between two states ----

    def addSpring(self, first, second, stiffness, damping, length):
        change_springs(self, lambda rows: rows + [[first, second, stiffness, damping, length]])

    def removeSpring(self, number):
        change_springs(self, lambda rows: rows[:number] + rows[number + 1:])

    def clear(self, *_):
        change_springs(self, lambda rows: [])

    def getSprings(self):
        return [Spring(*row) for row in springs_of(self)]

    # ---- what the last step made ----

    def A(self):
        """The matrix of a linear system, or of the system of a linear solver: scipy.sparse."""
        return solved_matrix(self, "A")

    get_system_matrix = A

    def b(self):
        return _matrix.solved_vector(self._scene, self, "b")

    def x(self):
        return _matrix.solved_vector(self._scene, self, "x")

    get_rhs_vector, get_solution_vector = b, x

    def W(self):
        """The compliance of the constraints, (rows, rows)."""
        return dense(_matrix.solved(self._scene, self, "W"))

    def lambda_force(self):
        """The multipliers of all rows."""
        return _matrix.solved_vector(self._scene, self, "lambda")

    def __getattr__(self, name):
        if name == "constraint" and self.getCategories() == ["MechanicalState"]:
            return Rows(self)
        return Base.__getattr__(self, name)


BaseObject = Object


class _Names(list):
    """Objects of a node: by number, by name, and to go through."""

    def __getitem__(self, at):
        if isinstance(at, str):
            found = next((o for o in self if o.getName() == at), None)
            if found is None:
                raise KeyError(at)
            return found
        return list.__getitem__(self, at)

    def __contains__(self, item):
        return any(o.getName() == item for o in self) if isinstance(item, str) else (
            list.__contains__(self, item))


def _names_a_node(arguments):
    """(scene, number): of a node that is there."""
    return len(arguments) == 2 and isinstance(arguments[0], csofa.Scene)


def _scene_of_one_node(name):
    return csofa.load_text(f"<Node name={quoteattr(str(name))}/>", context=shared_context())


class Node(NodeMethods, Base):
    """A node. Node("root") makes a scene; so does an instance of a class of the script that is
    derived from it, which addChild then moves to its place."""

    def __new__(cls, *arguments, name="root", **_values):
        if cls is not Node or _names_a_node(arguments):
            return Base.__new__(cls)
        if len(arguments) > 1:
            raise TypeError(f"Node(name) takes one name, {len(arguments)} values were given")
        return root_of(_scene_of_one_node(arguments[0] if arguments else name))

    def __init__(self, *arguments, name="root", **values):
        if _names_a_node(arguments):
            Base.__init__(self, *arguments)
        elif type(self) is not Node:
            self._begin(arguments[0] if arguments else name)
        self.setDataValues(**values)

    def _begin(self, name):
        """Stands for the root of a new scene from now on."""
        scene = _scene_of_one_node(name)
        Base.__init__(self, scene, lib.csofa_root(scene._pointer()))
        scene._known[(self._id, Node)] = self
        scene.__dict__.setdefault("_kept", {})[self._id] = self

    def __enter__(self):
        return self

    def __exit__(self, *_):
        """with node.addChild("name") as child: for the eye."""

    @property
    def children(self):
        return _Names(NodeMethods.children.fget(self))

    @property
    def objects(self):
        return _Names(NodeMethods.objects.fget(self))

    @property
    def parents(self):
        scene, found = self._scene, []
        while number := lib.csofa_parent_at(scene._pointer(), self._id, len(found)):
            found.append(scene._wrap(number, self._kinds()))
        return _Names(found)

    def __getattr__(self, name):
        if name.startswith("_"):
            raise AttributeError(name)
        found = self._script_object(name) or self.getChild(name) or self.getObject(name)
        return found if found is not None else Base.__getattr__(self, name)

    def _script_object(self, name):
        return next((c for c in self._scene._controllers
                     if c.getContext() == self and c.getName() == name), None)

    def getTime(self):
        return self.time.value

    def getDt(self):
        return self.dt.value

    def setDt(self, value):
        self.dt = value

    def getGravity(self):
        return self.gravity.value

    def setGravity(self, value):
        self.gravity = value

    def getAnimate(self):
        return self.animate.value

    def setAnimate(self, value):
        self.animate = value

    def isActive(self):
        return self.activated.value

    def setActive(self, value):
        self.activated = value

    def getRootContext(self):
        return self.getRoot()

    def getState(self):
        return self.getMechanicalState()

    def addChild(self, child, **attributes):
        """A new node by its name; a node of this scene, which gets one more parent; or a node of
        another scene, which moves here."""
        if isinstance(child, str):
            return self._adding(self.add_node, child, attributes)
        if child._scene is self._scene:
            scene = self._scene
            scene._check(lib.csofa_add_parent(scene._pointer(), child._id, self._id))
            return child
        return _graft.move(child, self)

    def addObject(self, kind, **attributes):
        """A component by its class, or an instance of a class written in Python."""
        if not isinstance(kind, str):
            return kind._enter(self)
        # a component without a name has that of its class; RequiredPlugin's name is a plugin
        if kind != "RequiredPlugin" and self.getObject(kind) is None:
            attributes.setdefault("name", kind)
        return self._adding(self.add_object, kind, attributes)

    def _adding(self, function, name, attributes):
        try:
            return function(name, **attributes)
        except csofa.Error as error:
            repaired = leading_numbers(attributes, error)
            if repaired is None:
                raise ValueError(str(error)) from error
        return self._adding(function, name, repaired)

    def add(self, kind, *arguments, **attributes):
        """A component, or what a function (prefab) makes: it is called with this node."""
        if isinstance(kind, str):
            return self.addObject(kind, **attributes)
        if isinstance(kind, type) and issubclass(kind, Controller):
            return kind(*arguments, **attributes)._enter(self)
        return kind(self, *arguments, **attributes)

    def removeChild(self, child):
        child = self.getChild(child) if isinstance(child, str) else child
        child.remove()

    def removeObject(self, child):
        child.remove()

    def computeEnergy(self):
        """Kinetic and potential energy of the scene."""
        return self._scene.energies()

    def getMechanicalState(self):
        return self._first("MechanicalState")

    def getMass(self):
        return self._first("Mass")

    def _first(self, category):
        return next((o for o in self.objects if category in o.getCategories()), None)

    def getRootPath(self):
        return "/"

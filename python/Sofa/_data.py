# SPDX-License-Identifier: LGPL-2.1-or-later
"""Data: fields of components, and values of components written in Python."""
import numpy as np

from csofa import _values


class LinkPath(str):
    """"@/path" of an object, "@/path.field" of data."""

    def __new__(cls, text, target):
        made = str.__new__(cls, text)
        made._target = target
        return made

    def target(self):
        return self._target


class Data:
    """What fields have in common: `value`, and the idioms of numpy."""

    @property
    def value(self):
        return self._get()

    @value.setter
    def value(self, value):
        self._set(value)

    def array(self):
        return np.asarray(self.value)

    def toList(self):
        return np.asarray(self.value).tolist()

    def __array__(self, dtype=None):
        return np.asarray(self.value, dtype=dtype)

    def __len__(self):
        return len(self.value)

    def __getitem__(self, at):
        return self.value[at]

    def __setitem__(self, at, value):
        with self.writeable() as array:
            array[at] = value

    def __iter__(self):
        return iter(self.value)

    def __float__(self):
        return float(self.value)

    def __int__(self):
        return int(self.value)

    def __bool__(self):
        return True

    def __str__(self):
        return _values.to_text(self.value)

    getValueString = __str__

    def getName(self):
        return self._field

    def getOwner(self):
        return self._owner

    def getPathName(self):
        return f"{self._owner.getPathName()}.{self._field}"

    def getLinkPath(self):
        return LinkPath("@" + self.getPathName(), self)

    getLink = getLinkPath
    linkpath = property(getLinkPath)
    _link_text = getLinkPath

    def writeableArray(self):
        return self.writeable()

    def __repr__(self):
        return f"<Data {self.getPathName()}>"


class Field(Data):
    """A field of a component of the library."""

    def __init__(self, owner, field):
        self._owner, self._field = owner, field

    def _get(self):
        return self._owner.get(self._field)

    def _set(self, value):
        self._owner.set(self._field, value)

    def writeable(self):
        return _values.Writing(self._owner, self._field)

    def setParent(self, source):
        """Takes the value from another field from now on."""
        self._owner.set(self._field, _values.to_text(source))

    def getHelp(self):
        return self._owner.help(self._field)

    def isSet(self):
        return self._owner.is_set(self._field)

    def typeName(self):
        return self._owner.type(self._field)


class Own(Data):
    """A value of a component that is written in Python."""

    def __init__(self, owner, field, value=None, help="", type="", engine=None):
        self._owner, self._field, self._value = owner, field, value
        self._help, self._type, self._engine = help, type, engine

    def _get(self):
        if self._engine is not None:
            self._engine._refresh()
        value = self._value
        return value.value if isinstance(value, Data) else value

    def _set(self, value):
        self._value = value
        self._owner._changed(self)

    def writeable(self):
        return _Own(self)

    def setParent(self, source):
        self._value = source

    def getHelp(self):
        return self._help

    def isSet(self):
        return self._value is not None

    def typeName(self):
        return self._type


class _Own:
    def __init__(self, data):
        self._data = data

    def __enter__(self):
        self._array = np.array(self._data.value)
        return self._array

    def __exit__(self, *_):
        self._data.value = self._array

# SPDX-License-Identifier: LGPL-2.1-or-later
"""Values of fields: texts, numbers, and numpy views of the library's memory."""
import ctypes
import weakref

import numpy as np

from ._library import lib

TEXT, REAL, INT, UINT, BOOL = range(5)
SET, OUTPUT, LINKED, LIST = 1, 2, 4, 8
_COORDS = b"coordinate list"  # positions, velocities, forces of any template
_TYPES = {REAL: "<f8", INT: "<i4", UINT: "<u4", BOOL: "|b1"}


def encode(text):
    return str(text).encode("utf-8")


def to_text(value):
    """A value as an attribute of a scene file has it."""
    if value is None:
        return ""
    if isinstance(value, (bool, np.bool_)):
        return "1" if value else "0"
    if isinstance(value, str):
        return value
    link = getattr(value, "_link_text", None)
    if link is not None:
        return link()
    if isinstance(value, np.ndarray):
        return " ".join(to_text(item) for item in value.ravel().tolist())
    if isinstance(value, (list, tuple, set, range)):
        return " ".join(to_text(item) for item in value)
    return repr(value.item() if isinstance(value, np.generic) else value)


def attributes(values):
    """Names and values in turn, ended by NULL."""
    texts = []
    for name, value in values.items():
        texts += [encode(name), encode(to_text(value))]
    return (ctypes.c_char_p * (len(texts) + 1))(*texts, None)


class _Memory:
    """The memory of a field, as numpy takes it over. It keeps the scene: a view of a scene that was
    closed stays readable."""

    def __init__(self, scene, place, shape, kind, writeable):
        self._keep = scene._held
        self.__array_interface__ = {"version": 3, "shape": shape, "typestr": _TYPES[kind],
                                    "data": (place, not writeable)}


class View(np.ndarray):
    """A numpy array in the memory of a field, without a copy. It shows the present value and cannot
    be written: `with obj.position.writeable() as x:` gives an array that can. It is valid until the
    number of entries changes or its object is removed; `valid` says so."""

    _source = None  # (object, field, address)

    def __array_wrap__(self, result, context=None, return_scalar=False):
        # what is computed from it is a usual array or number
        result = np.asarray(result)
        return result[()] if result.ndim == 0 else result

    @property
    def valid(self):
        if self._source is None:
            return False
        obj, field, place, n = self._source
        return bool(lib.csofa_field_view_is_valid(obj._scene._pointer(), field_of(obj, field).number,
                                                  place, n))

    @property
    def value(self):
        return self

    def array(self):
        return self

    def writeable(self):
        if self._source is None:
            raise ValueError("this array is a part or a copy of a field: call writeable() of the "
                             "field itself")
        return Writing(self._source[0], self._source[1])


class Writing:
    """with obj.position.writeable() as x: x[:] = ...; the object takes the values over at the end."""

    def __init__(self, obj, field):
        self._object, self._field = obj, field

    def __enter__(self):
        return view(self._object, self._field, writeable=True)

    def __exit__(self, kind, error, trace):
        scene = self._object._scene
        scene._check(lib.csofa_field_touch(scene._pointer(),
                                           field_of(self._object, self._field).number))


def info(obj, field):
    """kind, entries, numbers of an entry, flags"""
    kind, flags = ctypes.c_int(), ctypes.c_uint()
    n, width = ctypes.c_size_t(), ctypes.c_size_t()
    scene = obj._scene
    scene._check(lib.csofa_field_info(scene._pointer(), obj._id, encode(field), ctypes.byref(kind),
                                      ctypes.byref(n), ctypes.byref(width), ctypes.byref(flags)))
    return kind.value, n.value, width.value, flags.value


class Field:
    """A field of an object: its number in the library, and what does not change. vectors: are its
    entries vectors of whatever width?"""

    __slots__ = ("number", "kind", "width", "is_list", "vectors")

    def __init__(self, obj, name):
        scene = obj._scene._pointer()
        self.number = lib.csofa_find_field(scene, obj._id, encode(name))
        if not self.number:
            obj._scene._fail()
        self.kind, _n, self.width, flags = info(obj, name)
        self.is_list = bool(flags & LIST)
        self.vectors = lib.csofa_field_type(scene, obj._id, encode(name)) == _COORDS


def field_of(obj, name):
    """Found once."""
    known = obj._scene._fields
    key = (obj._id, name)
    found = known.get(key)
    if found is None:
        found = known[key] = Field(obj, name)
    return found


def widths(state):
    """Numbers of a position and of a velocity of a state."""
    return info(state, "position")[2], info(state, "velocity")[2]


def view(obj, field, writeable=False, flat=None):
    """The memory of a numeric field: (n, width), or (n) for lists of numbers and (width) for a
    single vector."""
    scene, known = obj._scene, field_of(obj, field)
    data, kind = ctypes.c_void_p(), ctypes.c_int()
    n, width = ctypes.c_size_t(), ctypes.c_size_t()
    scene._check(lib.csofa_field_view(scene._pointer(), known.number, ctypes.byref(data),
                                      ctypes.byref(n), ctypes.byref(width), ctypes.byref(kind)))
    if flat is None:
        flat = not known.is_list
    numbers = width.value == 1 and not known.vectors
    shape = (width.value,) if flat else (n.value,) if numbers else (n.value, width.value)
    if n.value == 0 or not data.value:
        return np.zeros(shape if n.value == 0 else (0,), _TYPES[kind.value]).view(View)
    memory = _Memory(scene, data.value, shape, kind.value, writeable)
    array = np.asarray(memory).view(View)
    array._source = (obj, field, data.value, n.value)
    scene._lent.add(memory, obj._id, field)
    return array


class Lent:
    """The views of a scene that are in use: memory is not freed below them by a call of Python."""

    def __init__(self):
        self._all = {}

    def add(self, memory, number, field):
        key = id(memory)
        self._all[key] = (weakref.ref(memory, lambda _: self._all.pop(key, None)), number, field)

    def of(self, number, field=None):
        return any(at[1] == number and (field is None or at[2] == field)
                   for at in self._all.values())

    def numbers(self):
        return {at[1] for at in self._all.values()}


def get(obj, field):
    """str, float, int, bool or View."""
    known, scene = field_of(obj, field), obj._scene
    if known.kind == TEXT:
        text = lib.csofa_field_get_text(scene._pointer(), known.number)
        if text is None:
            scene._fail()
        return text.decode("utf-8", "replace")
    if known.is_list or known.width > 1:
        return view(obj, field, flat=not known.is_list)
    number = ctypes.c_double()
    scene._check(lib.csofa_field_get_reals(scene._pointer(), known.number, 0, 1,
                                           ctypes.byref(number)))
    if known.kind == REAL:
        return number.value
    return bool(number.value) if known.kind == BOOL else int(number.value)


def put(obj, field, value):
    """Sets a field from any value: texts and links as in a scene file, numbers, arrays."""
    known, scene = field_of(obj, field), obj._scene
    if known.kind != TEXT and not known.is_list and isinstance(value, (int, float)):
        number = ctypes.c_double(value)
        scene._check(lib.csofa_field_set_reals(scene._pointer(), known.number, 1,
                                               ctypes.byref(number)))
        return
    numbers = None
    if known.kind != TEXT and not isinstance(value, str) and not hasattr(value, "_link_text"):
        try:
            numbers = np.array(value, dtype=np.float64, order="C").ravel()
        except (TypeError, ValueError):
            numbers = None
    if numbers is None:
        if known.kind != TEXT:
            _check_unused(scene, obj, field)
        text = encode(to_text(value))
        scene._check(lib.csofa_field_set_text(scene._pointer(), known.number, text))
        return
    if scene._lent.of(obj._id, field):
        _kind, n, width, _flags = info(obj, field)
        if numbers.size != n * width:
            _check_unused(scene, obj, field)
    scene._check(lib.csofa_field_set_reals(scene._pointer(), known.number, numbers.size,
                                           numbers.ctypes.data_as(ctypes.POINTER(ctypes.c_double))))


def _check_unused(scene, obj, field):
    if scene._lent.of(obj._id, field):
        raise BufferError(f"an array still shows '{field}' of {obj!r}: its memory cannot change "
                          "its size; delete the array or copy it")

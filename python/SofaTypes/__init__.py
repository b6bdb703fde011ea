# SPDX-License-Identifier: LGPL-2.1-or-later
"""Vectors with the names of SofaPython3: arrays of numpy of a fixed length."""
import numpy as np


class _Vector(np.ndarray):
    """Vec3d(1, 2, 3), Vec3d([1, 2, 3]) or Vec3d(), which is 0."""
    _length, _kind = 0, float

    def __new__(cls, *values):
        if len(values) == 1 and np.ndim(values[0]) == 1:
            values = values[0]
        if len(values) not in (0, cls._length):
            raise ValueError(f"{cls.__name__} of {len(values)} numbers")
        array = np.zeros(cls._length, dtype=cls._kind)
        array[:len(values)] = values
        return array.view(cls)

    def norm(self):
        return float(np.sqrt(np.dot(self, self)))

    def norm2(self):
        return float(np.dot(self, self))

    def normalized(self):
        return self / self.norm()

    def dot(self, other):
        return float(np.dot(np.asarray(self), np.asarray(other)))


def _entry(number):
    def get(self):
        return self[number].item()

    def put(self, value):
        self[number] = value

    return property(get, put)


for _n in (1, 2, 3, 6):
    for _letter, _type in (("d", np.float64), ("f", np.float32), ("i", np.int32)):
        _members = {"_length": _n, "_kind": _type, "__module__": __name__}
        _members.update((name, _entry(i)) for i, name in enumerate("xyz"[:_n]))
        globals()[f"Vec{_n}{_letter}"] = type(f"Vec{_n}{_letter}", (_Vector,), _members)

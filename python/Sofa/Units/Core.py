# SPDX-License-Identifier: LGPL-2.1-or-later
"""Units as products of powers of primary units, and values that have one."""
import math


class Unit:
    """ratio times a product of powers of primary units: powers {"kg": 1, "m": 1, "s": -2} of N."""

    def __init__(self, powers, ratio=1.0):
        self.powers = {name: power for name, power in powers.items() if power}
        self.ratio = float(ratio)

    def _times(self, other, sign):
        powers = dict(self.powers)
        for name, power in other.powers.items():
            powers[name] = powers.get(name, 0) + sign * power
        return DerivedUnit(powers, self.ratio * other.ratio ** sign)

    def __mul__(self, other):
        return self._times(other, 1) if isinstance(other, Unit) else DimensionnedValue(other, self)

    __rmul__ = __mul__

    def __truediv__(self, other):
        return self._times(other, -1) if isinstance(other, Unit) else NotImplemented

    def __pow__(self, n):
        if not isinstance(n, int):
            raise ValueError(f"a unit to the power {n!r}: the power is a whole number")
        return DerivedUnit({name: n * power for name, power in self.powers.items()},
                           self.ratio ** n)

    def __eq__(self, other):
        if not isinstance(other, Unit):
            return NotImplemented
        return self.powers == other.powers and math.isclose(self.ratio, other.ratio)

    def __hash__(self):
        return hash(frozenset(self.powers.items()))

    def getKey(self):
        """The powers above and below the line."""
        return {"num": {name: power for name, power in self.powers.items() if power > 0},
                "denum": {name: -power for name, power in self.powers.items() if power < 0}}

    def toString(self, addRatio=True):
        above, below = (" * ".join(name if power == 1 else f"{name}^{power}"
                                   for name, power in self.getKey()[side].items())
                        for side in ("num", "denum"))
        text = (f"( {above} ) " if above else "1") + (f"/ ( {below} )" if below else "")
        return f"{self.ratio} * {text}" if addRatio else text

    __str__ = toString

    def __repr__(self):
        return f"<Unit {self}>"


class NeutralUnit(Unit):
    """That of a pure number."""

    def __init__(self):
        Unit.__init__(self, {})


class PrimaryUnit(Unit):
    def __init__(self, abrev):
        Unit.__init__(self, {abrev: 1})
        self.abrev = abrev


class DerivedUnit(Unit):
    """A product of others."""


class ScaledUnit(Unit):
    """ratio times another unit."""

    def __init__(self, unit, ratio):
        Unit.__init__(self, unit.powers, ratio * unit.ratio)


class DimensionnedValue:
    """A number, or an array, with its unit."""

    def __init__(self, value, unit):
        self.value, self.unit = value, unit

    def __mul__(self, other):
        if isinstance(other, DimensionnedValue):
            return DimensionnedValue(self.value * other.value, self.unit * other.unit)
        if isinstance(other, Unit):
            return DimensionnedValue(self.value, self.unit * other)
        return DimensionnedValue(self.value * other, self.unit)

    __rmul__ = __mul__

    def __truediv__(self, other):
        if isinstance(other, DimensionnedValue):
            return DimensionnedValue(self.value / other.value, self.unit / other.unit)
        if isinstance(other, Unit):
            return DimensionnedValue(self.value, self.unit / other)
        return DimensionnedValue(self.value / other, self.unit)

    def __rtruediv__(self, other):
        if isinstance(other, Unit):
            return DimensionnedValue(1 / self.value, other / self.unit)
        return DimensionnedValue(other / self.value, self.unit ** -1)

    def __pow__(self, n):
        return DimensionnedValue(self.value ** n, self.unit ** n)

    def __eq__(self, other):
        if not isinstance(other, DimensionnedValue) or self.unit.powers != other.unit.powers:
            raise TypeError(f"{self} cannot be compared with {other}: the dimensions differ")
        return math.isclose(self.value * self.unit.ratio, other.value * other.unit.ratio)

    __hash__ = None

    def __str__(self):
        return f"{self.value * self.unit.ratio} * {self.unit.toString(False)}"

    def __repr__(self):
        return f"<DimensionnedValue {self}>"

# SPDX-License-Identifier: LGPL-2.1-or-later
"""Keys as events have them."""
import string


class Key:
    leftarrow, uparrow, rightarrow, downarrow = chr(18), chr(19), chr(20), chr(21)
    space, plus, minus = " ", "+", "-"


for _letter in string.ascii_uppercase:
    setattr(Key, _letter, _letter)
for _digit in string.digits:
    setattr(Key, f"KP_{_digit}", _digit)

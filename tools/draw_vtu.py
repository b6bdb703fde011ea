#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Draw the bodies of a .pvd series (or of .vtu files) as an SVG picture: the first frame pale, the
last one shaded and coloured by how far its points have moved. Needs nothing but Python.

usage: draw_vtu.py SERIES.pvd|FIRST.vtu|FIRST.pvtu [LAST] OUT.svg [--view YAW,PITCH] [--title TEXT]"""
import base64, math, os, struct, sys, zlib
import xml.etree.ElementTree as ET

FACES = {  # VTK cell type: faces as local vertex numbers, outward
    5: [(0, 1, 2)], 9: [(0, 1, 2, 3)],
    10: [(0, 2, 1), (0, 1, 3), (0, 3, 2), (1, 2, 3)],
    12: [(0, 3, 2, 1), (4, 5, 6, 7), (0, 1, 5, 4), (1, 2, 6, 5), (2, 3, 7, 6), (3, 0, 4, 7)]}
FORMAT = {"Float64": "d", "Float32": "f", "Int64": "q", "Int32": "i", "UInt64": "Q",
          "UInt32": "I", "UInt8": "B", "Int8": "b"}
# viridis, nine stops
COLOURS = [(68, 1, 84), (71, 44, 122), (59, 81, 139), (44, 113, 142), (33, 144, 141),
           (39, 173, 129), (92, 200, 99), (170, 220, 50), (253, 231, 37)]


def blocks(data, compressed, header):
    """Bytes of one binary array: with zlib a table of block sizes comes first."""
    size = struct.calcsize(header)
    if not compressed:
        n = struct.unpack_from("<" + header, data)[0]
        return data[size:size + n]
    n = struct.unpack_from("<" + header, data)[0]
    sizes = struct.unpack_from("<%d%s" % (n, header), data, 3 * size)
    at, out = (3 + n) * size, []
    for s in sizes:
        out.append(zlib.decompress(data[at:at + s]))
        at += s
    return b"".join(out)


def decode64(text, compressed, header):
    """Base64 arrays hold the header and the data as two separate streams when compressed."""
    text = "".join(text.split())
    if not compressed:
        return base64.b64decode(text)
    size = struct.calcsize(header)
    n = struct.unpack_from("<" + header, base64.b64decode(text[:4 * ((size + 2) // 3)]))[0]
    length = 4 * (((3 + n) * size + 2) // 3)
    return base64.b64decode(text[:length]) + base64.b64decode(text[length:])


class Vtu:
    def __init__(self, path):
        raw = open(path, "rb").read()
        self.appended, tail = b"", raw.find(b"<AppendedData")
        if tail >= 0:
            start = raw.index(b"_", tail) + 1
            stop = raw.rindex(b"</AppendedData>")
            self.appended = raw[start:stop]
            self.encoding = "base64" if b'"base64"' in raw[tail:start] else "raw"
            raw = raw[:tail] + b"</VTKFile>"
        root = ET.fromstring(raw)
        self.compressed = "compressor" in root.attrib
        self.header = FORMAT[root.get("header_type", "UInt32")]
        piece = root.find(".//Piece")
        xyz = self.array(piece.find("Points/DataArray"))
        self.points = [tuple(xyz[i:i + 3]) for i in range(0, len(xyz), 3)]
        named = {a.get("Name"): a for a in piece.find("Cells")}
        corners, self.cells, at = self.array(named["connectivity"]), [], 0
        for end, kind in zip(self.array(named["offsets"]), self.array(named["types"])):
            self.cells.append((int(kind), [int(i) for i in corners[at:end]]))
            at = end

    def array(self, element):
        code = FORMAT[element.get("type")]
        kind = element.get("format")
        if kind == "ascii":
            convert = float if code in "fd" else int
            return [convert(w) for w in (element.text or "").split()]
        if kind == "appended":
            data = self.appended[int(element.get("offset")):]
            if self.encoding == "base64":
                data = decode64(data.decode().split("=")[0], self.compressed, self.header)
        else:
            data = decode64(element.text, self.compressed, self.header)
        data = blocks(data, self.compressed, self.header)
        return list(struct.unpack("<%d%s" % (len(data) // struct.calcsize(code), code), data))


class Pieces:
    """A .pvtu: the parts of a mesh that several processes have written."""
    def __init__(self, path):
        self.points, self.cells = [], []
        for piece in ET.parse(path).iter("Piece"):
            part = Vtu(os.path.join(os.path.dirname(path), piece.get("Source")))
            first = len(self.points)
            self.points += part.points
            self.cells += [(kind, [first + i for i in corners]) for kind, corners in part.cells]


def read(path):
    return Pieces(path) if path.endswith(".pvtu") else Vtu(path)


def join(first, last):
    """Cells of several parts name one of the points that have one place in the first frame."""
    known = {}
    same = [known.setdefault(point, i) for i, point in enumerate(first.points)]
    last.cells = [(kind, [same[i] for i in corners]) for kind, corners in last.cells]


def surface(cells):
    """Faces that belong to one cell only."""
    count = {}
    for kind, corners in cells:
        for face in FACES.get(kind, []):
            loop = tuple(corners[i] for i in face)
            count.setdefault(tuple(sorted(loop)), []).append(loop)
    return [loops[0] for loops in count.values() if len(loops) == 1]


def colour(t, light):
    t = min(max(t, 0.0), 1.0) * (len(COLOURS) - 1)
    i = min(int(t), len(COLOURS) - 2)
    mixed = [a + (b - a) * (t - i) for a, b in zip(COLOURS[i], COLOURS[i + 1])]
    return "#%02x%02x%02x" % tuple(int(c * light) for c in mixed)


def camera(yaw, pitch):
    a, b = math.radians(yaw), math.radians(pitch)
    ca, sa, cb, sb = math.cos(a), math.sin(a), math.cos(b), math.sin(b)
    def see(p):
        x, z = ca * p[0] + sa * p[2], -sa * p[0] + ca * p[2]
        return x, cb * p[1] - sb * z, sb * p[1] + cb * z
    return see


def normal(a, b, c):
    u, v = [b[i] - a[i] for i in range(3)], [c[i] - a[i] for i in range(3)]
    n = (u[1] * v[2] - u[2] * v[1], u[2] * v[0] - u[0] * v[2], u[0] * v[1] - u[1] * v[0])
    length = math.sqrt(sum(k * k for k in n)) or 1.0
    return [k / length for k in n]


def draw(first, last, out, view, title):
    see, faces = camera(*view), surface(last.cells)
    moved = [math.dist(a, b) for a, b in zip(first.points, last.points)]
    top = max(moved) or 1.0
    seen = [[see(p) for p in f.points] for f in (first, last)]
    used = {i for loop in faces for i in loop}
    xs = [p[0] for f in seen for i, p in enumerate(f) if i in used]
    ys = [p[1] for f in seen for i, p in enumerate(f) if i in used]
    width, margin = 900, 40
    scale = (width - 2 * margin) / max(max(xs) - min(xs), max(ys) - min(ys))
    height = (max(ys) - min(ys)) * scale + 2 * margin + 40
    def at(p):
        return "%.1f,%.1f" % (margin + (p[0] - min(xs)) * scale,
                              margin + 30 + (max(ys) - p[1]) * scale)
    shapes = []
    for k, points in enumerate(seen):
        for loop in faces:
            corner = [points[i] for i in loop]
            n = normal(*corner[:3])
            if n[2] <= 0:
                continue
            depth = sum(c[2] for c in corner) / len(corner)
            if k == 0:
                fill = "#e9e9ee"
            else:
                light = 0.45 + 0.55 * max(0.0, 0.3 * n[0] + 0.6 * n[1] + 0.74 * n[2])
                fill = colour(sum(moved[i] for i in loop) / len(loop) / top, min(light, 1.0))
            shapes.append((k, depth, '<polygon points="%s" fill="%s" stroke="%s"/>' % (
                " ".join(at(c) for c in corner), fill, "#d5d5dd" if k == 0 else fill)))
    shapes.sort(key=lambda s: s[:2])
    with open(out, "w", encoding="utf-8") as f:
        f.write('<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %d" '
                'font-family="sans-serif" font-size="18" stroke-width="0.6">\n' % (width, height))
        f.write('<rect width="100%" height="100%" fill="white"/>\n')
        f.write('<text x="%d" y="32" fill="#333">%s</text>\n' % (margin, title))
        f.write("\n".join(s[2] for s in shapes))
        f.write("\n</svg>\n")
    print("%s: %d faces, largest displacement %.4g" % (out, len(shapes), top))


def option(args, name, default):
    if name not in args:
        return default
    i = args.index(name)
    value = args[i + 1]
    del args[i:i + 2]
    return value


def main(argv):
    args = list(argv)
    view = tuple(float(a) for a in option(args, "--view", "-25,20").split(","))
    title = option(args, "--title", "")
    if len(args) not in (2, 3):
        print(__doc__)
        return 2
    files, out = args[:-1], args[-1]
    if files[0].endswith(".pvd"):
        folder = os.path.dirname(files[0])
        sets = [d for d in ET.parse(files[0]).iter("DataSet")]
        files = [os.path.join(folder, sets[i].get("file")) for i in (0, -1)]
        title = title or "t = %s s" % sets[-1].get("timestep")
    first, last = read(files[0]), read(files[-1])
    if isinstance(first, Pieces):
        join(first, last)
    draw(first, last, out, view, title)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

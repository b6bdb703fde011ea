# SPDX-License-Identifier: LGPL-2.1-or-later
"""The beam of the distributed tests in files of several formats, in the current folder."""
import struct
import zlib


def write_gmsh(path, points, kind, elements):
    width, number = {"tetrahedra": (4, 4), "hexahedra": (8, 5)}[kind]
    x, e = points.split(), elements.split()
    rows = [x[i:i + 3] for i in range(0, len(x), 3)]
    cells = [e[i:i + width] for i in range(0, len(e), width)]
    with open(path, "w") as out:
        out.write("$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Nodes\n%d\n" % len(rows))
        for i, row in enumerate(rows):
            out.write("%d %s\n" % (i + 1, " ".join(row)))
        out.write("$EndNodes\n$Elements\n%d\n" % len(cells))
        for i, cell in enumerate(cells):
            out.write("%d %d 2 0 0 %s\n" % (i + 1, number, " ".join(str(int(v) + 1) for v in cell)))
        out.write("$EndElements\n")


def write_beam():
    """The grid as tetrahedra, six of each of its cells."""
    n = (3, 3, 9)
    size = (0.2, 0.2, 1)
    points = [[size[c] * index[c] / (n[c] - 1) for c in range(3)]
              for index in ((i, j, k) for k in range(n[2]) for j in range(n[1]) for i in range(n[0]))]
    at = lambda i, j, k: i + n[0] * (j + n[1] * k)
    cells = []
    for k in range(n[2] - 1):
        for j in range(n[1] - 1):
            for i in range(n[0] - 1):
                a, g = at(i, j, k), at(i + 1, j + 1, k + 1)
                ring = [at(i + 1, j, k), at(i + 1, j + 1, k), at(i, j + 1, k), at(i, j + 1, k + 1), at(i, j, k + 1),
                        at(i + 1, j, k + 1)]
                cells += [[a, ring[s], ring[(s + 1) % 6], g] for s in range(6)]
    text = lambda rows: " ".join(repr(v) for row in rows for v in row)
    write_gmsh("beam.msh", text(points), "tetrahedra", text(cells))


def beam_mesh():
    """Points and tetrahedra of beam.msh, by numbers from 0."""
    with open("beam.msh") as file:
        lines = file.read().split("\n")
    nodes, elements = lines.index("$Nodes") + 2, lines.index("$Elements") + 2
    points = [[float(v) for v in line.split()[1:]] for line in lines[nodes:nodes + int(lines[nodes - 1])]]
    cells = [[int(v) - 1 for v in line.split()[5:]] for line in lines[elements:elements + int(lines[elements - 1])]]
    return points, cells


def write_second_order():
    """The beam with a node in the middle of each edge."""
    points, cells = beam_mesh()
    middles, rows = {}, []
    for cell in cells:
        nodes = list(cell)
        for a, b in ((0, 1), (1, 2), (2, 0), (0, 3), (2, 3), (1, 3)):
            edge = tuple(sorted((cell[a], cell[b])))
            if edge not in middles:
                middles[edge] = len(points)
                points.append([(x + y) / 2 for x, y in zip(points[edge[0]], points[edge[1]])])
            nodes.append(middles[edge])
        rows.append(nodes)
    with open("second.msh", "w") as out:
        out.write("$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Nodes\n%d\n" % len(points))
        out.writelines("%d %r %r %r\n" % (i + 1, *p) for i, p in enumerate(points))
        out.write("$EndNodes\n$Elements\n%d\n" % len(rows))
        out.writelines("%d 11 2 0 0 %s\n" % (i + 1, " ".join(str(v + 1) for v in row)) for i, row in enumerate(rows))
        out.write("$EndElements\n")


def write_binary(name, number=lambda i: i + 1):
    points, cells = beam_mesh()
    with open(name, "wb") as out:
        out.write(b"$MeshFormat\n2.2 1 8\n" + struct.pack("<i", 1) + b"\n$EndMeshFormat\n$Nodes\n%d\n" % len(points))
        for i, p in enumerate(points):
            out.write(struct.pack("<i3d", number(i), *p))
        out.write(b"\n$EndNodes\n$Elements\n%d\n" % len(cells) + struct.pack("<3i", 4, len(cells), 2))
        for i, cell in enumerate(cells):
            out.write(struct.pack("<7i", i + 1, 0, i // 100, *map(number, cell)))
        out.write(b"\n$EndElements\n")


def write_vtu(name, compressed):
    points, cells = beam_mesh()
    arrays = [struct.pack("<%dd" % (3 * len(points)), *(v for p in points for v in p)),
              struct.pack("<%dq" % (4 * len(cells)), *(v for cell in cells for v in cell)),
              struct.pack("<%dq" % len(cells), *range(4, 4 * len(cells) + 1, 4)), bytes([10]) * len(cells)]
    data, offsets = b"", []
    for array in arrays:
        offsets.append(len(data))
        blocks = [zlib.compress(array[i:i + 1000]) for i in range(0, len(array), 1000)] if compressed else []
        head = [len(blocks), 1000, len(array) % 1000, *map(len, blocks)] if compressed else [len(array)]
        data += struct.pack("<%dI" % len(head), *head) + (b"".join(blocks) if compressed else array)
    form = '<DataArray type="%s" Name="%s" NumberOfComponents="%d" format="appended" offset="%d"/>'
    tag = ' compressor="vtkZLibDataCompressor"' if compressed else ""
    text = ('<VTKFile type="UnstructuredGrid" version="1.0" byte_order="LittleEndian" header_type="UInt32"%s>'
            '<UnstructuredGrid><Piece NumberOfPoints="%d" NumberOfCells="%d"><Points>%s</Points><Cells>%s%s%s</Cells>'
            '</Piece></UnstructuredGrid><AppendedData encoding="raw">_'
            % (tag, len(points), len(cells), form % ("Float64", "Points", 3, offsets[0]),
               form % ("Int64", "connectivity", 1, offsets[1]), form % ("Int64", "offsets", 1, offsets[2]),
               form % ("UInt8", "types", 1, offsets[3])))
    with open(name, "wb") as out:
        out.write(text.encode() + data + b"</AppendedData></VTKFile>")


def write_arrays(name):
    """With a stiffness of each cell and a text file, which is read whole."""
    points, cells = beam_mesh()
    form = '<DataArray type="%s" Name="%s" NumberOfComponents="%d" format="ascii">%s</DataArray>'
    words = lambda rows: " ".join(str(v) for row in rows for v in row)
    text = ('<VTKFile type="UnstructuredGrid" version="1.0" byte_order="LittleEndian"><UnstructuredGrid>'
            '<Piece NumberOfPoints="%d" NumberOfCells="%d"><CellData>%s</CellData><Points>%s</Points><Cells>%s%s%s</Cells>'
            '</Piece></UnstructuredGrid></VTKFile>'
            % (len(points), len(cells), form % ("Float64", "E", 1, words([1e6 + 2e4 * i] for i in range(len(cells)))),
               form % ("Float64", "Points", 3, words(points)), form % ("Int64", "connectivity", 1, words(cells)),
               form % ("Int64", "offsets", 1, words([4 * i + 4] for i in range(len(cells)))),
               form % ("UInt8", "types", 1, words([10] for _ in cells))))
    with open(name, "w") as out:
        out.write(text)

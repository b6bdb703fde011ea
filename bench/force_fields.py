#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Measures every force field: ns an element for force, product with the derivative, assembly, and a force with
the first product after it, beside the least time that its arithmetic and its bytes take on this machine.

usage: force_fields.py [--program build/bin/csofa_force_fields] [--machine build/bin/csofa_machine]
                       [--match TEXT] [--isa NAME] [--threads N] [--json FILE] [--markdown]

The bound of a force or product is the larger of flops / dgemm and bytes / triad of the last cache: one
core's. flops are those of the method's formulas (a root or a division counts as one, a logarithm 28), bytes what is
stored of an element plus its share of x, dx and f. The first product after a force may make what later ones
only read: its column counts that, too, for hyperelastic tetrahedra, beams and shells. More than twice the bound needs a reason, printed as a
letter; without one the exit status is 1. So it is when a class of force fields has no case here."""
import argparse
import json
import os
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
BUILD = os.path.join(os.path.dirname(HERE), "build", "bin")
REASONS = {
    "g": "gathers and scatters of points, 3 reals each, take as many instructions as the arithmetic; "
         "dgemm has none",
    "r": "the rotation of an element is a chain of dependent roots and divisions",
    "p": "so little arithmetic that the loop is bound by latency: reads, compares and writes of one "
         "point after the other; a share of a percent of any step",
    "s": "springs have a root and a division after it, and are added to both points one by one",
    "m": "material laws with exp, log or eigenvalues are chains of dependent operations",
    "e": "evaluated by quadrature or general shape functions for every kind of element",
    "c": "what is stored does not fit into the last cache, and is read from memory",
    "l": "the law of a load has roots and divisions, and products evaluate it again: nothing is kept of a point; "
         "the bound of a product is that of reading a tangent of six numbers, which is less",
    "v": "rows of varying length (edges around a point, elements around an edge) do not fill vectors",
}

N, M = 21, 101  # points of the grids per axis
HEXAS, TETRAS, GRID_POINTS, GRID_LINES = 8000, 48000, N ** 3, 3 * N * N * (N - 1)
QUADS, TRIANGLES, SHEET_POINTS = 10000, 20000, M ** 2
SHEET_EDGES = 2 * M * (M - 1) + QUADS
# the grid lists triangles, whose diagonals are edges, too
GRID_EDGES = GRID_LINES + 3 * N * (N - 1) ** 2
INNER_EDGES = SHEET_EDGES - 4 * (M - 1)
TETRA_EDGES = 59660
CHAIN = 10000

# ---- scenes ----

GRID = "<RegularGridTopology name='grid' n='21 21 21' min='0 0 0' max='1 1 1'/><MechanicalObject name='state'/>"
# the box fills the grid: 8 000 cells made of 64 000
SPARSE = ("<SparseGridTopology n='21 21 21' nbVirtualFinerLevels='1' position='0 0 0 1 0 0 1 1 0 0 1 0 0 0 1 1 0 1 1 1 1 "
          "0 1 1' quads='0 3 2 1 4 5 6 7 0 1 5 4 1 2 6 5 2 3 7 6 3 0 4 7'/><MechanicalObject name='state'/>")
TETRA_SET = GRID + (
    "<Node name='t'><TetrahedronSetTopologyContainer name='t'/><TetrahedronSetTopologyModifier/>"
    "<Hexa2TetraTopologicalMapping input='@../grid' output='@t'/>%s</Node>")
SHEET = "<RegularGridTopology name='grid' n='101 101 1' min='0 0 0' max='1 1 0'/><MechanicalObject name='state'/>"
TRIANGLE_SET = SHEET + (
    "<Node name='t'><TriangleSetTopologyContainer name='t'/><TriangleSetTopologyModifier/>"
    "<Quad2TriangleTopologicalMapping input='@../grid' output='@t'/>%s</Node>")
LINE = "<RegularGridTopology name='grid' n='10001 1 1' min='0 0 0' max='100 0 0'/><MechanicalObject name='state' template='%s'/>"


def rigid(n, dx=0.01):
    return " ".join("%g 0.1 0 0 0 0 1" % (dx * i) for i in range(n))


def two_frames(n, force_field):
    return ("<Node name='a'><MechanicalObject name='s' template='Rigid3d' position='%s'/></Node>"
            "<Node name='b'><MechanicalObject name='s' template='Rigid3d' position='%s'/></Node>%s"
            % (rigid(n), rigid(n, 0.0101), force_field))


def frames(n, force_field):
    return "<MechanicalObject name='s' template='Rigid3d' position='%s'/>%s" % (rigid(n), force_field)


def on(base, force_field):
    return base % force_field if "%s" in base else base + force_field


def tag(name, attributes=""):
    return "<%s name='measured' %s/>" % (name, attributes)


ELASTIC = "youngModulus='5000' poissonRatio='0.3'"
OF_TWO = "object1='@a/s' object2='@b/s'"
PAIRS = "indices1='%s' indices2='%s'" % (" ".join(map(str, range(CHAIN))),
                                         " ".join(str(i + 1) for i in range(CHAIN)))
SPRINGS = " ".join("%d %d 100 1 0.009" % (i, i + 1) for i in range(CHAIN))


def two(count):
    """Counts of force and product; a number is that of both."""
    return count if isinstance(count, tuple) else (count, count)


class Case:
    """One measurement: a scene, what counts as an element and how many there are; the flops of force and
    product, the reals and indices stored per element (of both, or a pair), and the reasons for more than twice the bound.
    made: the force field is there after a step. reals: of a point. files: contents by name. tangent: the flops
    and reals of what the first product makes."""

    def __init__(self, klass, label, base, attributes, elements, points, flops, stored, indices,
                 reasons="", body=None, made=False, reals=3, files=None, tangent=None):
        self.klass, self.label = klass, label
        self.body = body if body is not None else on(base, tag(klass, attributes))
        self.elements, self.flops, self.reasons = elements, flops, reasons
        self.made, self.files = made, files or {}
        # x and dx read, f read and written
        self.bytes = [8 * s + 4 * i + 32 * reals * points / elements for s, i in zip(two(stored), two(indices))]
        self.tangent = tangent or (0, 0)

    def scene(self):
        return ("<Node name='root' gravity='0 0 0'><DefaultAnimationLoop/><DefaultVisualManagerLoop/>"
                "<Node name='body'>%s</Node></Node>" % self.body)

    def bound(self, what, rates):
        """ns an element"""
        if what == "both":
            return (self.bound("force", rates) + self.bound("product", rates)
                    + max(self.tangent[0] / rates["dgemm"], 8 * self.tangent[1] / rates["triad_l3"]))
        which = 0 if what == "force" else 1
        return max(self.flops[which] / rates["dgemm"], self.bytes[which] / rates["triad_l3"])


def tetra(klass, label, attributes, flops, stored, reasons, base=GRID, indices=4, tangent=None):
    return Case(klass, label, base, attributes, TETRAS, GRID_POINTS, flops, stored, indices, reasons, tangent=tangent)


def hexa(klass, label, attributes, flops, reasons, stored=9):
    """Equal elements share their matrix: only the rotation is stored of each."""
    return Case(klass, label, GRID, attributes, HEXAS, GRID_POINTS, flops, stored, 8, reasons)


def triangle(klass, label, attributes, flops, stored, reasons, base=SHEET):
    return Case(klass, label, base, attributes, TRIANGLES, SHEET_POINTS, flops, stored, 3, reasons)


def point(klass, attributes, flops, reasons="p", stored=0):
    return Case(klass, "points", GRID, attributes, GRID_POINTS, GRID_POINTS, flops, stored, 0, reasons)


def general(klass, kind, n_points, elements, points, attributes, base, flops, reasons):
    """Linear elasticity with the full matrix of an element of n points; the hexahedra share theirs."""
    n = 3 * n_points
    stored = 9 if kind == "Hexahedron" else n * (n + 1) // 2 + 9
    return Case(klass, kind, base, "template='Vec3,%s' %s %s" % (kind, ELASTIC, attributes), elements,
                points, flops, stored, n_points, reasons)


# gradient of u 72, isotropic stress 15, nodal forces 60; turning it into and out of the element's frame
# 45 + 45; frame from three points 60; polar decomposition in closed form 230: cofactors and invariants 80,
# three steps for the trace of the stretch 45, A A^T A and the sum 105; SVD 500
LINEAR, TURNED = 147, 237
LARGE, POLAR, SVD = 60, 230, 500
# functions as fdlibm has them, in double precision: a polynomial of 7, 5 and 11 numbers, a division, reduction of the argument
LOG, EXP, ATAN = 28, 20, 27
# of a box: six times 24 sums and differences of corners, eight symmetric products of 3 x 3; 16 turned vectors
HEXA, HEXA_TURNED = 264, 504


# a block of 20 x 20 x 20 voxels that are all full; a surface around the grid
VOXELS = ("<VoxelGridLoader name='loader' filename='full.raw' resolution='20 20 20' voxelSize='0.05 0.05 0.05' bgValue='0'/>"
          "<MultilevelHexahedronSetTopologyContainer position='@loader.position' hexahedra='@loader.hexahedra' "
          "idxInRegularGrid='@loader.idxInRegularGrid' resolution='20 20 20'/><HexahedronSetTopologyModifier/>"
          "<MechanicalObject name='state' position='@loader.position'/>")
BOX = ("".join("v %d %d %d\n" % (i & 1, i >> 1 & 1, i >> 2) for i in range(8))
       + "f 1 3 4 2\nf 5 6 8 7\nf 1 2 6 5\nf 3 7 8 4\nf 1 5 7 3\nf 2 4 8 6\n").encode()
COMPOSITE = ("<SparseGridMultipleTopology n='21 21 21' min='0 0 0' max='1 1 1' fillWeighted='0' nbVirtualFinerLevels='1' "
             "finestConnectivity='0' fileTopologies='box.obj' stiffnessCoefs='1' massCoefs='1'/><MechanicalObject name='state'/>")


def contacts(klass):
    """A sheet of points close above another one: each point of one touches a point of the other."""
    def sheet(height):
        places = " ".join("%d %d %g" % (i % 100, i // 100, height) for i in range(CHAIN))
        return ("<Node><MechanicalObject name='state' position='%s'/><UniformMass vertexMass='1'/><EulerImplicitSolver/>"
                "<CGLinearSolver/><PointCollisionModel contactStiffness='10'/></Node>" % places)
    pipeline = ("<CollisionPipeline/><BruteForceBroadPhase/><BVHNarrowPhase/><MinProximityIntersection alarmDistance='0.3' "
                "contactDistance='0.2'/><CollisionResponse response='%s'/>" % klass)
    return Case(klass, "contacts", "", "", CHAIN, 2 * CHAIN, (24, 18), 11, 2, "g",
                pipeline + sheet(0) + sheet(0.1), made=True)


def diffusion():
    temperatures = " ".join(str(i % 17) for i in range(GRID_POINTS))
    return Case("TetrahedronDiffusionFEMForceField", "tetrahedra", "", "", TETRAS, GRID_POINTS, (24, 24), 6, 4, "gv",
                TETRA_SET.replace("name='state'", "name='places' tags='meca'") % ""
                + "<Node><MechanicalObject name='state' template='Vec1' position='%s'/>%s</Node>" % (
                    temperatures, tag("TetrahedronDiffusionFEMForceField",
                                      "template='Vec1' topology='@../t/t' constantDiffusionCoefficient='2'")), reals=1)


def materials(klass):
    # force: F 54, forces of nodes 54, det F 14 or the cofactors with it; then I1 or C, the law, F S or P from F, F C and
    # F^-T, times the volume. Ogden's takes roots of a cubic and a power of C
    flops = {"StVenantKirchhoff": 258, "NeoHookean": 188, "StableNeoHookean": 190, "MooneyRivlin": 338,
             "VerondaWestman": 342, "Costa": 326, "ArrudaBoyce": 226, "Ogden": 456}
    functions = {"NeoHookean": (1, 0), "MooneyRivlin": (1, 1), "VerondaWestman": (1, 2), "Costa": (1, 2),
                 "ArrudaBoyce": (1, 1), "Ogden": (4, 3)}  # logarithms, exponentials
    for name, (logs, exps) in functions.items():
        flops[name] += LOG * logs + EXP * exps
    parameters = {"StVenantKirchhoff": "340 3100", "NeoHookean": "340 3100", "ArrudaBoyce": "340 3100",
                  "StableNeoHookean": "340 3100", "MooneyRivlin": "500 70 1700",
                  "VerondaWestman": "300 0.8 1700", "Costa": "200 900 3 2 1 1.5 0.5 2.5",
                  "Ogden": "1500 5 5000"}
    without_functions = ("StVenantKirchhoff", "StableNeoHookean")
    # a product reads the blocks of pairs of points, of which two are products each but for those of a point
    pairs = (TETRA_EDGES + GRID_POINTS) / TETRAS
    product = (36 * TETRA_EDGES + 18 * GRID_POINTS) / TETRAS
    # the blocks are made by the first product or assembly after a force: those of six edges, of 2 flops for each of nine
    # entries and each product of two vectors, with vectors of four nodes and the law; then their sums, and those of rows
    dyads = {"NeoHookean": 2, "StableNeoHookean": 2, "StVenantKirchhoff": 3, "ArrudaBoyce": 4, "MooneyRivlin": 6,
             "VerondaWestman": 6, "Costa": 10, "Ogden": 9}
    vectors = {"NeoHookean": 1, "StableNeoHookean": 1, "StVenantKirchhoff": 1, "ArrudaBoyce": 2, "MooneyRivlin": 3,
               "VerondaWestman": 3, "Costa": 4, "Ogden": 5}
    sums = 54 + 18 * TETRA_EDGES / TETRAS

    def tangent(name):
        return 6 * (18 * dyads[name] + 6) + 4 * 21 * vectors[name] + flops[name] - 108 + sums, 19 + 9 * pairs
    # the shape at rest is read and F is written; a block and the two points of a pair
    return [tetra(klass, name, "materialName='%s' ParameterSet='%s'" % (name, parameters[name]),
                  (flops[name], product), (10 + 9, 9 * pairs), "g" if name in without_functions else "gm", TETRA_SET,
                  (4, 2 * pairs), tangent(name)) for name in flops]


def cases():
    faces = "triangleList='%s'" % " ".join(map(str, range(TRIANGLES)))
    quads = "quadList='%s'" % " ".join(map(str, range(QUADS)))
    all_points = " ".join(map(str, range(GRID_POINTS)))
    joint = " ".join("BEGIN_SPRING %d %d KS_T 3 100 KS_R 2 50 KD 1 END_SPRING" % (i, i)
                     for i in range(2000))
    frame = " ".join("BEGIN_SPRING %d %d KS_T 100 KS_R 10 KD 1 END_SPRING" % (i, i)
                     for i in range(2000))
    gear = " ".join("BEGIN_SPRING %d %d %d %d AXIS 0 2 KS_T 100 KS_R 20 50 KD 1 RATIO 2 END_SPRING"
                    % (i, i, i, i) for i in range(2000))
    return [
        # tetrahedra
        tetra("TetrahedronFEMForceField", "small", "method='small' " + ELASTIC, (LINEAR, LINEAR), 14, "g"),
        tetra("TetrahedronFEMForceField", "large", "method='large' " + ELASTIC,
              (TURNED + LARGE, TURNED), 23, "gr"),
        tetra("TetrahedronFEMForceField", "polar", "method='polar' " + ELASTIC,
              (TURNED + POLAR, TURNED), 23, "gr"),
        tetra("TetrahedronFEMForceField", "svd", "method='svd' " + ELASTIC, (TURNED + SVD, TURNED), 23,
              "gr"),
        tetra("ParallelTetrahedronFEMForceField", "large", "method='large' " + ELASTIC,
              (TURNED + LARGE, TURNED), 23, "gr"),
        tetra("TetrahedralCorotationalFEMForceField", "large", "method='large' " + ELASTIC,
              (TURNED + LARGE, TURNED), 23, "gr", TETRA_SET),
        tetra("TetrahedralCorotationalFEMForceField", "polar", "method='polar' " + ELASTIC,
              (TURNED + POLAR, TURNED), 23, "gr", TETRA_SET),
        tetra("FastTetrahedralCorotationalForceField", "qr", "method='qr' " + ELASTIC,
              (TURNED + LARGE, TURNED), 23, "gr", TETRA_SET),
        tetra("FastTetrahedralCorotationalForceField", "polar", "method='polar' " + ELASTIC,
              (TURNED + POLAR, TURNED), 23, "gr", TETRA_SET),
        Case("TetrahedralTensorMassForceField", "edges", TETRA_SET, ELASTIC, TETRA_EDGES, GRID_POINTS,
             (36, 36), 9, 2, "gv"),
        *materials("TetrahedronHyperelasticityFEMForceField"),
        *materials("StandardTetrahedralFEMForceField"),
        # hexahedra
        hexa("HexahedronFEMForceField", "small", "method='small' " + ELASTIC, (HEXA, HEXA), "g"),
        hexa("HexahedronFEMForceField", "large", "method='large' " + ELASTIC,
             (HEXA_TURNED + 100, HEXA_TURNED), "gr"),
        hexa("HexahedronFEMForceField", "polar", "method='polar' " + ELASTIC,
             (HEXA_TURNED + POLAR, HEXA_TURNED), "gr"),
        hexa("HexahedralFEMForceField", "large", "method='large' " + ELASTIC,
             (HEXA_TURNED + 100, HEXA_TURNED), "gr"),
        hexa("HexahedronFEMForceFieldAndMass", "large", ELASTIC, (HEXA_TURNED + 100, HEXA_TURNED), "gr"),
        hexa("HexahedralFEMForceFieldAndMass", "large", ELASTIC, (HEXA_TURNED + 100, HEXA_TURNED), "gr"),
        Case("NonUniformHexahedronFEMForceFieldAndMass", "large", SPARSE, "nbVirtualFinerLevels='1' " + ELASTIC,
             HEXAS, GRID_POINTS, (HEXA_TURNED + 100, HEXA_TURNED), 20, 8, "gr"),  # one of 25 keeps its own matrix
        Case("HexahedronCompositeFEMForceFieldAndMass", "large", COMPOSITE, "nbVirtualFinerLevels='1' density='1' " + ELASTIC,
             HEXAS, GRID_POINTS, (HEXA_TURNED + 100, HEXA_TURNED), 9, 8, "gr", files={"box.obj": BOX}),
        Case("NonUniformHexahedralFEMForceFieldAndMass", "large", VOXELS, "density='1' " + ELASTIC,
             HEXAS, GRID_POINTS, (HEXA_TURNED + 100, HEXA_TURNED), 9, 8, "gr", files={"full.raw": bytes([255]) * HEXAS}),
        hexa("ParallelHexahedronFEMForceField", "large", "method='large' " + ELASTIC, (HEXA_TURNED + 100, HEXA_TURNED), "gr"),
        diffusion(),
        # any element
        general("LinearSmallStrainFEMForceField", "Tetrahedron", 4, TETRAS, GRID_POINTS, "", TETRA_SET,
                (288, 288), "ge"),
        general("LinearSmallStrainFEMForceField", "Hexahedron", 8, HEXAS, GRID_POINTS, "", GRID,
                (HEXA, HEXA), "ge"),
        # surfaces: the blocks of pairs of points, 1.5 for a triangle and 4 for a quad
        Case("LinearSmallStrainFEMForceField", "Triangle", TRIANGLE_SET, "template='Vec3,Triangle' " + ELASTIC,
             TRIANGLES, SHEET_POINTS, (54, 54), 13.5, 1.5, "gv"),
        Case("LinearSmallStrainFEMForceField", "Quad", SHEET, "template='Vec3,Quad' " + ELASTIC, QUADS,
             SHEET_POINTS, (144, 144), 36, 4, "gv"),
        general("CorotationalFEMForceField", "Tetrahedron", 4, TETRAS, GRID_POINTS,
                "rotationMethod='polar'", TETRA_SET, (408 + POLAR, 408), "ger"),
        general("CorotationalFEMForceField", "Hexahedron", 8, HEXAS, GRID_POINTS,
                "rotationMethod='polar'", GRID, (HEXA_TURNED + POLAR, HEXA_TURNED), "ger"),
        # surfaces and beams: strain from two directions in the plane, frame from two edges; axes, gradients and law
        # of a product, and edges at rest of a force, less what is 0
        triangle("TriangularFEMForceField", "large", ELASTIC, (190, 120), (15, 12), "gr"),
        triangle("TriangularFEMForceField", "small", "method='small' " + ELASTIC, (110, 110), (16, 12), "g"),
        triangle("TriangleFEMForceField", "large", ELASTIC, (190, 120), (15, 12), "gr"),
        triangle("TriangularFEMForceFieldOptim", "large", ELASTIC, (150, 120), (15, 12), "gr"),
        triangle("TriangularAnisotropicFEMForceField", "large", ELASTIC + " transverseYoungModulus='500'",
                 (200, 130), (18, 15), "gr"),
        Case("TriangularTensorMassForceField", "edges", TRIANGLE_SET, ELASTIC, SHEET_EDGES, SHEET_POINTS,
             (36, 36), 9, 2, "gv"),
        Case("QuadBendingFEMForceField", "quads", SHEET, ELASTIC + " thickness='0.1'", QUADS, SHEET_POINTS,
             (144, 144), 36, 4, "gv"),  # four pairs of points each
        # products with the lower half of a matrix of 12; tangents: three columns of moves of 95 flops, six of turns of 230,
        # six blocks of 108 that are symmetrised and turned; 78 reals, 43 of law, pose and angle
        Case("BeamFEMForceField", "beams", LINE % "Rigid3d", ELASTIC + " radius='0.1'", CHAIN, CHAIN,
             (500, 408), 78, 2, "gr", reals=6, tangent=(2310, 121)),
        Case("GeometricallyExactBeamForceField", "beams", LINE % "Rigid3d", ELASTIC + " radius='0.1'", CHAIN, CHAIN,
             (700, 408), 78, 2, "gr", reals=6, tangent=(2310, 121)),
        # flops of the formulas by modes, counted with reals that count them; tangents: those of the second derivative less
        # those of the force, and sums of the blocks. Products: blocks of 6 x 6 of pairs of points, four for each quad and 1.5
        # for a triangle, and 21 reals of a point with itself; the numbers of points of each
        Case("ShellQuadFEMForceField", "quads", SHEET.replace("'state'", "'state' template='Rigid3d'"),
             ELASTIC + " thickness='0.1'", QUADS, SHEET_POINTS, (1632, 648), (136, 165), (4, 10), "gc", reals=6,
             tangent=(8405 + 360, 136 + 165)),
        Case("ShellTriangleFEMForceField", "triangles", TRIANGLE_SET.replace("'state'", "'state' template='Rigid3d'"),
             ELASTIC + " thickness='0.1'", TRIANGLES, SHEET_POINTS, (677, 252), (64, 65), (3, 4), "gc", reals=6,
             tangent=(2331 + 216, 64 + 65)),
        # springs: difference, length, direction, force; 5 words of a spring and 5 reals that are kept
        Case("SpringForceField", "springs", LINE % "Vec3d", "spring='%s'" % SPRINGS, CHAIN, CHAIN,
             (30, 30), 10, 0, "gs"),
        Case("MeshSpringForceField", "lines", GRID, "linesStiffness='100'", GRID_EDGES, GRID_POINTS,
             (30, 30), 10, 0, "gs"),
        Case("ParallelSpringForceField", "springs", LINE % "Vec3d", "spring='%s'" % SPRINGS, CHAIN, CHAIN,
             (30, 30), 10, 0, "gs"),
        Case("ParallelMeshSpringForceField", "lines", GRID, "linesStiffness='100'", GRID_EDGES, GRID_POINTS,
             (30, 30), 10, 0, "gs"),
        # changes of the lengths or their squares, the force of a triangle from three of them; 10 reals of the shape at
        # rest, 12 that are kept, and 6 of a compressed triangle
        triangle("TriangularQuadraticSpringsForceField", "triangles", ELASTIC, (110, 100), 22, "g", TRIANGLE_SET),
        triangle("TriangularBiquadraticSpringsForceField", "triangles", ELASTIC, (80, 100), 28, "g", TRIANGLE_SET),
        contacts("PenalityContactForceField"),
        contacts("StickContactForceField"),
        Case("RegularGridSpringForceField", "lines", GRID,
             "linesStiffness='100' quadsStiffness='0' cubesStiffness='0' quadsDamping='0' cubesDamping='0'", GRID_LINES, GRID_POINTS,
             (30, 30), 10, 0, "gs"),
        Case("RepulsiveSpringForceField", "springs", LINE % "Vec3d", "spring='%s'" % SPRINGS, CHAIN, CHAIN,
             (30, 30), 10, 0, "gs"),
        Case("VectorSpringForceField", "lines", GRID, "stiffness='100' useTopology='1'", GRID_EDGES,
             GRID_POINTS, (24, 15), 5, 2, "g"),
        # a polynomial of degree 2; 5 words of a spring and 5 reals that are kept
        Case("PolynomialSpringsForceField", "springs", LINE % "Vec3d",
             "firstObjectPoints='%s' secondObjectPoints='%s' polynomialStiffness='10 20' polynomialDegree='2'"
             % tuple(PAIRS.replace("indices1='", "").replace("'", "").split(" indices2=")), CHAIN, CHAIN,
             (40, 30), 10, 0, "g"),
        Case("QuadBendingSprings", "springs", SHEET, "stiffness='100'", 2 * QUADS, SHEET_POINTS, (30, 30),
             10, 0, "gs"),
        # across the edges of the triangles and those of the quads' halves, each but the first; one of each edge would
        # join a point with itself
        Case("TriangleBendingSprings", "springs", SHEET, "stiffness='100'", 6 * TRIANGLES - 2 * SHEET_EDGES, SHEET_POINTS,
             (30, 30), 10, 0, "gs"),
        Case("TriangularBendingSprings", "edges", TRIANGLE_SET, "stiffness='100'", INNER_EDGES,
             SHEET_POINTS, (30, 30), 10, 0, "gs"),
        Case("QuadularBendingSprings", "edges", SHEET, "stiffness='100'", 4 * (M - 1) * (M - 2),
             SHEET_POINTS, (30, 30), 10, 0, "gs"),
        Case("FastTriangularBendingSprings", "edges", TRIANGLE_SET, "bendingStiffness='100'", INNER_EDGES,
             SHEET_POINTS, (36, 36), 4, 4, "g"),
        Case("RestShapeSpringsForceField", "points", GRID, "stiffness='100'", GRID_POINTS, GRID_POINTS,
             (9, 9), 3, 2, "p"),
        # the exponential of the smoothing 20; 5 reals that are kept, a place, two indices
        Case("PolynomialRestShapeSpringsForceField", "points", GRID,
             "points='%s' polynomialStiffness='10 20' polynomialDegree='2'" % all_points, GRID_POINTS,
             GRID_POINTS, (60, 20), 8, 2, "p"),
        # frames: seven reals of a pose or six of a twist; force reads the law and writes what the product reads
        Case("AngularSpringForceField", "frames", "", "", 2000, 2000, (60, 18), 1, 2, "gr",
             frames(2000, tag("AngularSpringForceField", "indices='%s' angularStiffness='10'"
                              % " ".join(map(str, range(2000))))), reals=6),
        Case("JointSpringForceField", "frames", "", "", 2000, 4000, (300, 200), (31, 11), 2, "gr",
             two_frames(2000, tag("JointSpringForceField", OF_TWO + " spring='%s'" % joint)), reals=6),
        # four matrices 108; of six axes cross and dot products, root, division and arc tangent of the angle, its vector and its
        # part about the axis; 74 of what holds the gears and of the gearing
        Case("GearSpringForceField", "frames", "", "", 2000, 4000, (108 + 6 * (33 + ATAN) + 74, 200), (33, 11), 4, "gr",
             two_frames(2000, tag("GearSpringForceField", OF_TWO + " spring='%s'" % gear)), reals=6),
        Case("FrameSpringForceField", "frames", "", "", 2000, 4000, (300, 200), (17, 9), 2, "gr",
             two_frames(2000, tag("FrameSpringForceField", OF_TWO + " spring='%s'" % frame)), reals=6),
        # loads
        point("ConstantForceField", "totalForce='1 2 3'", (3, 0)),
        point("LinearForceField", "points='%s' times='-1 1' forces='0 0 0 2 4 6'" % all_points, (3, 0)),
        point("PlaneForceField", "normal='0.6 0 0.8' d='0.7' stiffness='30'", (14, 10), "l"),
        point("SphereForceField", "radius='0.7' stiffness='70'", (20, 15), "l"),
        point("EllipsoidForceField", "vradius='0.5 0.6 0.7' stiffness='90'", (40, 18), "l"),
        point("ConicalForceField", "coneHeight='0 0 1' coneAngle='20'", (60, 18), "l", (0, 6)),
        Case("InteractionEllipsoidForceField", "points", "", "", GRID_POINTS, GRID_POINTS, (60, 30), (0, 6), 0,
             "l", "<Node name='a'>%s</Node><Node name='b'><MechanicalObject name='s' template='Rigid3d' "
             "position='0.1 0.2 0 0 0 0.6 0.8'/></Node>%s" % (
                 GRID.replace("state", "s"),
                 tag("InteractionEllipsoidForceField", OF_TWO + " center='0 0 0' vradius='1.5 2 1.2'"))),
        point("TorsionForceField", "indices='%s' torque='3' axis='1 2 2'" % all_points, (30, 15)),
        point("UniformVelocityDampingForceField", "dampingCoefficient='0.3' implicit='1'", (6, 6)),
        point("DiagonalVelocityDampingForceField", "dampingCoefficient='0.3 0.1 0'", (6, 6)),
        # each point has a share of the lengths
        Case("EdgePressureForceField", "edges", TRIANGLE_SET, "edgeIndices='%s' pressure='1 2 3'"
             % " ".join(map(str, range(SHEET_EDGES))), SHEET_EDGES, SHEET_POINTS, (6 * SHEET_POINTS / SHEET_EDGES, 0),
             SHEET_POINTS / SHEET_EDGES, SHEET_POINTS / SHEET_EDGES, "p"),
        triangle("TrianglePressureForceField", "triangles", faces + " pressure='1 2 3'", (18, 0), 3, "gp",
                 TRIANGLE_SET),
        Case("QuadPressureForceField", "quads", SHEET, quads + " pressure='1 2 3'", QUADS, SHEET_POINTS,
             (24, 0), 3, 4, "gp"),
        triangle("SurfacePressureForceField", "triangles", "pressure='7'", (30, 30), 6, "g", TRIANGLE_SET),
        # and dV/dx of each point, which force and product multiply by numbers that the whole surface gives
        triangle("TaitSurfacePressureForceField", "triangles", "p0='3' B='10' gamma='5'", (45, 40),
                 6 + 3 * SHEET_POINTS / TRIANGLES, "g", TRIANGLE_SET),
        triangle("OscillatingTorsionPressureForceField", "triangles",
                 faces + " moment='3' axis='1 2 2'", (55, 0), 4, "l", TRIANGLE_SET),  # half a point each
        # masses: gravity
        point("UniformMass", "totalMass='3'", (6, 0)),
        point("DiagonalMass", "massDensity='3'", (6, 0)),
        point("MeshMatrixMass", "massDensity='3'", (6, 0)),
        Case("FEMMass", "points", TETRA_SET, "", GRID_POINTS, GRID_POINTS, (6, 0), 1, 0, "p",
             TETRA_SET % ("<NodalMassDensity property='3'/>"
                          + tag("FEMMass", "template='Vec3,Tetrahedron'"))),
    ]


# ---- running ----

def machine_rates(program, isa):
    text = subprocess.run([program, isa], check=True, stdout=subprocess.PIPE, text=True,
                          stderr=subprocess.DEVNULL).stdout
    return {row["name"]: row["value"] for row in map(json.loads, text.splitlines())}


def measure(program, isa, threads, case):
    """Seconds of a call: {"force": ..., "product": ..., "both": ..., "assembly": ...}."""
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "scene.scn")
        with open(path, "w", encoding="utf-8") as file:
            file.write(case.scene())
        for name, content in case.files.items():
            with open(os.path.join(folder, name), "wb") as file:
                file.write(content)
        done = subprocess.run([program, isa, str(threads), path] + [case.klass] * case.made, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                              text=True)
    if done.returncode:
        sys.exit("force_fields.py: %s (%s) cannot be measured:\n%s%s" % (
            case.klass, case.label, done.stdout, done.stderr))
    return json.loads(done.stdout.splitlines()[-1])


def judge(case, what, ns, rates):
    """Text of the column, and whether it is within twice the bound or has a reason."""
    bound = case.bound(what, rates)
    ratio = ns / bound
    if ratio <= 2:
        return "%8.2f %5.1fx  " % (ns, ratio), True
    return "%8.2f %5.1fx %s" % (ns, ratio, case.reasons or "?"), bool(case.reasons)


def report(case, seconds, rates, markdown):
    """Prints the row; returns its numbers."""
    row = {"class": case.klass, "case": case.label, "elements": case.elements, "good": True}
    texts = []
    for what in ("force", "product", "assembly", "both"):
        if what not in seconds:
            texts.append("")
            continue
        ns = 1e9 * seconds[what] / case.elements
        row[what] = ns
        if what == "assembly":
            texts.append("%8.2f" % ns)
            continue
        row[what + "_bound"] = case.bound(what, rates)
        if what == "both":  # no limit: its parts have theirs
            texts.append("%8.2f %5.1fx" % (ns, ns / row["both_bound"]))
            continue
        text, good = judge(case, what, ns, rates)
        row["good"] &= good
        texts.append(text)
    if markdown:
        print("| %s | %s |" % (case.klass + ", " + case.label,
                               " | ".join(" ".join(t.split()) for t in texts)), flush=True)
    else:
        print("%-40s %-18s %-20s %-20s %-8s %s" % (case.klass, case.label, *texts), flush=True)
    return row


def main():
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("--program", default=os.path.join(BUILD, "csofa_force_fields"))
    parser.add_argument("--machine", default=os.path.join(BUILD, "csofa_machine"))
    parser.add_argument("--match", default="")
    parser.add_argument("--isa", default="auto")
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--json")
    parser.add_argument("--markdown", action="store_true")
    args = parser.parse_args()
    rates = machine_rates(args.machine, args.isa)
    classes = set(subprocess.run([args.program, "--classes"], check=True, stdout=subprocess.PIPE,
                                 text=True).stdout.split())
    missing = classes - {case.klass for case in cases()}
    if args.markdown:
        print("| force field | force, ns | product, ns | assembly, ns | force and first product, ns |\n|---|---|---|---|---|")
    else:
        print("dgemm %.1f GF/s, triad of the last cache %.1f GB/s; ns an element and times the bound"
              % (rates["dgemm"], rates["triad_l3"]))
        print("%-40s %-18s %-20s %-20s %-8s %s" % ("force field", "", "force", "product", "assembly",
                                                   "force and first product"))
    rows = [report(case, measure(args.program, args.isa, args.threads, case), rates, args.markdown)
            for case in cases() if args.match in case.klass]
    print()
    for letter, text in sorted(REASONS.items()):
        print("%s%s: %s" % ("- " if args.markdown else "", letter, text))
    if args.json:
        with open(args.json, "w", encoding="utf-8") as file:
            json.dump({"machine": rates, "force_fields": rows}, file, indent=1)
    for name in sorted(missing):
        print("%s has no case in force_fields.py" % name, file=sys.stderr)
    return 1 if missing or not all(row["good"] for row in rows) else 0


if __name__ == "__main__":
    sys.exit(main())

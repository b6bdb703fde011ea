/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Rows of the table of test_divided.c: topologies that are made of others. */
{"pressure on the border", EULER, TETS,
 ENDS TETRA MASS BORDER "<SurfacePressureForceField pressure='300'/></Node>"},
    {"triangles of the border by numbers", EULER, TETS,
     ENDS TETRA MASS BORDER
     "<TrianglePressureForceField pressure='200 50 10' triangleList='0 7 12 30 31 50'/></Node>"},
    {"a selection on the border", EULER, TETS,
     ENDS TETRA MASS BORDER
     "<BoxROI name='end' box='0.25 -1 -1 1 1 1' triangles='@skin.triangles' "
     "position='@../dofs.rest_position'/>"
     "<TrianglePressureForceField pressure='20 50 10' triangleList='@end.triangleIndices'/>"
     "</Node>"},
    {"a membrane on the border", EULER, TETS,
     ENDS TETRA MASS BORDER "<MechanicalObject position='@../loader.position'/><IdentityMapping/>"
                            "<TriangularFEMForceField youngModulus='1e5' poissonRatio='0.3'/>"
                            "<DiagonalMass massDensity='3'/></Node>"},
    {"a border turned inside", EULER, TETS,
     ENDS TETRA MASS
     "<Node><TriangleSetTopologyContainer name='skin'/><TriangleSetTopologyModifier/>"
     "<Tetra2TriangleTopologicalMapping input='@../tets' output='@skin' flipNormals='1'/>"
     "<SurfacePressureForceField pressure='300'/></Node>"},
    {"the border among given triangles", EULER, SET,
     ENDS TETRA MASS
     "<Node><TriangleSetTopologyContainer name='skin'/><TriangleSetTopologyModifier/>"
     "<Tetra2TriangleTopologicalMapping input='@../TetrahedronSetTopologyContainer1' "
     "output='@skin'/><TrianglePressureForceField pressure='200 50 10' triangleList='1 2 5'/>"
     "</Node>"},
    {"the border of hexahedra", EULER, HEXA_SET,
     ENDS HEXA MASS
     "<Node><QuadSetTopologyContainer name='skin'/><QuadSetTopologyModifier/>"
     "<Hexa2QuadTopologicalMapping input='@../HexahedronSetTopologyContainer1' output='@skin'/>"
     "<QuadPressureForceField pressure='20 5 1' quadList='0 1 12 33 40'/>"
     "<SurfacePressureForceField pressure='300'/></Node>"},
    {"tetrahedra of hexahedra", EULER, GRID, ENDS MASS CUT TETRA "</Node>"},
    {"mass of tetrahedra of hexahedra", EULER, GRID,
     ENDS CUT TETRA "<MeshMatrixMass massDensity='70'/></Node>"},
    {"points in tetrahedra of hexahedra", EULER, GRID,
     ENDS MASS CUT TETRA "<Node><MechanicalObject position='0.15 0.05 0.02  0.33 0.12 0.1'/>"
                         "<BarycentricMapping/><ConstantForceField forces='0 1 0'/></Node></Node>"},
    {"the border of tetrahedra of hexahedra", EULER, GRID,
     ENDS MASS CUT TETRA
     "<Node><TriangleSetTopologyContainer name='skin'/><TriangleSetTopologyModifier/>"
     "<Tetra2TriangleTopologicalMapping input='@../cut' output='@skin'/>"
     "<SurfacePressureForceField pressure='300'/>"
     "<TrianglePressureForceField pressure='200 50 10' triangleList='0 7 12 30 31 50'/>"
     "</Node></Node>"},
    {"the border is shown", EULER, TETS,
     ENDS TETRA MASS BORDER
     "<Node><OglModel position='@../../dofs.rest_position' triangles='@../skin.triangles'/>"
     "<IdentityMapping/></Node></Node>"},

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Rows of the table of test_divided.c: elements of second order. */
{"tetrahedra of second order", EULER, NODES("tetra10"),
 CARIBOU NODE_ENDS MASS
 "<CaribouTopology name='solid' template='Tetrahedron10' indices='@loader.tetrahedra10'/>"
 "<NeoHookeanMaterial young_modulus='3e4' poisson_ratio='0.3'/>"
 "<HyperelasticForcefield topology='@solid'/>"
 "<CaribouTopology name='end' template='Triangle6' indices='@loader.triangles6'/>"
 "<TractionForcefield topology='@end' traction='0 -100 30' slope='0.3'/>"},
    {"mass of tetrahedra of second order", EULER, NODES("tetra10"),
     CARIBOU NODE_ENDS
     "<CaribouTopology name='solid' template='Tetrahedron10' indices='@loader.tetrahedra10'/>"
     "<NeoHookeanMaterial young_modulus='3e4' poisson_ratio='0.3'/>"
     "<HyperelasticForcefield topology='@solid' dilatation='mean'/>"
     "<CaribouMass topology='@solid' density='60'/>"},
    {"FEM mass of tetrahedra of second order", EULER, NODES("tetra10"),
     CARIBOU NODE_ENDS
     "<CaribouTopology name='solid' template='Tetrahedron10' indices='@loader.tetrahedra10'/>"
     "<SaintVenantKirchhoffMaterial young_modulus='3e4' poisson_ratio='0.3'/>"
     "<HyperelasticForcefield topology='@solid'/><NodalMassDensity property='70'/>"
     "<FEMMass template='Vec3d,Tetrahedron10' elements='@solid'/>"},
    {"lumped mass of tetrahedra of second order, explicit", CARIBOU "<EulerExplicitSolver/>",
     NODES("tetra10"),
     NODE_ENDS
     "<CaribouTopology name='solid' template='Tetrahedron10' indices='@loader.tetrahedra10'/>"
     "<SaintVenantKirchhoffMaterial young_modulus='300' poisson_ratio='0.3'/>"
     "<HyperelasticForcefield topology='@solid'/>"
     "<CaribouMass topology='@solid' density='60' lumped='1'/>"},
    {"hexahedra of 20 nodes", EULER, NODES("hexa20"),
     CARIBOU NODE_ENDS
     "<CaribouTopology name='solid' template='Hexahedron20' indices='@loader.hexahedra20'/>"
     "<NeoHookeanMaterial young_modulus='3e4' poisson_ratio='0.3'/>"
     "<HyperelasticForcefield topology='@solid'/><CaribouMass topology='@solid' density='60'/>"
     "<CaribouTopology name='end' template='Quad8' indices='@loader.quads8'/>"
     "<TractionForcefield topology='@end' pressure='90'/>"},
    {"hexahedra of 27 nodes", EULER, NODES("hexa27"),
     CARIBOU NODE_ENDS MASS
     "<CaribouTopology name='solid' template='Hexahedron27' indices='@loader.hexahedra27'/>"
     "<NeoHookeanMaterial young_modulus='3e4' poisson_ratio='0.45'/>"
     "<HyperelasticForcefield topology='@solid' dilatation='linear'/>"
     "<CaribouTopology name='end' template='Quad9' indices='@loader.quads9'/>"
     "<TractionForcefield topology='@end' traction='0 -100 30'/>"},
    {"prisms of second order", EULER, NODES("prism15"),
     CARIBOU NODE_ENDS
     "<CaribouTopology name='solid' template='Prism15' indices='@loader.prisms15'/>"
     "<NeoHookeanMaterial young_modulus='3e4' poisson_ratio='0.3'/>"
     "<HyperelasticForcefield topology='@solid'/><CaribouMass topology='@solid' density='60'/>"},
    {"pyramids of second order", EULER, NODES("pyramid13"),
     CARIBOU NODE_ENDS MASS
     "<CaribouTopology name='solid' template='Pyramid13' indices='@loader.pyramids13'/>"
     "<NeoHookeanMaterial young_modulus='3e4' poisson_ratio='0.3'/>"
     "<HyperelasticForcefield topology='@solid'/>"},
    {"nodes by numbers", EULER, NODES("tetra10"),
     CARIBOU
     "<FixedProjectiveConstraint indices='0 17 34 51 68 85 102 119'/>" MASS
     "<CaribouTopology name='solid' template='Tetrahedron10' indices='@loader.tetrahedra10'/>"
     "<NeoHookeanMaterial young_modulus='3e4' poisson_ratio='0.3'/>"
     "<HyperelasticForcefield topology='@solid'/>"
     "<ConstantForceField indices='8 25 60 100' forces='0.1 -2 1'/>"
     "<Node><MechanicalObject/><IdentityMapping/>"
     "<RestShapeSpringsForceField points='16 33 50' stiffness='20'/></Node>"},

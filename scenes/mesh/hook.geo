// Three quarters of a ring with a ball at its free end; gmsh -3 -format msh2 hook.geo
SetFactory("OpenCASCADE");
Torus(1) = {0, 0, 0, 0.1, 0.025, 3 * Pi / 2};
Sphere(2) = {0, -0.1, 0, 0.04};
BooleanUnion(3) = { Volume{1}; Delete; }{ Volume{2}; Delete; };
Mesh.MeshSizeMin = 0.007;
Mesh.MeshSizeMax = 0.010;

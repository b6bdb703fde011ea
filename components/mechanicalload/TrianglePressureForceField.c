/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* TrianglePressureForceField: a traction on listed triangles. */
#include "behavior/draw_state.h"
#include "components/mechanicalload/faces.h"

typedef struct TrianglePressureForceField {
  SofaForceField force_field;
  SofaVec3 pressure; /* Pa */
  SofaMat3 stress;   /* Pa; symmetric */
  SofaIndices list;
  bool show_forces, constant;
  SofaReals map; /* not used */
  SofaLink topology;
  SofaReals share;     /* m^2 at rest per point */
  double symmetric[9]; /* of stress */
} TrianglePressureForceField;

static const SofaLinkRule topology_rule = {.interface = SOFA_TOPOLOGY, .search = SOFA_SEARCH_SLOT};

typedef TrianglePressureForceField SofaSelf; /* of SOFA_ROW */

static const SofaField fields[] = {
    SOFA_ROW(pressure, "pressure", "0 0 0", "Pa", "force per area at rest, a vector"),
    SOFA_ROW(
        stress, "cauchyStress", "0 0 0 0 0 0 0 0 0", "Pa",
        "symmetric stress whose traction loads the triangles of the moment when useConstantForce "
        "is off; of two symmetric entries the later one counts",
        .flags = SOFA_FIELD_REINIT),
    SOFA_ROW(list, "triangleList", NULL, "", "loaded triangles of the topology; read at the start",
             SOFA_INDICES_OF(SOFA_ELEMENT_TRIANGLE)),
    SOFA_ROW(show_forces, "showForces", "0", "", "draw the loaded triangles",
             .flags = SOFA_FIELD_DISPLAY),
    SOFA_ROW(
        constant, "useConstantForce", "1", "",
        "load with pressure on the area at rest; off: with cauchyStress on the moving triangles"),
    SOFA_ROW(map, "trianglePressureMap", NULL, "", "computed, never read",
             .flags = SOFA_FIELD_NO_EFFECT),
    SOFA_ROW(topology, "topology", NULL, "", "topology of the triangles", .link = &topology_rule),
};

static const SofaPrivateList lists[] = {SOFA_PRIVATE(TrianglePressureForceField, share)};

static TrianglePressureForceField *self(SofaForceField *ff) {
  return (TrianglePressureForceField *)ff;
}

/* The stress tensor is filled from its later entries: those below the diagonal. */
static SofaErr pressure_init(SofaObject *object) {
  TrianglePressureForceField *p = (TrianglePressureForceField *)object;
  SofaTopology *topology = (SofaTopology *)p->topology.target;
  if (!topology) return sofa_object_fail(object, SOFA_ERR_NOT_FOUND, "no topology in context");
  const SofaTriangles *triangles = sofa_topology_triangles(topology);
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++)
      p->symmetric[3 * i + j] = p->stress.m[i > j ? 3 * i + j : 3 * j + i];
  return face_shares(&p->force_field, &p->list, FACES(triangles), &p->share);
}

/* Each vertex gets sigma n / 6, n = (b - a) x (c - a). */
static void add_stress(TrianglePressureForceField *p, const double *x, double *f) {
  const SofaTriangles *triangles = sofa_topology_triangles((SofaTopology *)p->topology.target);
  for (size_t k = 0; k < p->list.n; k++) {
    const uint32_t *v = triangles->data[p->list.data[k]].v;
    double n[3], force[3];
    face_normal(x + 3 * (size_t)v[0], x + 3 * (size_t)v[1], x + 3 * (size_t)v[2], n);
    sofa_mat3_apply(p->symmetric, n, force);
    for (int c = 0; c < 3; c++) sofa_vec3_axpy(1.0 / 6, force, f + 3 * (size_t)v[c]);
  }
}

static SofaErr pressure_add_force(SofaForceField *ff, const SofaMechParams *params,
                                  const SofaPoint *at, double *const *f) {
  (void)params;
  if (self(ff)->constant) face_add_shares(&self(ff)->share, self(ff)->pressure.v, f[0]);
  else add_stress(self(ff), at->x[0], f[0]);
  return SOFA_OK;
}

static SofaErr pressure_energy(SofaForceField *ff, const SofaMechParams *params,
                               const SofaPoint *at, double *energy) {
  (void)params;
  const TrianglePressureForceField *p = self(ff);
  *energy = p->constant ? face_shares_energy(&p->share, p->pressure.v, at->x[0]) : 0;
  return SOFA_OK;
}

/* A stress that acts on moving triangles has no potential. */
static bool is_dead(const SofaForceField *ff) {
  return ((const TrianglePressureForceField *)ff)->constant;
}

static const SofaApproximation left_out = {
    "a stress follows the triangles, and there is no tangent of that", true};

static const SofaApproximation *approximation(const SofaForceField *ff) {
  return is_dead(ff) ? NULL : &left_out;
}

static const SofaForceFieldOps ops = {.add_force = pressure_add_force,
                                      .potential_energy = pressure_energy,
                                      .conservative = is_dead,
                                      .approximation = approximation,
                                      .is_load = true};

/* The loaded faces. */
static void draw(SofaObject *object, const SofaDrawArgs *args) {
  const TrianglePressureForceField *p = (const TrianglePressureForceField *)object;
  SofaTopology *topology = (SofaTopology *)p->topology.target;
  if (!p->show_forces) return;
  if (!sofa_draw_shows_field(args, (const SofaState *const *)p->force_field.state)) return;
  const SofaTriangles *faces = sofa_topology_triangles(topology);
  if (faces && faces->n)
    face_draw(&p->force_field, args, &p->list, FACES(faces), SOFA_RGB(0, 1, 0));
}

static const SofaDrawOps draw_ops = {.draw = draw};

static const char *const templates[] = {"Vec3d", NULL};

SOFA_CLASS(TrianglePressureForceField) = {
    SOFA_NAMED(TrianglePressureForceField),
    .module = "Sofa.Component.MechanicalLoad",
    .category = "ForceField",
    .help = "A load on listed triangles: a constant force per area at rest, shared by the three "
            "vertices, or the traction of a constant stress on the moving triangles.",
    .equations = "f_i = 1/3 A_0 p",
    .base = &sofa_force_field_class,
    .divided = SOFA_DIVIDED_BY_FACES,
    SOFA_FIELDS(fields),
    SOFA_PRIVATE_LISTS(lists),
    .templates = templates,
    .init = pressure_init,
    .reinit = pressure_init,
    SOFA_IMPLEMENTS({SOFA_FORCE_FIELD, &ops}, {SOFA_TOPOLOGY_LISTENER, &sofa_listen_by_reinit},
                    {SOFA_DRAW, &draw_ops}),
};

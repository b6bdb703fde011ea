/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* QuadPressureForceField: a constant force per area at rest on listed quads. */
#include "behavior/draw_state.h"
#include "components/mechanicalload/faces.h"

typedef struct QuadPressureForceField {
  SofaForceField force_field;
  SofaVec3 pressure, normal;
  SofaIndices list;
  double dmin, dmax;
  bool show_forces;
  SofaReals map; /* not used */
  SofaLink topology;
  SofaReals share; /* m^2 at rest per point */
} QuadPressureForceField;

static const SofaLinkRule topology_rule = {.interface = SOFA_TOPOLOGY, .search = SOFA_SEARCH_SLOT};

typedef QuadPressureForceField SofaSelf; /* of SOFA_ROW */

static const SofaField fields[] = {
    SOFA_ROW(pressure, "pressure", "0 0 0", "Pa", "force per area at rest, a vector"),
    SOFA_ROW(list, "quadList", NULL, "", "loaded quads of the topology; read at the start",
             SOFA_INDICES_OF(SOFA_ELEMENT_QUAD)),
    SOFA_ROW(normal, "normal", "0 0 0", "1", "normal of the planes that select further quads"),
    SOFA_ROW(dmin, "dmin", "0", "m",
             "quads with dmin < x.normal < dmax at all vertices at rest are loaded too"),
    SOFA_ROW(dmax, "dmax", "0", "m", "see dmin; equal: no selection"),
    SOFA_ROW(show_forces, "showForces", "0", "", "draw the loaded quads",
             .flags = SOFA_FIELD_DISPLAY),
    SOFA_ROW(map, "quadPressureMap", NULL, "", "computed, never read",
             .flags = SOFA_FIELD_NO_EFFECT),
    SOFA_ROW(topology, "topology", NULL, "", "topology of the quads", .link = &topology_rule),
};

static const SofaPrivateList lists[] = {SOFA_PRIVATE(QuadPressureForceField, share)};

static SofaErr shares(SofaObject *object, bool select) {
  QuadPressureForceField *p = (QuadPressureForceField *)object;
  SofaTopology *topology = (SofaTopology *)p->topology.target;
  if (!topology) return sofa_object_fail(object, SOFA_ERR_NOT_FOUND, "no topology in context");
  const SofaQuads *quads = sofa_topology_quads(topology);
  if (select)
    SOFA_TRY(face_select(&p->force_field, p->normal.v, p->dmin, p->dmax, FACES(quads), &p->list));
  return face_shares(&p->force_field, &p->list, FACES(quads), &p->share);
}

static SofaErr quad_init(SofaObject *object) {
  return shares(object, true);
}
static SofaErr quad_reinit(SofaObject *object) {
  return shares(object, false);
}

static SofaErr quad_add_force(SofaForceField *ff, const SofaMechParams *params, const SofaPoint *at,
                              double *const *f) {
  (void)params, (void)at;
  const QuadPressureForceField *p = (QuadPressureForceField *)ff;
  face_add_shares(&p->share, p->pressure.v, f[0]);
  return SOFA_OK;
}

static SofaErr quad_energy(SofaForceField *ff, const SofaMechParams *params, const SofaPoint *at,
                           double *energy) {
  (void)params;
  const QuadPressureForceField *p = (const QuadPressureForceField *)ff;
  *energy = face_shares_energy(&p->share, p->pressure.v, at->x[0]);
  return SOFA_OK;
}

static const SofaForceFieldOps ops = {
    .add_force = quad_add_force, .potential_energy = quad_energy, .is_load = true};

/* The loaded faces. */
static void draw(SofaObject *object, const SofaDrawArgs *args) {
  const QuadPressureForceField *p = (const QuadPressureForceField *)object;
  SofaTopology *topology = (SofaTopology *)p->topology.target;
  if (!p->show_forces) return;
  if (!sofa_draw_shows_field(args, (const SofaState *const *)p->force_field.state)) return;
  const SofaQuads *faces = sofa_topology_quads(topology);
  if (faces && faces->n)
    face_draw(&p->force_field, args, &p->list, FACES(faces), SOFA_RGB(0, 1, 0));
}

static const SofaDrawOps draw_ops = {.draw = draw};

static const char *const templates[] = {"Vec3d", NULL};

SOFA_CLASS(QuadPressureForceField) = {
    SOFA_NAMED(QuadPressureForceField),
    .module = "Sofa.Component.MechanicalLoad",
    .category = "ForceField",
    .help = "A constant force per area at rest on quads, shared equally by the four vertices.",
    .equations = "f_i = 1/4 A_0 p",
    .base = &sofa_force_field_class,
    .divided = SOFA_DIVIDED_BY_FACES,
    SOFA_FIELDS(fields),
    SOFA_PRIVATE_LISTS(lists),
    .templates = templates,
    .init = quad_init,
    .reinit = quad_reinit,
    SOFA_IMPLEMENTS({SOFA_FORCE_FIELD, &ops}, {SOFA_TOPOLOGY_LISTENER, &sofa_listen_by_reinit},
                    {SOFA_DRAW, &draw_ops}),
};

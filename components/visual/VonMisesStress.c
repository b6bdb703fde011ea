/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* VonMisesStress: the stresses of finite elements at the nodes of each element, in colours. */
#include <math.h>

#include "behavior/state.h"
#include "components/visual/color_map.h"
#include "draw/faces.h"
#include "numerics/fem/element_results.h"
#include "topology/topology.h"

typedef struct VonMisesStress {
  SofaObject object;
  SofaLink evaluator, topology;
  char *map_text;
  SofaReals nodal; /* the output */
  SofaReals shown; /* of a picture */
  SofaColorMap map;
} VonMisesStress;

static const SofaLinkRule evaluator_rule = {.interface = SOFA_ELEMENT_RESULTS,
                                            .search = SOFA_SEARCH_LOCAL};
static const SofaLinkRule topology_rule = {.interface = SOFA_TOPOLOGY, .search = SOFA_SEARCH_NONE};

static const SofaField fields[] = {
    SOFA_FIELD(VonMisesStress, evaluator, "stressEvaluator", NULL, "",
               "force field whose stresses they are; default: the first in the node",
               .link = &evaluator_rule),
    SOFA_FIELD(VonMisesStress, topology, "topology", NULL, "",
               "topology of the elements, which are those of the force field",
               .link = &topology_rule),
    SOFA_FIELD(VonMisesStress, map_text, "colorMap", "", "",
               "colours from the smallest to the largest stress, separated by blanks, or the name "
               "of a colour map; default: viridis",
               .flags = SOFA_FIELD_DISPLAY),
    SOFA_FIELD(VonMisesStress, nodal, "nodalStress", NULL, "Pa",
               "von Mises stress at the nodes of each element, element by element",
               .flags = SOFA_RESULT_FLAGS),
};

static SofaErr init(SofaObject *object) {
  VonMisesStress *o = (VonMisesStress *)object;
  if (!o->evaluator.target)
    return sofa_object_fail(object, SOFA_ERR_NOT_FOUND,
                            "there is no force field with stresses in the node: name one in the "
                            "field stressEvaluator");
  sofa_color_map_free(object->ctx, &o->map);
  return sofa_color_map_read(object, "colorMap", o->map_text, &o->map);
}

static void destroy(SofaObject *object) {
  VonMisesStress *o = (VonMisesStress *)object;
  sofa_list_free(object->ctx, &o->nodal);
  sofa_list_free(object->ctx, &o->shown);
  sofa_color_map_free(object->ctx, &o->map);
}

/* ---- from quadrature points to nodes ---- */

/* Shape functions at the quadrature points of the elements. */
typedef struct Nodes {
  unsigned n_nodes, n_gauss;
  bool known; /* and there are enough points for all nodes; else the stress of the middle counts */
  double n[SOFA_QUADRATURE_MAX][SOFA_SHAPE_MAX_NODES];
} Nodes;

static SofaShape shape_of(const SofaResultElements *elements) {
  for (int i = 0; i < SOFA_N_SHAPES; i++) {
    const SofaShapeInfo *info = sofa_shape_info((SofaShape)i);
    if (info->dim == elements->dim && info->n_nodes == elements->n_nodes) return (SofaShape)i;
  }
  return SOFA_N_SHAPES;
}

/* Do the shape functions give the places of the quadrature points? */
static bool gives_places(const Nodes *nodes, const SofaResultElements *elements,
                         const SofaElementSample *s) {
  double most = 0, size = 0;
  for (unsigned g = 0; g < nodes->n_gauss; g++)
    for (unsigned k = 0; k < elements->space; k++) {
      double place = 0;
      for (unsigned i = 0; i < nodes->n_nodes; i++) {
        const double x = elements->rest[s->v[i] * elements->rest_width + k];
        place += nodes->n[g][i] * x;
        size = fmax(size, fabs(x - s->place[g][k]));
      }
      most = fmax(most, fabs(place - s->place[g][k]));
    }
  return most <= 1e-6 * size;
}

static void find_nodes(const SofaResultElements *elements, Nodes *nodes) {
  static const SofaRule rules[] = {SOFA_RULE_STIFFNESS, SOFA_RULE_FULL, SOFA_RULE_REDUCED,
                                   SOFA_RULE_MASS};
  const SofaShape shape = shape_of(elements);
  SofaQuadraturePoint points[SOFA_QUADRATURE_MAX];
  SofaElementSample sample = {.mises = -1};
  double slopes[SOFA_SHAPE_MAX_NODES][3];
  *nodes = (Nodes){.n_nodes = elements->n_nodes, .n_gauss = elements->n_gauss};
  if (shape == SOFA_N_SHAPES || nodes->n_gauss < nodes->n_nodes) return;
  elements->sample(elements->source, 0, &sample);
  for (size_t r = 0; r < sizeof rules / sizeof *rules && !nodes->known; r++) {
    if (sofa_quadrature(shape, rules[r], points) != nodes->n_gauss) continue;
    for (unsigned g = 0; g < nodes->n_gauss; g++)
      sofa_shape_functions(shape, points[g].xi, nodes->n[g], slopes);
    nodes->known = gives_places(nodes, elements, &sample);
  }
}

typedef struct Projection {
  double m[SOFA_SHAPE_MAX_NODES][SOFA_SHAPE_MAX_NODES]; /* int N_i N_j, then its Cholesky factor */
  double s[SOFA_SHAPE_MAX_NODES][6];                    /* int N_i sigma, then sigma at the nodes */
} Projection;

static void integrate(const Nodes *nodes, const SofaElementSample *sample, bool turned,
                      Projection *p) {
  const unsigned n = nodes->n_nodes;
  for (unsigned i = 0; i < n; i++)
    for (unsigned k = 0; k < 6; k++) p->s[i][k] = 0;
  for (unsigned i = 0; i < n; i++)
    for (unsigned j = 0; j < n; j++) p->m[i][j] = 0;
  for (unsigned g = 0; g < nodes->n_gauss; g++) {
    double t[6];
    const double *stress = sample->stress[g];
    if (turned) sofa_tensor_to_scene(sample->axes[g], sample->stress[g], t), stress = t;
    for (unsigned i = 0; i < n; i++) {
      const double w = sample->weight[g] * nodes->n[g][i];
      for (unsigned k = 0; k < 6; k++) p->s[i][k] += w * stress[k];
      for (unsigned j = 0; j <= i; j++) p->m[i][j] += w * nodes->n[g][j];
    }
  }
}

/* false: the matrix is singular */
static bool factorize(unsigned n, Projection *p) {
  for (unsigned j = 0; j < n; j++) {
    const double whole = p->m[j][j];
    for (unsigned k = 0; k < j; k++) p->m[j][j] -= p->m[j][k] * p->m[j][k];
    if (!(p->m[j][j] > 1e-12 * whole)) return false;
    p->m[j][j] = sqrt(p->m[j][j]);
    for (unsigned i = j + 1; i < n; i++) {
      for (unsigned k = 0; k < j; k++) p->m[i][j] -= p->m[i][k] * p->m[j][k];
      p->m[i][j] /= p->m[j][j];
    }
  }
  return true;
}

static void substitute(unsigned n, Projection *p) {
  for (unsigned k = 0; k < 6; k++) {
    for (unsigned i = 0; i < n; i++) {
      for (unsigned j = 0; j < i; j++) p->s[i][k] -= p->m[i][j] * p->s[j][k];
      p->s[i][k] /= p->m[i][i];
    }
    for (unsigned i = n; i-- > 0;) {
      for (unsigned j = i + 1; j < n; j++) p->s[i][k] -= p->m[j][i] * p->s[j][k];
      p->s[i][k] /= p->m[i][i];
    }
  }
}

static void element_stress(const Nodes *nodes, const SofaElementSample *sample, bool turned,
                           double *out) {
  Projection p;
  bool good = nodes->known;
  if (good) integrate(nodes, sample, turned, &p);
  good = good && factorize(nodes->n_nodes, &p);
  if (good) substitute(nodes->n_nodes, &p);
  for (unsigned i = 0; i < nodes->n_nodes; i++)
    out[i] = good                 ? sofa_von_mises(p.s[i])
             : sample->mises >= 0 ? sample->mises
                                  : sofa_von_mises(sample->middle_stress);
}

static SofaErr find_stress(VonMisesStress *o, SofaResultElements *elements, SofaReals *out) {
  SofaForceField *ff = (SofaForceField *)o->evaluator.target;
  const SofaElementResultsOps *ops = ff ? sofa_ops(&ff->object, SOFA_ELEMENT_RESULTS) : NULL;
  Nodes nodes;
  *elements = (SofaResultElements){.n = 0};
  if (ops) SOFA_TRY(ops->elements(ff, elements));
  SOFA_TRY(SOFA_RESIZE(o->object.ctx, out, elements->n * elements->n_nodes));
  if (!elements->n) return SOFA_OK;
  find_nodes(elements, &nodes);
  for (size_t e = 0; e < elements->n; e++) {
    SofaElementSample sample = {.mises = -1};
    elements->sample(elements->source, e, &sample);
    element_stress(&nodes, &sample, elements->turned, out->data + e * elements->n_nodes);
  }
  return SOFA_OK;
}

static SofaErr compute_output(SofaObject *object, const SofaField *field) {
  VonMisesStress *o = (VonMisesStress *)object;
  SofaResultElements elements;
  if (sofa_field_value(object, field) != &o->nodal) return SOFA_OK;
  SOFA_TRY(find_stress(o, &elements, &o->nodal));
  sofa_field_touch(object, field);
  return SOFA_OK;
}

/* ---- drawing ---- */

typedef struct Picture {
  SofaDrawList *list;
  const SofaColorMap *map;
  double low, high;
  const SofaState *state;
} Picture;

static SofaRgba color_of(const Picture *p, double stress) {
  return sofa_color_map_at(p->map, p->high > p->low ? (stress - p->low) / (p->high - p->low) : 0);
}

/* The corners of an element with their colours; false: one is out of range. */
static bool corners(const Picture *p, const uint32_t *v, const double *stress, unsigned n,
                    double x[8][3], SofaRgba color[8]) {
  const SofaCoords *all = &p->state->position;
  for (unsigned i = 0; i < n; i++) {
    if (v[i] >= all->n) return false;
    for (unsigned k = 0; k < 3; k++)
      x[i][k] = k < all->width ? all->data[v[i] * all->width + k] : 0;
    color[i] = color_of(p, stress[i]);
  }
  return true;
}

static void draw_element(const Picture *p, unsigned dim, unsigned n, const uint32_t *v,
                         const double *stress) {
  const uint8_t(*faces)[4];
  double x[8][3];
  SofaRgba color[8];
  if (!corners(p, v, stress, n, x, color)) return;
  const int n_faces = sofa_draw_element_faces(n, dim == 2, &faces);
  if (dim == 1) sofa_draw_line(p->list, x[0], x[1], 4, color[0]);
  for (int f = 0; f < n_faces; f++)
    for (unsigned k = 2; k < (faces[f][3] == 255 ? 3u : 4u); k++) {
      const unsigned a = faces[f][0], b = faces[f][k - 1], c = faces[f][k];
      sofa_draw_triangle_shaded(p->list, (const double *const[]){x[a], x[b], x[c]},
                                (const SofaRgba[]){color[a], color[b], color[c]});
    }
}

static void draw(SofaObject *object, const SofaDrawArgs *args) {
  VonMisesStress *o = (VonMisesStress *)object;
  const SofaForceField *ff = (const SofaForceField *)o->evaluator.target;
  Picture p = {.list = args->list, .map = &o->map, .low = INFINITY, .high = -INFINITY};
  SofaResultElements elements;
  if (!sofa_display_shows(args->flags, SOFA_DISPLAY_VISUAL_MODELS)) return;
  if (!ff || find_stress(o, &elements, &o->shown) != SOFA_OK || !elements.n) return;
  const SofaShape shape = shape_of(&elements);
  if (shape == SOFA_N_SHAPES) return;
  p.state = ff->state[0];
  const unsigned n = sofa_shape_info(sofa_shape_info(shape)->corners)->n_nodes;
  for (size_t i = 0; i < o->shown.n; i++) {
    p.low = fmin(p.low, o->shown.data[i]);
    p.high = fmax(p.high, o->shown.data[i]);
  }
  for (size_t e = 0; e < elements.n; e++) {
    SofaElementSample sample = {.mises = -1};
    elements.sample(elements.source, e, &sample);
    draw_element(&p, elements.dim, n, sample.v, o->shown.data + e * elements.n_nodes);
  }
}

static const SofaDrawOps draw_ops = {.draw = draw};

static const char *const templates[] = {"Vec1d,Edge",     "Vec2d,Edge",        "Vec3d,Edge",
                                        "Vec2d,Triangle", "Vec3d,Triangle",    "Vec2d,Quad",
                                        "Vec3d,Quad",     "Vec3d,Hexahedron",  "Vec3d,Prism",
                                        "Vec3d,Pyramid",  "Vec3d,Tetrahedron", NULL};

SOFA_CLASS(VonMisesStress) = {
    SOFA_NAMED(VonMisesStress),
    .module = "Sofa.Component.SolidMechanics.FEM.Elastic",
    .category = "_Miscellaneous",
    .help = "Von Mises stresses at the nodes of each element, drawn as colours. Of each element "
            "they are those of the stress with its shape functions that is nearest to the stresses "
            "of its quadrature points; neighbours differ where the mesh is too coarse.",
    .equations = "int N_i (sum_j N_j sigma_j - sigma) dV = 0\n"
                 "\"N_i: shape function of node i, sigma_i: its stress\"",
    .base = &sofa_object_class,
    SOFA_FIELDS(fields),
    .templates = templates,
    .init = init,
    .reinit = init,
    .compute_output = compute_output,
    .destroy = destroy,
    SOFA_IMPLEMENTS({SOFA_DRAW, &draw_ops}),
};

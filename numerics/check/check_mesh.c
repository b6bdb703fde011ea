/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Check of the meshes of a scene: shapes of elements, duplicates, surfaces, points, scale. */
#include <math.h>

#include "behavior/loader.h"
#include "behavior/mass.h"
#include "math/vec.h"
#include "numerics/check/mesh_faults_impl.h"
#include "topology/element_shape_impl.h"
#include "numerics/fem/element_mesh.h"
#include "topology/element_source.h"

/* ---- points ---- */

/* Does a state of the node hold the places of a topology's points? */
static bool fits(const SofaState *state, const SofaTopology *topology, size_t least) {
  if (!state || sofa_state_kind_info(state->object.kind)->space < 2) return false;
  if (state->position.n < least || state->position.n == 0) return false;
  return !sofa_topology_has_positions(topology) ||
         (state->object.node == topology->object.node && state->position.n == topology->n_points);
}

/* Those of the state that moves them, else the topology's own. */
static SofaErr take_points(CheckedMesh *m, SofaTopology *topology) {
  const SofaState *state = sofa_node_state(topology->object.node);
  const bool own = !fits(state, topology, sofa_mesh_vertex_count(m->mesh));
  size_t n = own ? topology->n_points : state->position.n;
  if (own && !sofa_topology_has_positions(topology)) n = 0;
  SOFA_TRY(SOFA_RESIZE(m->ctx, &m->points, n));
  for (size_t i = 0; i < n; i++) {
    double *p = m->points.data[i].v;
    if (own) sofa_topology_point(topology, i, p);
    for (unsigned c = 0; !own && c < 3; c++)
      p[c] = c < sofa_state_kind_info(state->object.kind)->space
                 ? state->position.data[i * state->position.width + c]
                 : 0;
  }
  const SofaNode *above = sofa_node_parent(topology->object.node);
  const SofaTopology *other = above ? sofa_node_topology(above) : NULL;
  m->is_part = other && other->n_points == n;
  m->is_grid = topology->container == SOFA_CONTAINER_GRID;
  return SOFA_OK;
}

/* The first point that is not finite is reported; *finite: there is none. */
static SofaErr check_points(const CheckedMesh *m, bool *finite) {
  *finite = true;
  for (size_t i = 0; i < m->points.n; i++) {
    const double *p = m->points.data[i].v;
    if (isfinite(p[0] + p[1] + p[2])) continue;
    *finite = false;
    return sofa_check_add(m->report, m->object, SOFA_CHECK_WRONG, NAN,
                          "the position of point %zu is not finite", i);
  }
  return SOFA_OK;
}

/* ---- shapes of elements ---- */

/* Elements whose shape is below a hundredth of the best: matrices of such meshes are badly
 * conditioned, by about the inverse of that. */
static const double bad_shape = 0.01;

/* The smallest determinant of the Jacobian, divided by the mean distance of the points to the power
 * of the dimension. */
static double shape_of(SofaElementKind kind, const double (*x)[3]) {
  const unsigned n = sofa_element_kind_info(kind)->width;
  const double dim = kind >= SOFA_ELEMENT_TETRA ? 3 : 2;
  double box = 0, square = 0, pairs = 0;
  for (int c = 0; c < 3; c++) {
    double low = x[0][c], high = x[0][c];
    for (unsigned i = 0; i < n; i++) {
      low = fmin(low, x[i][c]), high = fmax(high, x[i][c]);
      for (unsigned k = 0; k < i; k++) square += (x[i][c] - x[k][c]) * (x[i][c] - x[k][c]);
    }
    box += (high - low) * (high - low);
  }
  for (unsigned i = 0; i < n; i++) pairs += i;
  if (!(square > 0)) return 0;
  return sofa_element_quality(kind, x, false) * pow(box * pairs / square, dim / 2);
}

/* Relative to the element of the kind whose edges are all equal: 1, of others less. */
static double quality(const CheckedMesh *m, SofaElementKind kind, const uint32_t *v) {
  static const double h = 0.8660254037844386, r = 0.7071067811865475, g = 0.816496580927726;
  const double regular[SOFA_N_ELEMENT_KINDS][8][3] = {
      [SOFA_ELEMENT_TRIANGLE] = {{0}, {1}, {0.5, h}},
      [SOFA_ELEMENT_QUAD] = {{0}, {1}, {1, 1}, {0, 1}},
      [SOFA_ELEMENT_TETRA] = {{0}, {1}, {0.5, h}, {0.5, h / 3, g}},
      [SOFA_ELEMENT_PYRAMID] = {{0}, {1}, {1, 1}, {0, 1}, {0.5, 0.5, r}},
      [SOFA_ELEMENT_PRISM] = {{0}, {1}, {0.5, h}, {0, 0, 1}, {1, 0, 1}, {0.5, h, 1}},
      [SOFA_ELEMENT_HEXA] = {{0}, {1}, {1, 1}, {0, 1}, {0, 0, 1}, {1, 0, 1}, {1, 1, 1}, {0, 1, 1}}};
  double x[8][3];
  for (unsigned k = 0; k < sofa_element_kind_info(kind)->width; k++)
    sofa_vec3_copy(m->points.data[v[k]].v, x[k]);
  return shape_of(kind, (const double(*)[3])x) / shape_of(kind, regular[kind]);
}

static SofaErr check_shapes(CheckedMesh *m, SofaElementKind kind) {
  const SofaElements list = sofa_mesh_elements(m->mesh, kind);
  const bool solid = kind >= SOFA_ELEMENT_TETRA;
  FaultList inverted = {.what = "inverted: its corners are in the opposite order"};
  FaultList flat = {.what = "flat: it has no size"};
  FaultList thin = {.what = "badly shaped: its shape is below 0.01 of the best"};
  for (size_t e = 0; e < list.n; e++) {
    const double q = quality(m, kind, list.v + e * list.width);
    const bool counts = solid || !m->is_solid; // faces of solids do not
    if (q < m->worst && counts) m->worst = q, m->worst_kind = kind, m->worst_element = e;
    if (q > SOFA_FLAT_ELEMENT && (q > bad_shape || !counts)) continue;
    FaultList *faults = q > SOFA_FLAT_ELEMENT             ? &thin
                        : solid && q < -SOFA_FLAT_ELEMENT ? &inverted
                                                          : &flat;
    fault_add(faults, e, list.v[e * list.width]);
  }
  const SofaCheckVerdict verdict = solid ? SOFA_CHECK_WRONG : SOFA_CHECK_WARNING;
  SOFA_TRY(fault_report(m, kind, &inverted, verdict));
  SOFA_TRY(fault_report(m, kind, &flat, verdict));
  return fault_report(m, kind, &thin, SOFA_CHECK_WARNING);
}

/* ---- scale ---- */

static void measure(CheckedMesh *m) {
  double low[3] = {INFINITY, INFINITY, INFINITY}, high[3] = {-INFINITY, -INFINITY, -INFINITY};
  for (size_t i = 0; i < m->points.n; i++)
    for (int c = 0; c < 3; c++) {
      low[c] = fmin(low[c], m->points.data[i].v[c]);
      high[c] = fmax(high[c], m->points.data[i].v[c]);
    }
  for (int c = 0; c < 3; c++) m->extent[c] = m->points.n ? high[c] - low[c] : 0;
  double sum = 0;
  size_t n = 0;
  for (int kind = SOFA_ELEMENT_EDGE; kind < SOFA_N_ELEMENT_KINDS; kind++) {
    const SofaElements list = sofa_mesh_elements(m->mesh, (SofaElementKind)kind);
    for (size_t e = 0; e < list.n; e++, n++)
      sum += sofa_vec3_distance(m->points.data[list.v[e * list.width]].v,
                                m->points.data[list.v[e * list.width + 1]].v);
  }
  m->edge = n ? sum / (double)n : 0;
}

/* The first value of a field of an object of the node that has it; 0: none. */
static double young_of(const SofaNode *node) {
  for (size_t i = 0; i < node->objects.n; i++) {
    const SofaObject *object = node->objects.data[i];
    const SofaField *field = sofa_class_field(object->klass, "youngModulus");
    if (!field || !sofa_implements(object, SOFA_FORCE_FIELD) || field->type != &sofa_type_reals)
      continue;
    const SofaReals *list = sofa_field_value(object, field);
    if (list->n) return list->data[0];
  }
  return 0;
}

static double mass_of(const SofaNode *node) {
  for (size_t i = 0; i < node->objects.n; i++) {
    const SofaObject *object = node->objects.data[i];
    if (!sofa_implements(object, SOFA_MASS) || !sofa_valid(object)) continue;
    const SofaMassOps *ops = sofa_mass_ops((const SofaMass *)object);
    if (ops->total_mass && ((const SofaMass *)object)->force_field.state[0])
      return ops->total_mass((const SofaMass *)object);
  }
  return 0;
}

/* Lengths that are not in metres next to a gravity in m/s^2; a body that its weight crushes. */
static SofaErr check_scale(const CheckedMesh *m) {
  const SofaNode *node = m->object->node;
  const double g = sofa_vec3_norm(node->gravity.v), *x = m->extent;
  const double size = fmax(x[0], fmax(x[1], x[2])), young = young_of(node), mass = mass_of(node);
  const double least = fmin(x[0], fmin(x[1], x[2]));
  const double area = least > 0 ? x[0] * x[1] * x[2] / least : 0;
  if (mass > 0 && g > 9 && g < 10.5 && size > 50)
    SOFA_TRY(sofa_check_add(m->report, m->object, SOFA_CHECK_WARNING, NAN,
                            "a body of %.3g m in a gravity of %.3g m/s^2: is the mesh in "
                            "millimetres? With lengths in mm and masses in kg, gravity is 9810 "
                            "mm/s^2 and Young's modulus in kPa; or scale the mesh by 0.001",
                            size, g));
  if (young > 0 && area > 0 && mass * g > young * area)
    SOFA_TRY(sofa_check_add(m->report, m->object, SOFA_CHECK_WARNING, NAN,
                            "the weight of %.3g N on an area of %.3g m^2 is a pressure above "
                            "Young's modulus of %.3g Pa: check the units (m, kg, s, Pa)",
                            mass * g, area, young));
  return SOFA_OK;
}

/* ---- all ---- */

static SofaErr summarise(const CheckedMesh *m) {
  SofaText text = {0};
  SofaContext *ctx = m->ctx;
  SofaErr err = sofa_text_printf(ctx, &text, "%zu points", m->points.n);
  for (int kind = SOFA_ELEMENT_EDGE; err == SOFA_OK && kind < SOFA_N_ELEMENT_KINDS; kind++) {
    const size_t n = sofa_mesh_elements(m->mesh, (SofaElementKind)kind).n;
    if (n)
      err = sofa_text_printf(ctx, &text, ", %zu %s", n,
                             sofa_element_kind_info((SofaElementKind)kind)->field);
  }
  if (err == SOFA_OK)
    err = sofa_text_printf(ctx, &text, "; %.3g x %.3g x %.3g m, mean edge %.3g m", m->extent[0],
                           m->extent[1], m->extent[2], m->edge);
  if (err == SOFA_OK && m->n_open)
    err = sofa_text_printf(ctx, &text, "; open surface: %zu edges of one face", m->n_open);
  if (err == SOFA_OK && isfinite(m->worst))
    err = sofa_text_printf(ctx, &text, "; worst shape %.2g (%s %zu)", m->worst,
                           sofa_element_kind_info(m->worst_kind)->name, m->worst_element);
  if (err == SOFA_OK)
    err = sofa_check_add(m->report, m->object, SOFA_CHECK_OK, NAN, "%s", text.data);
  sofa_list_free(ctx, &text);
  return err;
}

static SofaErr check_mesh(CheckedMesh *m) {
  SofaElementKind kind;
  size_t element;
  bool finite;
  if (!sofa_mesh_check(m->mesh, m->points.n, &kind, &element)) {
    if (m->points.n == 0) return SOFA_OK; // its places are not known
    return sofa_check_add(m->report, m->object, SOFA_CHECK_WRONG, NAN,
                          "%s %zu has a point that does not exist: there are %zu",
                          sofa_element_kind_info(kind)->name, element, m->points.n);
  }
  SOFA_TRY(check_points(m, &finite));
  if (!finite || m->points.n == 0) return SOFA_OK;
  measure(m);
  m->worst = INFINITY;
  for (int k = SOFA_ELEMENT_TETRA; k < SOFA_N_ELEMENT_KINDS; k++)
    m->is_solid |= sofa_mesh_elements(m->mesh, (SofaElementKind)k).n > 0;
  for (int k = m->is_grid ? SOFA_ELEMENT_QUAD : SOFA_ELEMENT_TRIANGLE; k < SOFA_N_ELEMENT_KINDS;
       k++)
    SOFA_TRY(check_shapes(m, (SofaElementKind)k));
  SOFA_TRY(sofa_check_mesh_duplicates(m));
  SOFA_TRY(sofa_check_mesh_faces(m));
  SOFA_TRY(check_scale(m));
  return summarise(m);
}

/* Meshes that a topology took over are checked there. */
static bool is_taken(const SofaSimulation *s, const SofaMesh *mesh, const SofaNodes *nodes) {
  (void)s;
  for (size_t i = 0; i < nodes->n; i++)
    for (size_t k = 0; k < nodes->data[i]->objects.n; k++) {
      SofaObject *object = nodes->data[i]->objects.data[k];
      if (!sofa_implements(object, SOFA_TOPOLOGY)) continue;
      const SofaMesh *other = &((SofaTopology *)object)->mesh;
      if (other->position.n == mesh->position.n &&
          sofa_compare(other->position.data, mesh->position.data,
                       mesh->position.n * sizeof *mesh->position.data) == 0)
        return true;
    }
  return false;
}

/* ---- elements that are not of a topology ---- */

/* The least measure at the points of quadrature of a solid, relative to its size. */
static double least_measure(SofaShape shape, const double *rest, const uint32_t *v) {
  SofaQuadraturePoint rule[SOFA_QUADRATURE_MAX];
  const size_t n_points = sofa_quadrature(shape, SOFA_RULE_FULL, rule);
  double n[SOFA_SHAPE_MAX_NODES], d[SOFA_SHAPE_MAX_NODES][3], g[3 * SOFA_SHAPE_MAX_NODES];
  double p[3 * SOFA_SHAPE_MAX_NODES], least = INFINITY, longest = 0;
  for (unsigned a = 0; a < sofa_shape_info(shape)->n_nodes; a++) {
    sofa_vec3_copy(rest + 3 * (size_t)v[a], p + 3 * a);
    longest = fmax(longest, sofa_vec3_distance(p, p + 3 * a));
  }
  for (size_t q = 0; q < n_points; q++) {
    sofa_shape_functions(shape, rule[q].xi, n, d);
    least = fmin(least, sofa_shape_gradients(shape, 3, p, d, g));
  }
  return least / (longest * longest * longest);
}

/* Solids with nodes on their edges, at rest in the state of their node. */
static SofaErr check_source(const SofaObject *object, SofaCheckReport *report) {
  const SofaElementSourceOps *ops = sofa_ops(object, SOFA_ELEMENT_SOURCE);
  const SofaState *state = sofa_node_state(object->node);
  SofaElementKind kind = SOFA_ELEMENT_POINT;
  if (!ops || !ops->nodes || !state || state->object.kind != SOFA_VEC3) return SOFA_OK;
  ops->elements(object, &kind);
  const SofaElements list = ops->nodes(object);
  const SofaShape shape = sofa_shape_of_kind(kind, list.width);
  if (shape == SOFA_N_SHAPES || sofa_shape_info(shape)->order < 2 ||
      sofa_shape_info(shape)->dim < 3)
    return SOFA_OK;
  const SofaCoords *rest = state->rest_position.n ? &state->rest_position : &state->position;
  double worst = INFINITY;
  size_t n_bad = 0, first = 0;
  for (size_t e = 0; e < list.n; e++) {
    for (unsigned a = 0; a < list.width; a++)
      if (list.v[list.width * e + a] >= rest->n) return SOFA_OK;
    const double least = least_measure(shape, rest->data, list.v + list.width * e);
    worst = fmin(worst, least);
    if (!(least > SOFA_FLAT_ELEMENT) && n_bad++ == 0) first = e;
  }
  const char *name = sofa_shape_info(shape)->name;
  if (n_bad)
    return sofa_check_add(report, object, SOFA_CHECK_WRONG, NAN,
                          "%zu of %zu elements %s are flat, inverted or folded somewhere, the "
                          "first is %zu: their nodes are not in VTK's order, or too far from the "
                          "middle of the edges",
                          n_bad, list.n, name, first);
  return sofa_check_add(report, object, SOFA_CHECK_OK, NAN, "%zu elements %s; worst shape %.2g",
                        list.n, name, worst);
}

static SofaErr check_object(SofaSimulation *s, const SofaNodes *nodes, SofaObject *object,
                            SofaCheckReport *report) {
  CheckedMesh m = {.ctx = s->ctx, .report = report, .object = object};
  SofaErr err = SOFA_OK;
  if (!sofa_valid(object)) return SOFA_OK;
  if (sofa_implements(object, SOFA_TOPOLOGY)) {
    m.mesh = &((SofaTopology *)object)->mesh;
    err = take_points(&m, (SofaTopology *)object);
  } else if (sofa_implements(object, SOFA_LOADER)) {
    m.mesh = &((SofaMeshLoader *)object)->data.mesh;
    if (is_taken(s, m.mesh, nodes)) return SOFA_OK;
    err = sofa_list_copy(s->ctx, &m.points, &m.mesh->position, sizeof *m.points.data);
  } else {
    return check_source(object, report);
  }
  if (err == SOFA_OK) err = check_mesh(&m);
  sofa_list_free(s->ctx, &m.points);
  return err;
}

SofaErr sofa_check_mesh(SofaSimulation *simulation, SofaCheckReport *report) {
  SofaNodes nodes = {0};
  SofaErr err = SOFA_OK;
  report->check = "mesh";
  SOFA_GO(err, done, sofa_node_order(simulation->root, &nodes));
  for (size_t i = 0; i < nodes.n; i++)
    for (size_t k = 0; k < nodes.data[i]->objects.n; k++)
      SOFA_GO(err, done, check_object(simulation, &nodes, nodes.data[i]->objects.data[k], report));
done:
  sofa_list_free(simulation->ctx, &nodes);
  return err;
}

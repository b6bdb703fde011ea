/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Drawing of states, and of force fields by the elements they act on. */
#include "behavior/draw_state.h"

#include <math.h>

#include "behavior/force_field.h"
#include "behavior/visual_model.h"
#include "topology/element_source.h"

const SofaInterface sofa_visual_model_interface = {
    .name = "visual model", SOFA_REQUIRES(offsetof(SofaVisualModelOps, surface))};

const SofaRgba sofa_draw_face_colors[4] = {
    {{0, 0, 1, 1}}, {{0, 0.5f, 1, 1}}, {{0, 1, 1, 1}}, {{0.5f, 1, 1, 1}}};

void sofa_state_point(const SofaState *state, size_t i, double p[3]) {
  const SofaStateKind kind = state->object.kind;
  const unsigned space = kind == SOFA_NO_KIND ? 3 : sofa_state_kind_info(kind)->space;
  const double *x = state->position.data + i * state->position.width;
  for (unsigned k = 0; k < 3; k++) p[k] = k < space ? x[k] : 0;
}

void sofa_draw_link(SofaDrawList *list, SofaStatePoint from, SofaStatePoint to, double pixels,
                    SofaRgba color) {
  double p[3], q[3];
  if (from.index >= from.state->position.n || to.index >= to.state->position.n) return;
  sofa_state_point(from.state, from.index, p);
  sofa_state_point(to.state, to.index, q);
  sofa_draw_line(list, p, q, pixels, color);
}

void sofa_draw_force(SofaDrawList *list, SofaStatePoint at, const double *force, unsigned n,
                     double scale, SofaRgba color) {
  double p[3], tip[3], length = 0;
  if (at.index >= at.state->position.n) return;
  sofa_state_point(at.state, at.index, p);
  for (unsigned k = 0; k < 3; k++) {
    const double f = k < n ? scale * force[k] : 0;
    tip[k] = p[k] + f;
    length += f * f;
  }
  if (length > 0) sofa_draw_arrow(list, p, tip, 0.03 * sqrt(length), color);
}

bool sofa_draw_shows_field(const SofaDrawArgs *args, const SofaState *const state[2]) {
  if (!state[0]) return false;
  const bool interaction = state[1] && state[1] != state[0];
  return sofa_display_shows(args->flags, interaction ? SOFA_DISPLAY_INTERACTION_FORCE_FIELDS
                                                     : SOFA_DISPLAY_FORCE_FIELDS);
}

void sofa_draw_state_points(SofaDrawList *list, const SofaState *state, const SofaIndices *indices,
                            double radius, SofaRgba color) {
  const size_t n = indices ? indices->n : state->position.n;
  for (size_t k = 0; k < n; k++) {
    const size_t i = indices ? indices->data[k] : k;
    double p[3];
    if (i >= state->position.n) continue;
    sofa_state_point(state, i, p);
    if (radius > 0) sofa_draw_sphere(list, p, radius, color);
    else sofa_draw_point(list, p, 10, color);
  }
}

typedef struct Elements {
  SofaElements list;
  SofaElementKind kind;
} Elements;

static void draw_elements(const SofaDrawArgs *args, const SofaState *state, const Elements *e,
                          double shrink, const SofaRgba color[4]) {
  const SofaStateKind of = state->object.kind;
  const unsigned space = of == SOFA_NO_KIND ? 3 : sofa_state_kind_info(of)->space;
  SofaDrawElements how = {.x = state->position.data,
                          .n_points = state->position.n,
                          .stride = state->position.width,
                          .space = space > 3 ? 3 : space,
                          .shrink = shrink,
                          .wireframe = sofa_display_shows(args->flags, SOFA_DISPLAY_WIREFRAME)};
  for (int i = 0; i < 4; i++) how.color[i] = color[i];
  sofa_draw_elements(args->list, &how, e->list.v, e->list.n, e->list.width,
                     e->kind == SOFA_ELEMENT_QUAD);
}

void sofa_draw_state_elements(const SofaDrawArgs *args, const SofaState *state,
                              SofaTopology *topology, SofaElementKind kind, double shrink,
                              const SofaRgba color[4]) {
  draw_elements(args, state, &(Elements){sofa_topology_elements(topology, kind), kind}, shrink,
                color);
}

void sofa_draw_field_source(const SofaState *state, const SofaObject *source,
                            const SofaDrawArgs *args) {
  const SofaElementSourceOps *ops = sofa_ops(source, SOFA_ELEMENT_SOURCE);
  Elements e;
  if (!sofa_display_shows(args->flags, SOFA_DISPLAY_FORCE_FIELDS) || !state) return;
  e.list = ops->elements(source, &e.kind);
  draw_elements(args, state, &e, 1, sofa_draw_face_colors);
}
/* ---- force fields ---- */

/* Value of a field that the class may have; NULL: it has no field of that type. */
static const void *value_of(const SofaObject *object, const char *name, const SofaType *type) {
  const SofaField *field = sofa_class_field(object->klass, name);
  return field && field->type == type ? sofa_field_value(object, field) : NULL;
}

static void draw_field(SofaObject *object, const SofaDrawArgs *args, SofaElementKind kind) {
  static const char *const color_names[] = {"drawColor1", "drawColor2", "drawColor3", "drawColor4"};
  const SofaForceField *ff = (const SofaForceField *)object;
  const bool *drawing = value_of(object, "drawing", &sofa_type_bool);
  const SofaLink *link = value_of(object, "topology", &sofa_type_link);
  SofaTopology *topology =
      link && link->target ? (SofaTopology *)link->target : sofa_node_topology(object->node);
  SofaRgba color[4];
  if (!sofa_display_shows(args->flags, SOFA_DISPLAY_FORCE_FIELDS)) return;
  if ((drawing && !*drawing) || !topology || !ff->state[0]) return;
  for (int i = 0; i < 4; i++) {
    const SofaColor *own = value_of(object, color_names[i], &sofa_type_color);
    color[i] = own ? sofa_rgba(own) : sofa_draw_face_colors[i];
  }
  sofa_draw_state_elements(args, ff->state[0], topology, kind, 1, color);
}

#define DRAW_OPS(plural, KIND)                                                                     \
  static void draw_##plural(SofaObject *object, const SofaDrawArgs *args) {                        \
    draw_field(object, args, SOFA_ELEMENT_##KIND);                                                 \
  }                                                                                                \
  const SofaDrawOps sofa_draw_field_##plural = {.draw = draw_##plural};

DRAW_OPS(tetrahedra, TETRA)
DRAW_OPS(hexahedra, HEXA)
DRAW_OPS(triangles, TRIANGLE)
DRAW_OPS(quads, QUAD)
DRAW_OPS(edges, EDGE)

static void draw_mixed(SofaObject *object, const SofaDrawArgs *args) {
  const SofaTopology *t = sofa_node_topology(object->node);
  const SofaMesh *mesh = t ? &t->mesh : NULL;
  if (!mesh) return;
  const bool volumes =
      mesh->tetrahedra.n || mesh->hexahedra.n || mesh->prisms.n || mesh->pyramids.n;
  if (volumes) {
    draw_field(object, args, SOFA_ELEMENT_TETRA);
    draw_field(object, args, SOFA_ELEMENT_PYRAMID);
    draw_field(object, args, SOFA_ELEMENT_PRISM);
    draw_field(object, args, SOFA_ELEMENT_HEXA);
  } else if (mesh->triangles.n || mesh->quads.n) {
    draw_field(object, args, SOFA_ELEMENT_TRIANGLE);
    draw_field(object, args, SOFA_ELEMENT_QUAD);
  } else {
    draw_field(object, args, SOFA_ELEMENT_EDGE);
  }
}
const SofaDrawOps sofa_draw_field_mixed = {.draw = draw_mixed};

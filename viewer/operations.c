/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Fixing, removing, cutting and joining with the mouse. */
#include "viewer/operations.h"

#include <math.h>
#include <string.h>

#include "change/topological_mapping.h"
#include "components/setting/setting.h"
#include "components/topology/incision.h"
#include "components/topology/topology_modifier.h"
#include "math/vec.h"
#include "viewer/mouse_spring.h"

static const double STIFFNESS = 10000; /* N/m */

/* ---- names and buttons ---- */

static const char *const words[N_OPERATIONS] = {"none",   "attach", "fix",
                                                "remove", "incise", "suture"};

const char *operation_word(Operation operation) {
  return words[operation];
}

Operation operation_of_word(const char *word) {
  int i = 0;
  while (i < N_OPERATIONS && strcmp(words[i], word) != 0) i++;
  return (Operation)i;
}

static const MouseButtonSetting *setting_of(const SofaSimulation *simulation,
                                            const SofaClass *klass) {
  return (const MouseButtonSetting *)sofa_node_find_class(simulation->root, klass,
                                                          SOFA_SEARCH_DOWN);
}

void operations_of_scene(const SofaSimulation *simulation, Operation buttons[N_MOUSE_BUTTONS]) {
  static const int button_of_option[] = {MOUSE_LEFT, MOUSE_MIDDLE, MOUSE_RIGHT};
  const MouseButtonSetting *attach = NULL, *fix = NULL;
  buttons[MOUSE_LEFT] = OPERATION_ATTACH;
  buttons[MOUSE_MIDDLE] = OPERATION_INCISE;
  buttons[MOUSE_RIGHT] = OPERATION_REMOVE;
  if (!simulation) return;
  attach = setting_of(simulation, &sofa_AttachBodyButtonSetting_class);
  fix = setting_of(simulation, &sofa_FixPickedParticleButtonSetting_class);
  if (attach) buttons[button_of_option[attach->button.index]] = OPERATION_ATTACH;
  if (fix) buttons[button_of_option[fix->button.index]] = OPERATION_FIX;
}

/* ---- springs that stay ---- */

void operations_init(Operations *o) {
  *o = (Operations){.snap_path = 0.1, .snap_end = 0.25};
}

void operations_stop(Operations *o) {
  if (o->sutured) sofa_object_destroy(&o->sutured);
  o->cut = NULL;
}

void operations_release(Operations *o, SofaContext *ctx) {
  operations_stop(o);
  for (size_t i = o->held.n; i-- > 0;) sofa_object_destroy(&o->held.data[i]);
  sofa_list_free(ctx, &o->held);
}

size_t operations_held(const Operations *o) {
  double from[3], to[3];
  size_t n = 0;
  for (size_t i = 0; i < o->held.n; i++) n += mouse_spring_places(o->held.data[i], from, to);
  return n;
}

static SofaErr nothing_moves(SofaSimulation *simulation, const char *what) {
  return sofa_object_fail(&simulation->root->object, SOFA_ERR_ARGUMENT,
                          "cannot %s: there is nothing below the mouse that moves", what);
}

static SofaErr hold(Operations *o, SofaSimulation *simulation, const char *what,
                    const PickAnchor *from, const PickAnchor *to, double stiffness) {
  SofaObject *spring = NULL;
  double limit = INFINITY;
  const MouseButtonSetting *setting =
      setting_of(simulation, &sofa_FixPickedParticleButtonSetting_class);
  if (!(stiffness > 0 && isfinite(stiffness))) stiffness = setting ? setting->stiffness : STIFFNESS;
  if (!(stiffness > 0 && isfinite(stiffness))) stiffness = STIFFNESS;
  if (from->state && to && to->state) SOFA_TRY(mouse_spring_limit(from, to, &limit));
  if (stiffness > limit) {
    sofa_object_message(&simulation->root->object, SOFA_WARNING,
                        "a spring between bodies of different solvers acts once per step: %.3g N/m "
                        "instead of %.3g, so that it is stable",
                        limit, stiffness);
    stiffness = limit;
  }
  SOFA_TRY(SOFA_RESERVE(simulation->ctx, &o->held, o->held.n + 1));
  const SofaErr err = mouse_spring_create(what, from, to, stiffness, &spring);
  if (err == SOFA_ERR_ARGUMENT) return nothing_moves(simulation, what);
  SOFA_TRY(err);
  return SOFA_APPEND(simulation->ctx, &o->held, &spring);
}

SofaErr operations_fix(Operations *o, SofaSimulation *simulation, const PickAnchor *anchor) {
  return hold(o, simulation, "fix", anchor, NULL, o->fix_stiffness);
}

SofaErr operations_suture(Operations *o, SofaSimulation *simulation, const PickAnchor *anchor) {
  PickAnchor first;
  if (!anchor->state) {
    operations_stop(o);
    return nothing_moves(simulation, "suture");
  }
  // a spring without stiffness follows the first place
  if (!o->sutured) return mouse_spring_create("suture", anchor, NULL, 0, &o->sutured);
  const bool there = mouse_spring_ends(o->sutured, &first, NULL);
  sofa_object_destroy(&o->sutured);
  if (!there) first.state = NULL;
  return hold(o, simulation, "suture", &first, anchor, o->suture_stiffness);
}

/* ---- changing elements ---- */

/* An element of a topology. */
typedef struct Part {
  SofaTopology *topology;
  SofaElementKind kind;
  uint32_t id;
} Part;

/* The largest element of a topology that has all the vertices. */
static bool find_whole(SofaTopology *topology, const uint32_t *v, unsigned n, Part *out) {
  for (int kind = SOFA_ELEMENT_HEXA; kind > SOFA_ELEMENT_POINT; kind--) {
    const SofaElements e = sofa_mesh_elements(&topology->mesh, (SofaElementKind)kind);
    for (size_t i = 0; i < e.n && e.width >= n; i++) {
      unsigned found = 0;
      for (unsigned k = 0; k < n; k++)
        for (unsigned c = 0; c < e.width; c++) found += e.v[i * e.width + c] == v[k];
      if (found < n) continue;
      *out = (Part){topology, (SofaElementKind)kind, (uint32_t)i};
      return true;
    }
  }
  return false;
}

/* Where the elements of a topology come from, NULL: they are its own. */
static SofaTopologicalMapping *mapping_to(const SofaTopologyEdit *edit, const SofaTopology *t) {
  for (size_t i = 0; i < edit->objects.n; i++) {
    SofaObject *object = edit->objects.data[i];
    if (!sofa_valid(object) || !sofa_implements(object, SOFA_TOPOLOGICAL_MAPPING)) continue;
    SofaTopologicalMapping *map = (SofaTopologicalMapping *)object;
    if (map->to == t && map->from != t) return map;
  }
  return NULL;
}

/* Goes up from surfaces to what they are the skin of. */
static SofaErr find_own(const SofaTopologyEdit *edit, Part *part) {
  for (;;) {
    const SofaElements e = sofa_mesh_elements(&part->topology->mesh, part->kind);
    uint32_t v[8];
    sofa_copy(v, e.v + (size_t)part->id * e.width, e.width * sizeof *v);
    find_whole(part->topology, v, e.width, part);
    SofaTopologicalMapping *map = mapping_to(edit, part->topology);
    if (!map) return SOFA_OK;
    if (!map->from || !find_whole(map->from, v, e.width, part))
      return sofa_object_fail(&map->object, SOFA_ERR_NOT_FOUND,
                              "%s %u of '%s' cannot be removed: no element of its input has its "
                              "points",
                              sofa_element_kind_info(part->kind)->name, part->id,
                              part->topology->object.name);
  }
}

/* When memory ran out half-way the scene must not go on. */
static SofaErr end(SofaSimulation *simulation, SofaTopologyEdit *edit, SofaErr err) {
  const SofaErr ended = sofa_topology_edit_end(edit, err != SOFA_OK);
  const SofaErr failed = err == SOFA_ERR_MEMORY || err == SOFA_OK ? (err ? err : ended) : SOFA_OK;
  if (failed != SOFA_OK && simulation->failure == SOFA_OK) simulation->failure = failed;
  return err != SOFA_OK ? err : ended;
}

static SofaErr no_element(SofaSimulation *simulation, const PickHit *hit, const char *what) {
  const SofaObject *object = hit->state ? &hit->state->object : &simulation->root->object;
  return sofa_object_fail(object, SOFA_ERR_ARGUMENT, "cannot %s: %s", what,
                          hit->state ? "the mouse is not over an element of a topology"
                                     : "the mouse is not over the surface of a body");
}

SofaErr operations_remove(SofaSimulation *simulation, const PickHit *hit) {
  SofaTopologyEdit edit;
  unsigned flags = 0;
  if (!hit->state || !hit->topology) return no_element(simulation, hit, "remove");
  Part part = {hit->topology, hit->kind, (uint32_t)hit->element};
  SOFA_TRY(sofa_topology_edit_begin(simulation->root, &edit));
  SofaErr err = find_own(&edit, &part);
  if (err == SOFA_OK)
    err = sofa_modifier_check(&part.topology->object, part.topology, part.kind, &flags);
  if (err == SOFA_OK)
    err = sofa_topology_remove(&edit, part.topology, part.kind, &part.id, 1, flags);
  return end(simulation, &edit, err);
}

/* ---- incisions ---- */

/* Weights in the order of the triangle's vertices. */
static SofaSurfacePlace place_of(const PickHit *hit) {
  SofaSurfacePlace place = {.triangle = (uint32_t)hit->element};
  const uint32_t *v = hit->topology->mesh.triangles.data[hit->element].v;
  for (int k = 0; k < 3; k++)
    for (int i = 0; i < 3; i++)
      if (hit->points[i] == v[k]) place.weights[k] = fmax(hit->weights[i], 0);
  return place;
}

/* Where the path begins now, on the side of a former cut that lies towards the next point. */
static bool find_begin(const Operations *o, const SofaState *state, const double *towards,
                       SofaSurfacePlace *place) {
  SofaSurfaceNearest nearest;
  const SofaSurfaceFoot foot =
      sofa_surface_nearest(sofa_incision_rest(state), state->position.n, &o->cut->mesh.triangles,
                           o->cut_rest, towards, &nearest);
  *place = nearest.place;
  return foot != SOFA_FOOT_NONE;
}

static SofaErr cut(Operations *o, SofaTopologyEdit *edit, SofaIncision *in,
                   SofaSurfacePlace *places, size_t *doubled) {
  const SofaTriangles *triangles = &in->topology->mesh.triangles;
  double towards[3];
  SofaIncisionResult result;
  places[0] = places[1];
  SOFA_TRY(sofa_incision_check(edit, in));
  sofa_surface_at(sofa_incision_rest(in->state), triangles, &places[1], towards);
  if (o->cut == in->topology && find_begin(o, in->state, towards, &places[0])) {
    SOFA_TRY(sofa_incise(edit, in, &result));
    *doubled = result.doubled;
    sofa_vec3_copy(sofa_incision_rest(in->state) + 3 * (size_t)result.last, towards);
  }
  o->cut = in->topology;
  sofa_vec3_copy(towards, o->cut_rest);
  return SOFA_OK;
}

SofaErr operations_incise(Operations *o, SofaSimulation *simulation, const PickHit *hit,
                          size_t *doubled) {
  SofaTopologyEdit edit;
  *doubled = 0;
  if (!hit->state || !hit->topology) {
    o->cut = NULL;
    return no_element(simulation, hit, "cut");
  }
  if (hit->kind != SOFA_ELEMENT_TRIANGLE)
    return sofa_object_fail(&hit->topology->object, SOFA_ERR_ARGUMENT,
                            "cannot cut: only surfaces of triangles can be cut, this one is of %s",
                            sofa_element_kind_info(hit->kind)->field);
  SofaSurfacePlace places[2] = {{0}, place_of(hit)};
  SofaIncision in = {.topology = hit->topology,
                     .state = hit->state,
                     .places = places,
                     .n = 2,
                     .snap_path = o->snap_path,
                     .snap_end = o->snap_end,
                     .caller = &hit->topology->object};
  SOFA_TRY(sofa_topology_edit_begin(simulation->root, &edit));
  return end(simulation, &edit, cut(o, &edit, &in, places, doubled));
}

/* ---- drawing ---- */

static void draw_spring(const SofaObject *spring, SofaRgba color, SofaDrawList *list) {
  double from[3], to[3];
  if (!mouse_spring_places(spring, from, to)) return;
  sofa_draw_line(list, from, to, 3, color);
  sofa_draw_point(list, from, 9, color);
  sofa_draw_point(list, to, 9, color);
}

void operations_draw(const Operations *o, SofaDrawList *list) {
  const SofaDrawLayer kept = list->layer;
  list->layer = SOFA_LAYER_FRONT;
  for (size_t i = 0; i < o->held.n; i++) draw_spring(o->held.data[i], SOFA_RGB(1, 0.3, 0.3), list);
  if (o->sutured) draw_spring(o->sutured, SOFA_RGB(0.3, 0.8, 0.3), list);
  const SofaState *state = o->cut ? sofa_node_state(o->cut->object.node) : NULL;
  SofaSurfacePlace place;
  if (state && find_begin(o, state, NULL, &place)) {
    double p[3];
    sofa_surface_at(state->position.data, &o->cut->mesh.triangles, &place, p);
    sofa_draw_point(list, p, 9, SOFA_RGB(0.3, 0.8, 0.3));
  }
  list->layer = kept;
}

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Points of files on surfaces. */
#include "scripted_incision.h"

#include "math/vec.h"

static const double CLOSE = 1e-3; /* of the longest edge: still in the triangle */
static const double BESIDE = 0.1; /* of the longest edge: beside the surface, on its border */
static const double SAME_END =
    1e-5; /* m, as in SOFA: an incision begins where the last one ended */

/* What the points are looked for in. */
typedef struct Surface {
  const SofaObject *caller;
  const char *file;
  const SofaTriangles *triangles;
  const SofaState *state;
  const double *rest; /* or the positions */
  size_t n;
} Surface;

static SofaErr open_surface(const SofaObject *caller, const char *file, SofaTopology *topology,
                            Surface *s) {
  *s = (Surface){.caller = caller,
                 .file = file,
                 .triangles = sofa_topology_triangles(topology),
                 .state = sofa_node_state(topology->object.node)};
  if (!s->state || s->state->object.kind != SOFA_VEC3)
    return sofa_object_fail(caller, SOFA_ERR_ARGUMENT,
                            "incisions need a mechanical state Vec3d with the points of '%s'",
                            topology->object.name);
  s->n = s->state->position.n;
  s->rest = sofa_incision_rest(s->state);
  return topology->failure;
}

static SofaErr off_surface(const Surface *s, const ScriptAction *action, size_t i,
                           double distance) {
  const double *p = action->path.data + 3 * i;
  return sofa_object_fail(s->caller, SOFA_ERR_RANGE,
                          "%s, line %d: point %zu of the incision, (%g %g %g), is not on the "
                          "surface: the nearest place is %g m away",
                          s->file, action->line, i, p[0], p[1], p[2], distance);
}

/* In the triangle that the file names, when it is there. */
static bool in_named_triangle(const Surface *s, const ScriptAction *action, size_t i,
                              SofaSurfacePlace *place) {
  const double *p = action->path.data + 3 * i, *x = s->state->position.data;
  place->triangle = action->ids.data[i];
  const uint32_t *v = s->triangles->data[place->triangle].v;
  if (v[0] >= s->n || v[1] >= s->n || v[2] >= s->n) return false;
  const double *a = x + 3 * (size_t)v[0], *b = x + 3 * (size_t)v[1], *c = x + 3 * (size_t)v[2];
  const double d = sofa_triangle_nearest(a, b, c, p, place->weights), *w = place->weights;
  if (w[0] > 0 && w[1] > 0 && w[2] > 0) return true;
  return d <= CLOSE * sofa_vec3_distance(a, b);
}

/* The place of point i on the surface as it is. */
static SofaErr find_now(const Surface *s, const ScriptAction *action, size_t i,
                        SofaSurfacePlace *place) {
  const double *p = action->path.data + 3 * i;
  SofaSurfaceNearest nearest;
  if (action->ids.n && action->ids.data[i] >= s->triangles->n)
    return sofa_object_fail(s->caller, SOFA_ERR_RANGE,
                            "%s, line %d: there is no triangle %u, but %zu of them", s->file,
                            action->line, action->ids.data[i], s->triangles->n);
  if (action->ids.n && in_named_triangle(s, action, i, place)) return SOFA_OK;
  const double *towards = action->path.data + 3 * (i ? i - 1 : 1);
  const SofaSurfaceFoot foot =
      sofa_surface_nearest(s->state->position.data, s->n, s->triangles, p, towards, &nearest);
  const double distance = nearest.distance, size = nearest.size;
  *place = nearest.place;
  if (foot == SOFA_FOOT_NONE || (foot == SOFA_FOOT_BORDER && distance > BESIDE * size))
    return off_surface(s, action, i, distance);
  if (action->ids.n)
    sofa_object_message(s->caller, SOFA_WARNING,
                        "%s, line %d: point %zu of the incision is not in triangle %u but in %u",
                        s->file, action->line, i, action->ids.data[i], place->triangle);
  else if (distance > size)
    sofa_object_message(s->caller, SOFA_WARNING,
                        "%s, line %d: point %zu of the incision is %g m off the surface: the place "
                        "below it is taken",
                        s->file, action->line, i, distance);
  return SOFA_OK;
}

static void find_at_rest(const Surface *s, const double p[3], const double *towards,
                         SofaSurfacePlace *place) {
  SofaSurfaceNearest nearest;
  sofa_surface_nearest(s->rest, s->n, s->triangles, p, towards, &nearest);
  *place = nearest.place;
}

SofaErr scripted_incision_save(const SofaObject *caller, const char *file, SofaTopology *topology,
                               ScriptAction *action) {
  Surface s;
  SofaSurfacePlace place;
  SOFA_TRY(open_surface(caller, file, topology, &s));
  SOFA_TRY(SOFA_RESIZE(caller->ctx, &action->rest, 3 * action->n));
  for (size_t i = 0; i < action->n; i++) {
    const SofaErr err = find_now(&s, action, i, &place);
    if (err != SOFA_OK) sofa_list_free(caller->ctx, &action->rest);
    SOFA_TRY(err);
    sofa_surface_at(s.rest, s.triangles, &place, action->rest.data + 3 * i);
  }
  return SOFA_OK;
}

static void find_saved(const Surface *s, const ScriptAction *action, SurfacePlaces *places) {
  const double *rest = action->rest.data;
  for (size_t i = 0; i < places->n; i++)
    find_at_rest(s, rest + 3 * i, rest + 3 * (i ? i - 1 : 1), &places->data[i]);
}

SofaErr scripted_incision_saved(SofaTopology *topology, const ScriptAction *action,
                                SurfacePlaces *places) {
  Surface s;
  SOFA_TRY(open_surface(&topology->object, "", topology, &s));
  SOFA_TRY(SOFA_RESIZE(topology->object.ctx, places, action->rest.n / 3));
  find_saved(&s, action, places);
  return SOFA_OK;
}

static SofaErr find_path(const Surface *s, const ScriptAction *action, const IncisionTrace *trace,
                         SurfacePlaces *places) {
  double towards[3];
  SOFA_TRY(SOFA_RESIZE(s->caller->ctx, places, action->n));
  if (action->rest.n) find_saved(s, action, places);
  for (size_t i = 0; i < action->n && !action->rest.n; i++)
    SOFA_TRY(find_now(s, action, i, &places->data[i]));
  // a place that is nowhere is refused by the incision
  if (places->data[1].triangle >= s->triangles->n) return SOFA_OK;
  if (trace->known && sofa_vec3_distance(trace->end, action->path.data) < SAME_END) {
    sofa_surface_at(s->rest, s->triangles, &places->data[1], towards);
    find_at_rest(s, trace->rest, towards, &places->data[0]);
  }
  return SOFA_OK;
}

SofaErr scripted_incision_run(SofaTopologyEdit *edit, const IncisionScript *script,
                              const ScriptAction *action, IncisionTrace *trace) {
  SofaTopology *topology = script->topology;
  const SofaObject *caller = script->caller;
  Surface s;
  SurfacePlaces places = {0};
  SofaIncisionResult result;
  SofaErr err = SOFA_OK;
  SOFA_GO(err, done, open_surface(caller, script->file, topology, &s));
  SOFA_GO(err, done, find_path(&s, action, trace, &places));
  const SofaIncision incision = {.topology = topology,
                                 .state = s.state,
                                 .places = places.data,
                                 .n = places.n,
                                 .snap_path = script->snap_path,
                                 .snap_end = script->snap_end,
                                 .caller = caller};
  SOFA_GO(err, done, sofa_incise(edit, &incision, &result));
  // the lists may be elsewhere now
  SOFA_GO(err, done, open_surface(caller, script->file, topology, &s));
  trace->known = true;
  sofa_vec3_copy(action->path.data + 3 * (action->n - 1), trace->end);
  sofa_vec3_copy(s.rest + 3 * (size_t)result.last, trace->rest);
done:
  sofa_list_free(caller->ctx, &places);
  return err;
}

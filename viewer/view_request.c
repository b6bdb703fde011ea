/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Reading of what the user wants to see. */
#include "viewer/view_request.h"

#include <math.h>
#include <string.h>

#include "base/files.h"
#include "base/text.h"
#include "behavior/draw_state.h"
#include "draw/display_words.h"
#include "math/quaternion.h"
#include "math/vec.h"
#include "viewer/view_file.h"

static const SofaOrigin origin = {.emitter = "view"};

/* The numbers of a text, separated by blanks or commas; -1: it has other words, or too many. */
static int read_numbers(const char *text, double *out, int most) {
  int n = 0;
  for (;;) {
    text += strspn(text, ", \t\n");
    if (!*text) return n;
    if (n == most || !sofa_read_real(&text, &out[n]) || !isfinite(out[n])) return -1;
    n++;
  }
}

/* ---- flags ---- */

static SofaErr apply_flags(SceneView *view, SofaContext *ctx, const char *text) {
  SofaDisplayFlags flags;
  size_t length = 0;
  const char *nearest = NULL;
  const char *wrong = sofa_display_flags_read(text, &flags, &length, &nearest);
  if (wrong)
    return sofa_fail(ctx, SOFA_ERR_ARGUMENT, &origin, "'%.*s' is not a display flag%s%s%s",
                     (int)length, wrong, nearest ? "; did you mean '" : "", nearest ? nearest : "",
                     nearest ? "'?" : "");
  scene_view_options(view)->flags = flags;
  return SOFA_OK;
}

/* ---- camera ---- */

bool view_request_camera(const char *text, SofaCamera *camera) {
  static const double y[3] = {0, 1, 0}, z[3] = {0, 0, 1};
  double v[10], along[3];
  const int n = read_numbers(text, v, 10);
  if (n != 6 && n != 7 && n != 9 && n != 10) return false;
  sofa_vec3_sub(v + 3, v, along);
  const double *up = fabs(along[1]) < 0.999 * sofa_vec3_norm(along) ? y : z;
  const bool has_up = n >= 9, has_angle = n == 7 || n == 10;
  if (!(sofa_vec3_norm(along) > 0) || (has_up && !(sofa_vec3_norm(v + 6) > 0))) return false;
  if (has_angle && !(v[n - 1] > 0 && v[n - 1] < 180)) return false;
  if (has_angle) camera->field_of_view = v[n - 1];
  sofa_camera_place(camera, v, v + 3, has_up ? v + 6 : up);
  return true;
}

static SofaErr apply_camera(SceneView *view, SofaContext *ctx, const char *text) {
  if (view_request_camera(text, scene_view_camera(view))) return SOFA_OK;
  if (sofa_is_file(text)) return view_file_read(ctx, text, scene_view_camera(view));
  return sofa_fail(
      ctx, SOFA_ERR_ARGUMENT, &origin,
      "camera '%s': expected a view file that exists, or numbers: position (3), another "
      "place that is looked at (3), then if wanted the upward direction (3) and the "
      "field of view (degrees, below 180)",
      text);
}

/* ---- what is looked at ---- */

static SofaErr refuse_path(SofaSimulation *simulation, const char *text) {
  SofaText nearest = {0};
  SofaErr err = sofa_path_suggest(simulation->root, text, &nearest);
  if (err == SOFA_OK)
    err = sofa_fail(simulation->ctx, SOFA_ERR_ARGUMENT, &origin,
                    "look at '%s': expected three numbers or the path of an object or node%s", text,
                    nearest.n ? nearest.data : "");
  sofa_list_free(simulation->ctx, &nearest);
  return err;
}

static const SofaBox no_box = {{1e300, 1e300, 1e300}, {-1e300, -1e300, -1e300}};

static bool is_valid_box(const SofaBox *box) {
  return box->min[0] <= box->max[0];
}

static void grow_by_state(const SofaState *state, SofaBox *box) {
  for (size_t i = 0; i < state->position.n; i++) {
    double p[3];
    sofa_state_point(state, i, p);
    for (int k = 0; k < 3; k++) {
      box->min[k] = fmin(box->min[k], p[k]);
      box->max[k] = fmax(box->max[k], p[k]);
    }
  }
}

/* All states of a node and below. */
static void grow_by_node(const SofaNode *node, SofaBox *box) {
  for (size_t i = 0; i < node->objects.n; i++)
    if (sofa_implements(node->objects.data[i], SOFA_STATE))
      grow_by_state((const SofaState *)node->objects.data[i], box);
  for (size_t i = 0; i < node->children.n; i++) grow_by_node(node->children.data[i], box);
}

/* Of a state its points, of a node all below it; of another object its own box, else that of the
 * state it acts on. */
static SofaErr box_of(SofaObject *object, SofaBox *box) {
  *box = no_box;
  if (object->klass == &sofa_node_class) grow_by_node((const SofaNode *)object, box);
  else if (sofa_implements(object, SOFA_STATE)) grow_by_state((const SofaState *)object, box);
  else SOFA_TRY(sofa_object_bounding_box(object, box));
  if (is_valid_box(box) || object->klass == &sofa_node_class) return SOFA_OK;
  const SofaState *state = sofa_node_state(object->node);
  *box = no_box;
  if (state) grow_by_state(state, box);
  return SOFA_OK;
}

static SofaErr find_place(SofaSimulation *simulation, const char *text, double *place) {
  static const SofaPathRule rule = {.strict = true};
  SofaBox box;
  double v[3];
  if (read_numbers(text, v, 3) == 3) {
    sofa_vec3_copy(v, place);
    return SOFA_OK;
  }
  const char *at = text + strspn(text, "/");
  const bool root = text[0] == '/' && !*at;
  SofaObject *object = root  ? &simulation->root->object
                       : *at ? sofa_resolve_path(simulation->root, at, &rule)
                             : NULL;
  if (!object) return refuse_path(simulation, text);
  SOFA_TRY(box_of(object, &box));
  if (!is_valid_box(&box))
    return sofa_object_fail(object, SOFA_ERR_ARGUMENT,
                            "there is nothing at it that can be looked at");
  for (int k = 0; k < 3; k++) place[k] = 0.5 * (box.min[k] + box.max[k]);
  return SOFA_OK;
}

static SofaErr apply_look_at(SceneView *view, SofaSimulation *simulation,
                             const ViewRequest *request) {
  static const double y[3] = {0, 1, 0};
  SofaCamera *camera = scene_view_camera(view);
  double place[3], up[3], moved[3], position[3];
  SOFA_TRY(find_place(simulation, request->look_at, place));
  sofa_quat_rotate(camera->orientation, y, up);
  sofa_vec3_copy(camera->position, position);
  if (!request->camera) {
    sofa_vec3_sub(place, camera->look_at, moved);
    sofa_vec3_add(position, moved, position);
  }
  sofa_camera_place(camera, position, place, up);
  return SOFA_OK;
}

SofaErr view_request_apply(SceneView *view, SofaSimulation *simulation,
                           const ViewRequest *request) {
  if (request->show) SOFA_TRY(apply_flags(view, simulation->ctx, request->show));
  if (request->camera) SOFA_TRY(apply_camera(view, simulation->ctx, request->camera));
  if (request->look_at) SOFA_TRY(apply_look_at(view, simulation, request));
  if (request->color) SOFA_TRY(scene_view_color(view, request->color, request->range));
  return SOFA_OK;
}

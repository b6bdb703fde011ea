/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* MechanicalStateController: moves a frame, or the rest of an instrument's jaws, by the mouse. */
#include "behavior/animation_loop.h"
#include "object/checkpoint.h"
#include "math/quaternion.h"
#include "math/vec.h"
#include "object/event.h"
#include "simulation/schedule.h"

typedef struct MechanicalStateController {
  SofaObject object;
  bool handle_event_triggers_update, only_translation, button_device_state;
  uint32_t index;
  SofaVec3 main_direction;
  SofaState *state;
  int dx, dy; /* of the mouse since the last step */
  SofaMouseButton button;
} MechanicalStateController;

typedef MechanicalStateController SofaSelf; /* of SOFA_ROW */

static const SofaField fields[] = {
    SOFA_ROW(handle_event_triggers_update, "handleEventTriggersUpdate", "0", "",
             "no effect: mapped states follow in any case", .flags = SOFA_FIELD_NO_EFFECT),
    SOFA_ROW(index, "index", "0", "1", "frame that is moved"),
    SOFA_ROW(only_translation, "onlyTranslation", "0", "",
             "left button: along x and y; middle: along z; one m per count"),
    SOFA_ROW(button_device_state, "buttonDeviceState", "0", "",
             "jaws are closed as by the middle button"),
    SOFA_ROW(main_direction, "mainDirection", "0 0 -1", "",
             "direction in the frame along which the right button moves it, 0.05 m per count"),
};

static SofaErr init(SofaObject *object) {
  MechanicalStateController *c = (MechanicalStateController *)object;
  c->state = (SofaState *)sofa_node_slot(object->node, SOFA_MECHANICAL_STATE);
  if (!c->state || c->state->object.kind != object->kind)
    return sofa_object_fail(object, SOFA_ERR_NOT_FOUND, "its node has no state of template %s",
                            object->template_name);
  const size_t n = c->state->position.n, wanted = object->kind == SOFA_VEC1 ? 2 : 1;
  if ((object->kind == SOFA_VEC1 && n < wanted) || (object->kind != SOFA_VEC1 && c->index >= n))
    return sofa_field_fail(object, "index", SOFA_ERR_RANGE, "is %u: the state has %zu entries",
                           c->index, n);
  return SOFA_OK;
}

/* q = q * turn by the angle about an axis of the frame. */
static void turn(double *q, int axis, double angle) {
  double a[3] = {0, 0, 0}, t[4], r[4];
  a[axis] = 1;
  sofa_quat_from_axis_angle(a, angle, t);
  sofa_quat_multiply(q, t, r);
  for (int k = 0; k < 4; k++) q[k] = r[k];
}

static void move_frame(MechanicalStateController *c) {
  double *x = SOFA_POSE(c->state->position.data, c->index), *q = x + 3, along[3];
  const double dx = c->dx, dy = c->dy;
  if (c->only_translation) {
    if (c->button == SOFA_MOUSE_LEFT) x[0] += dx;
    if (c->button == SOFA_MOUSE_RIGHT) x[1] += dy;
    if (c->button == SOFA_MOUSE_MIDDLE) x[2] += dy;
  } else if (c->button == SOFA_MOUSE_LEFT) {
    turn(q, 1, 0.001 * dx);
    turn(q, 2, 0.001 * dy);
  } else if (c->button == SOFA_MOUSE_RIGHT) {
    sofa_quat_rotate(q, c->main_direction.v, along);
    for (int k = 0; k < 3; k++) x[k] += 0.05 * dy * along[k];
    turn(q, 0, 0.001 * dx);
  }
  sofa_quat_normalize(q);
}

/* Mapped states follow; there is nothing to follow before the first step. */
static SofaErr propagate(const SofaObject *object) {
  SofaAnimationLoop *loop =
      (SofaAnimationLoop *)sofa_node_slot(sofa_node_root(object->node), SOFA_ANIMATION_LOOP);
  if (!loop || !loop->schedule || sofa_schedule_is_stale(loop->schedule)) return SOFA_OK;
  return sofa_schedule_propagate(loop->schedule);
}

static SofaErr begin(MechanicalStateController *c) {
  const bool closed = c->button == SOFA_MOUSE_MIDDLE || c->button_device_state;
  if (c->object.kind == SOFA_VEC1) {
    for (size_t k = 0; k < 2 && k < c->state->rest_position.n; k++)
      c->state->rest_position.data[k] = closed ? -0.4 : 0;
    return SOFA_OK;
  }
  if (c->button == SOFA_MOUSE_NONE || (!c->dx && !c->dy)) return SOFA_OK;
  move_frame(c);
  c->dx = c->dy = 0;
  sofa_state_touch(c->state);
  return propagate(&c->object);
}

static SofaErr handle_event(SofaObject *object, const SofaEvent *event) {
  MechanicalStateController *c = (MechanicalStateController *)object;
  if (event->type == SOFA_EVENT_MOUSE_MOVED) {
    c->dx += event->dx;
    c->dy += event->dy;
    c->button = event->button;
  }
  return event->type == SOFA_EVENT_ANIMATE_BEGIN ? begin(c) : SOFA_OK;
}

static const char *const templates[] = {"Rigid3d", "Vec1d", NULL};

static const SofaKeptMember kept[] = {
    SOFA_KEEP(MechanicalStateController, dx),
    SOFA_KEEP(MechanicalStateController, dy),
    SOFA_KEEP(MechanicalStateController, button),
};

SOFA_CLASS(MechanicalStateController) = {
    SOFA_NAMED(MechanicalStateController),
    .module = "Sofa.Component.Controller",
    .category = "Controller",
    .help = "Moves a frame by the mouse; of numbers (Vec1d) it sets the rest positions 0 and 1, "
            "the jaws of an instrument, to 0 or, closed, to -0.4.",
    .base = &sofa_object_class,
    SOFA_KEEPS(kept),
    SOFA_FIELDS(fields),
    .templates = templates,
    .listening = true,
    .init = init,
    .handle_event = handle_event,
};

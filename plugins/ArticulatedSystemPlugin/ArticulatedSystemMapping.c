/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* ArticulatedSystemMapping: a tree of frames moved by angles and lengths. Each joint i has an axis
 * a_i and a place A_i in the world; it gives frames beyond it the velocity a_i x (C - A_i) and the
 * angular velocity a_i, or the velocity a_i. Source: R. Featherstone, Rigid Body Dynamics
 * Algorithms, Springer 2008, chapter 4. */
#include <math.h>
#include <string.h>
#include "articulated.h"
#include "numerics/mapping/map_matrix.h"
#include "numerics/mapping/multi_mapping.h"
#include "math/quaternion.h"
#include "math/vec.h"
#include "object/checkpoint.h"

/* A rotation or a translation. */
typedef struct Joint {
  uint32_t index; /* of its value in the first input */
  bool rotation;
  double local[3];              /* axis in the frame that it acts on */
  double value, axis[3], at[3]; /* at the last apply: a and A above */
  double d_axis[3], d_at[3];    /* their change, of the last derivative */
} Joint;

typedef struct Center {
  ArticulationCenter *object;
  const SofaField *place; /* of the object: where the two frames meet */
  uint32_t parent, child;
  size_t first, n;            /* joints */
  double meet[3];             /* where the two frames meet, in the world */
  double turn[3], carrier[4]; /* where they act together: their rotation vector, the parent's
                                 orientation */
} Center;

SOFA_LIST(Joint, Joints);
SOFA_LIST(Center, Centers);

typedef struct ArticulatedSystemMapping {
  SofaMultiMapping multi;
  SofaLink container;
  uint32_t index_root;
  Joints joints;
  Centers centers;
  size_t n_in[2], n_out;
  uint32_t root;      /* frame of the second input that carries frame 0 */
  SofaReals base;     /* 7 per frame: where frames are that nothing carries */
  SofaReals place;    /* 3 per frame, at the last apply */
  SofaIndices center; /* that carries each frame, or UINT32_MAX */
  SofaReals row;      /* of the Jacobian being written, one per value */
  SofaMapMatrix j[2];
} ArticulatedSystemMapping;

static const SofaLinkRule container_rule = {.klass = &sofa_ArticulatedHierarchyContainer_class,
                                            .search = SOFA_SEARCH_NONE};

static const SofaField fields[] = {
    SOFA_FIELD(
        ArticulatedSystemMapping, container, "container", NULL, "",
        "the tree; default: the first ArticulatedHierarchyContainer in the node of the first "
        "input or below",
        .link = &container_rule),
    SOFA_FIELD(ArticulatedSystemMapping, index_root, "indexInput2", "0", "1",
               "frame of the second input that carries frame 0; default: the last one"),
};

/* ---- setup ---- */

static SofaErr add_joint(ArticulatedSystemMapping *m, Articulation *a, bool rotation) {
  Joint joint = {.index = (uint32_t)a->index, .rotation = rotation};
  const double length = sofa_vec3_norm(a->axis.v);
  if (a->index < 0 || (size_t)a->index >= m->n_in[0])
    return sofa_field_fail(&a->object, "articulationIndex", SOFA_ERR_RANGE,
                           "is %d, the input has the values 0 to %zd", a->index,
                           (ptrdiff_t)m->n_in[0] - 1);
  SOFA_TRY(sofa_object_check_ranges(&a->object)); // its init may come later
  sofa_vec3_scale(1 / length, a->axis.v, joint.local);
  return SOFA_APPEND(m->multi.mapping.object.ctx, &m->joints, &joint);
}

/* The articulations in the children of the center's node and below. */
static SofaErr add_joints(ArticulatedSystemMapping *m, const ArticulationCenter *center) {
  SofaContext *ctx = m->multi.mapping.object.ctx;
  SofaErr err = SOFA_OK;
  const SofaNodes *children = &center->object.node->children;
  for (size_t i = 0; err == SOFA_OK && i < children->n; i++) {
    SofaNodes nodes = {0};
    err = sofa_node_order(children->data[i], &nodes);
    for (size_t k = 0; k < nodes.n && err == SOFA_OK; k++) {
      const SofaObjects *objects = &nodes.data[k]->objects;
      for (size_t o = 0; o < objects->n && err == SOFA_OK; o++) {
        if (!sofa_class_is_a(objects->data[o]->klass, &sofa_Articulation_class)) continue;
        Articulation *a = (Articulation *)objects->data[o];
        if (a->rotation) err = add_joint(m, a, true);
        if (err == SOFA_OK && a->translation) err = add_joint(m, a, false);
      }
    }
    sofa_list_free(ctx, &nodes);
  }
  return err;
}

static SofaErr check_center(const ArticulatedSystemMapping *m, const ArticulationCenter *c) {
  const int n = (int)m->n_out;
  if (c->parent < 0 || c->parent >= n)
    return sofa_field_fail(&c->object, "parentIndex", SOFA_ERR_RANGE,
                           "is %d, the output has the frames 0 to %d", c->parent, n - 1);
  if (c->child < 1 || c->child >= n || c->child == c->parent)
    return sofa_field_fail(&c->object, "childIndex", SOFA_ERR_RANGE,
                           "is %d, expected another frame than the parent, from 1 to %d", c->child,
                           n - 1);
  if (m->center.data[c->child] != UINT32_MAX)
    return sofa_field_fail(&c->object, "childIndex", SOFA_ERR_RANGE,
                           "frame %d is the child of two centers", c->child);
  // what moves the parent must be known before the child
  for (size_t i = 0; i < m->centers.n; i++)
    if (m->centers.data[i].parent == (uint32_t)c->child)
      return sofa_field_fail(&c->object, "childIndex", SOFA_ERR_RANGE,
                             "frame %d already carries another one: its center must come before",
                             c->child);
  return SOFA_OK;
}

static SofaErr add_center(ArticulatedSystemMapping *m, ArticulationCenter *object) {
  SOFA_TRY(check_center(m, object));
  Center center = {.object = object,
                   .place = sofa_class_field(object->object.klass, "globalPosition"),
                   .parent = (uint32_t)object->parent,
                   .child = (uint32_t)object->child,
                   .first = m->joints.n};
  SOFA_TRY(add_joints(m, object));
  center.n = m->joints.n - center.first;
  m->center.data[center.child] = (uint32_t)m->centers.n;
  return SOFA_APPEND(m->multi.mapping.object.ctx, &m->centers, &center);
}

static SofaErr collect(ArticulatedSystemMapping *m) {
  const SofaObject *object = &m->multi.mapping.object;
  SofaObject *container = m->container.target;
  SofaNodes nodes = {0};
  SofaErr err = SOFA_OK;
  if (!container && m->container.path && *m->container.path)
    container = sofa_resolve_link(&m->multi.mapping.object, &container_rule, m->container.path);
  if (!container)
    container = sofa_node_find_class(m->multi.mapping.inputs[0]->object.node,
                                     &sofa_ArticulatedHierarchyContainer_class, SOFA_SEARCH_DOWN);
  if (!container)
    return sofa_field_fail(object, "container", SOFA_ERR_NOT_FOUND,
                           "there is no ArticulatedHierarchyContainer with the first input");
  SOFA_GO(err, done, sofa_node_order(container->node, &nodes));
  for (size_t i = 0; i < nodes.n; i++)
    for (size_t k = 0; k < nodes.data[i]->objects.n; k++) {
      SofaObject *o = nodes.data[i]->objects.data[k];
      if (sofa_class_is_a(o->klass, &sofa_ArticulationCenter_class))
        SOFA_GO(err, done, add_center(m, (ArticulationCenter *)o));
    }
done:
  sofa_list_free(object->ctx, &nodes);
  return err;
}

static SofaErr choose_root(ArticulatedSystemMapping *m) {
  const SofaObject *object = &m->multi.mapping.object;
  if (m->multi.mapping.n_inputs < 2) return SOFA_OK;
  m->root = sofa_field_is_set(object, "indexInput2") ? m->index_root : (uint32_t)m->n_in[1] - 1;
  if (m->n_in[1] && m->root < m->n_in[1]) return SOFA_OK;
  return sofa_field_fail(object, "indexInput2", SOFA_ERR_RANGE, "is %u, the input has %zu frames",
                         m->index_root, m->n_in[1]);
}

static SofaErr articulated_setup(SofaMapping *mapping) {
  ArticulatedSystemMapping *m = (ArticulatedSystemMapping *)mapping;
  SofaContext *ctx = mapping->object.ctx;
  if (m->multi.sources.n != 1 || m->multi.second.n > 1)
    return sofa_field_fail(&mapping->object, m->multi.sources.n != 1 ? "input1" : "input2",
                           SOFA_ERR_RANGE, "must name one state");
  for (size_t k = 0; k < mapping->n_inputs; k++) m->n_in[k] = mapping->inputs[k]->position.n;
  m->n_out = mapping->out->position.n;
  m->joints.n = m->centers.n = 0;
  SOFA_TRY(choose_root(m));
  SOFA_TRY(SOFA_RESIZE(ctx, &m->base, 7 * m->n_out));
  SOFA_TRY(SOFA_RESIZE(ctx, &m->place, 3 * m->n_out));
  SOFA_TRY(SOFA_RESIZE(ctx, &m->center, m->n_out));
  SOFA_TRY(SOFA_RESIZE(ctx, &m->row, m->n_in[0]));
  sofa_copy(m->base.data, mapping->out->position.data, 7 * m->n_out * sizeof(double));
  for (size_t i = 0; i < m->n_out; i++) m->center.data[i] = UINT32_MAX;
  mapping->varies = true;
  return collect(m);
}

static SofaErr check(const ArticulatedSystemMapping *m) {
  return sofa_mapping_check_sizes(&m->multi.mapping, m->n_in, m->n_out);
}

static bool has_root(const ArticulatedSystemMapping *m) {
  return m->multi.mapping.n_inputs == 2 && m->n_out > 0;
}

/* ---- positions ---- */

static void place_child(ArticulatedSystemMapping *m, Center *c, const double *values, double *x) {
  const double *parent = SOFA_POSE(x, c->parent);
  double *child = SOFA_POSE(x, c->child), *q = child + 3, at[3], arm[3];
  sofa_quat_rotate(parent + 3, c->object->on_parent.v, arm);
  sofa_vec3_add(parent, arm, at);
  sofa_vec3_copy(at, c->meet);
  memcpy(q, parent + 3, 4 * sizeof *q);
  for (size_t i = c->first; i < c->first + c->n; i++) {
    Joint *joint = &m->joints.data[i];
    double turn[4], turned[4];
    joint->value = values[joint->index];
    sofa_quat_rotate(q, joint->local, joint->axis);
    sofa_vec3_copy(at, joint->at);
    if (joint->rotation) {
      sofa_quat_from_axis_angle(joint->axis, joint->value, turn);
      sofa_quat_multiply(turn, q, turned);
      memcpy(q, turned, sizeof turned);
    } else {
      for (int k = 0; k < 3; k++) at[k] += joint->value * joint->axis[k];
    }
  }
  sofa_quat_normalize(q);
  sofa_quat_rotate(q, c->object->on_child.v, arm);
  sofa_vec3_sub(at, arm, child);
}

/* The factors below by their power series: b is the sum of (-t2)^n / (2n + 2)!, c that of
 * (-t2)^n / (2n + 3)!. */
static void power_series(double t2, double factors[4]) {
  double term = 0.5;
  for (int k = 0; k < 4; k++) factors[k] = 0;
  for (double n = 2; n < 24; n += 2) {
    factors[0] += term;
    factors[1] += term / (n + 1);
    term /= (n + 1) * (n + 2);
    factors[2] -= n * term;
    factors[3] -= n * term / (n + 3);
    term *= -t2;
  }
}

/* J a for the rotation vector r: the angular velocity when r changes by a. J = I + b [r] + c [r]^2
 * with b = (1 - cos t) / t^2, c = (t - sin t) / t^3. Source: R. M. Murray, Z. Li, S. S. Sastry, A
 * Mathematical Introduction to Robotic Manipulation, CRC 1994. factors: b, c and their derivatives
 * by t, divided by t. */
static void turn_factors(const double r[3], double factors[4]) {
  const double t2 = sofa_vec3_dot(r, r), t = sqrt(t2);
  if (t2 < 1) {
    power_series(t2, factors);
    return;
  }
  factors[0] = (1 - cos(t)) / t2;
  factors[1] = (t - sin(t)) / (t2 * t);
  factors[2] = (t * sin(t) - 2 * (1 - cos(t))) / (t2 * t2);
  factors[3] = (t * (1 - cos(t)) - 3 * (t - sin(t))) / (t2 * t2 * t);
}

static void turn_rate(const double r[3], const double a[3], double out[3]) {
  double factors[4], ra[3], rra[3];
  turn_factors(r, factors);
  sofa_vec3_cross(r, a, ra);
  sofa_vec3_cross(r, ra, rra);
  for (int k = 0; k < 3; k++) out[k] = a[k] + factors[0] * ra[k] + factors[1] * rra[k];
}

/* The change of J a when r changes by d. */
static void turn_rate_change(const double r[3], const double d[3], const double a[3],
                             double out[3]) {
  double factors[4], ra[3], da[3], rra[3], dra[3], rda[3];
  const double along = sofa_vec3_dot(r, d);
  turn_factors(r, factors);
  sofa_vec3_cross(r, a, ra);
  sofa_vec3_cross(d, a, da);
  sofa_vec3_cross(r, ra, rra);
  sofa_vec3_cross(d, ra, dra);
  sofa_vec3_cross(r, da, rda);
  for (int k = 0; k < 3; k++)
    out[k] = factors[2] * along * ra[k] + factors[0] * da[k] + factors[3] * along * rra[k] +
             factors[1] * (dra[k] + rda[k]);
}

/* All joints together: the child turns by the sum of angles times axes, as one rotation vector. */
static void place_together(ArticulatedSystemMapping *m, Center *c, const double *values,
                           double *x) {
  const double *parent = SOFA_POSE(x, c->parent);
  double *child = SOFA_POSE(x, c->child), *q = child + 3, at[3], arm[3], slide[3] = {0, 0, 0};
  const bool on_parent = c->object->process == 1;
  memcpy(c->carrier, parent + 3, sizeof c->carrier);
  for (int k = 0; k < 3; k++) c->turn[k] = 0;
  for (size_t i = c->first; i < c->first + c->n; i++) {
    Joint *joint = &m->joints.data[i];
    joint->value = values[joint->index];
    for (int k = 0; k < 3; k++)
      (joint->rotation ? c->turn : slide)[k] += joint->value * joint->local[k];
  }
  double turn[4];
  const double angle = sofa_vec3_norm(c->turn);
  sofa_quat_identity(turn);
  if (angle > 0) sofa_quat_from_axis_angle(c->turn, angle, turn);
  sofa_quat_multiply(parent + 3, turn, q);
  sofa_quat_normalize(q);
  sofa_quat_rotate(parent + 3, c->object->on_parent.v, arm);
  sofa_vec3_add(parent, arm, at);
  sofa_vec3_copy(at, c->meet);
  sofa_quat_rotate(on_parent ? parent + 3 : q, slide, arm);
  if (on_parent) sofa_vec3_add(at, arm, at);
  sofa_vec3_copy(at, child);
  if (!on_parent) sofa_vec3_add(child, arm, child);
  sofa_quat_rotate(q, c->object->on_child.v, arm);
  sofa_vec3_sub(child, arm, child);
  for (size_t i = c->first; i < c->first + c->n; i++) {
    Joint *joint = &m->joints.data[i];
    double local[3];
    sofa_vec3_copy(at, joint->at);
    sofa_vec3_copy(joint->local, local);
    if (joint->rotation) turn_rate(c->turn, joint->local, local);
    sofa_quat_rotate(joint->rotation || on_parent ? parent + 3 : q, local, joint->axis);
  }
}

static SofaErr articulated_apply(SofaMapping *mapping, const SofaPoint *at, double *x_out) {
  ArticulatedSystemMapping *m = (ArticulatedSystemMapping *)mapping;
  SOFA_TRY(check(m));
  sofa_copy(x_out, m->base.data, 7 * m->n_out * sizeof *x_out);
  if (has_root(m)) memcpy(x_out, SOFA_POSE(at->x[1], m->root), 7 * sizeof *x_out);
  for (size_t i = 0; i < m->centers.n; i++) {
    Center *c = &m->centers.data[i];
    if (c->object->process) place_together(m, c, at->x[0], x_out);
    else place_child(m, c, at->x[0], x_out);
    sofa_vec3_copy(c->meet, c->object->global_position.v);
    sofa_field_touch(&c->object->object, c->place);
  }
  for (size_t i = 0; i < m->n_out; i++) sofa_vec3_copy(SOFA_POSE(x_out, i), m->place.data + 3 * i);
  return SOFA_OK;
}

/* ---- velocities and forces ---- */

/* The velocity of the place where two frames meet, in the frame of the parent. */
static void velocity_of_place(const ArticulatedSystemMapping *m, const Center *c, const double *p,
                              double *out) {
  double arm[3], w[3];
  sofa_vec3_sub(c->meet, m->place.data + 3 * (size_t)c->parent, arm);
  sofa_vec3_cross(p + 3, arm, w);
  sofa_vec3_add(p, w, out);
}

static void add_scaled(double factor, const double *a, double *sum) {
  for (int d = 0; d < 3; d++) sum[d] += factor * a[d];
}

/* Velocity of a child whose joints follow each other; the change of their axes and places. */
static void move_child(ArticulatedSystemMapping *m, const Center *c, const double *values,
                       double *v) {
  const double *p = SOFA_TWIST(v, c->parent), *to = m->place.data + 3 * (size_t)c->child;
  double *own = SOFA_TWIST(v, c->child), arm[3], w[3], d_at[3];
  velocity_of_place(m, c, p, d_at);
  sofa_vec3_copy(p + 3, own + 3);
  sofa_vec3_sub(to, m->place.data + 3 * (size_t)c->parent, arm);
  sofa_vec3_cross(p + 3, arm, w);
  sofa_vec3_add(p, w, own);
  for (size_t k = c->first; k < c->first + c->n; k++) {
    Joint *joint = &m->joints.data[k];
    const double speed = values[joint->index];
    sofa_vec3_cross(own + 3, joint->axis, joint->d_axis);
    sofa_vec3_copy(d_at, joint->d_at);
    if (joint->rotation) {
      sofa_vec3_sub(to, joint->at, arm);
      sofa_vec3_cross(joint->axis, arm, w);
      add_scaled(speed, w, own);
      add_scaled(speed, joint->axis, own + 3);
    } else {
      add_scaled(speed, joint->axis, own);
      add_scaled(speed, joint->axis, d_at);
      add_scaled(joint->value, joint->d_axis, d_at);
    }
  }
}

/* The same where they act together. */
static void move_together(ArticulatedSystemMapping *m, const Center *c, const double *values,
                          double *v) {
  const double *p = SOFA_TWIST(v, c->parent), *to = m->place.data + 3 * (size_t)c->child;
  const bool on_parent = c->object->process == 1;
  double *own = SOFA_TWIST(v, c->child), arm[3], w[3], d_at[3], turn[3] = {0, 0, 0};
  double slide[3] = {0, 0, 0};
  sofa_vec3_copy(p + 3, own + 3);
  for (size_t k = c->first; k < c->first + c->n; k++) {
    const Joint *joint = &m->joints.data[k];
    const double speed = values[joint->index];
    if (joint->rotation) add_scaled(speed, joint->local, turn);
    add_scaled(speed, joint->axis, joint->rotation ? own + 3 : slide);
  }
  velocity_of_place(m, c, p, d_at);
  if (on_parent && c->n) {
    sofa_vec3_sub(m->joints.data[c->first].at, c->meet, arm);
    sofa_vec3_cross(p + 3, arm, w);
    sofa_vec3_add(d_at, w, d_at);
    sofa_vec3_add(d_at, slide, d_at);
  }
  sofa_vec3_sub(to, c->n ? m->joints.data[c->first].at : c->meet, arm);
  sofa_vec3_cross(own + 3, arm, w);
  sofa_vec3_add(d_at, w, own);
  if (!on_parent) sofa_vec3_add(own, slide, own);
  for (size_t k = c->first; k < c->first + c->n; k++) {
    Joint *joint = &m->joints.data[k];
    const bool carried = joint->rotation || on_parent;
    sofa_vec3_copy(d_at, joint->d_at);
    sofa_vec3_cross(carried ? p + 3 : own + 3, joint->axis, joint->d_axis);
    if (!joint->rotation) continue;
    turn_rate_change(c->turn, turn, joint->local, arm);
    sofa_quat_rotate(c->carrier, arm, w);
    sofa_vec3_add(joint->d_axis, w, joint->d_axis);
  }
}

/* Velocities of all frames; the change of axes and places of joints, too. */
static void velocities(ArticulatedSystemMapping *m, const double *const *v_in, double *v) {
  sofa_zero(v, 6 * m->n_out * sizeof *v);
  if (has_root(m)) memcpy(v, SOFA_TWIST(v_in[1], m->root), 6 * sizeof *v);
  for (size_t i = 0; i < m->centers.n; i++) {
    const Center *c = &m->centers.data[i];
    if (c->object->process) move_together(m, c, v_in[0], v);
    else move_child(m, c, v_in[0], v);
  }
}

static SofaErr articulated_apply_j(SofaMapping *mapping, const SofaPoint *at,
                                   const double *const *v_in, double *v_out) {
  ArticulatedSystemMapping *m = (ArticulatedSystemMapping *)mapping;
  (void)at;
  SOFA_TRY(check(m));
  velocities(m, v_in, v_out);
  return SOFA_OK;
}

/* Force and torque about a joint's place, of what stands at `to`. */
static void torque_at(const Joint *joint, const double *to, const double *wrench, double *out) {
  double arm[3], w[3];
  sofa_vec3_sub(to, joint->at, arm);
  sofa_vec3_cross(arm, wrench, w);
  sofa_vec3_add(wrench + 3, w, out);
}

/* Hands the wrench of a child over to its parent. */
static void hand_over(const ArticulatedSystemMapping *m, const Center *c, double *wrench) {
  const double *child = SOFA_TWIST(wrench, c->child);
  double *parent = SOFA_TWIST(wrench, c->parent), arm[3], w[3];
  sofa_vec3_sub(m->place.data + 3 * (size_t)c->child, m->place.data + 3 * (size_t)c->parent, arm);
  sofa_vec3_cross(arm, child, w);
  for (int d = 0; d < 3; d++) {
    parent[d] += child[d];
    parent[3 + d] += child[3 + d] + w[d];
  }
}

static SofaErr articulated_apply_jt(SofaMapping *mapping, const SofaPoint *at, const double *f_out,
                                    double *const *f_in) {
  ArticulatedSystemMapping *m = (ArticulatedSystemMapping *)mapping;
  (void)at;
  SofaContext *ctx = mapping->object.ctx;
  SOFA_TRY(check(m));
  const SofaScratchMark mark = sofa_scratch_mark(ctx);
  double *wrench = SOFA_SCRATCH(ctx, double, 6 * m->n_out);
  if (!wrench) return SOFA_ERR_MEMORY;
  sofa_copy(wrench, f_out, 6 * m->n_out * sizeof *wrench);
  for (size_t i = m->centers.n; i-- > 0;) {
    const Center *c = &m->centers.data[i];
    const double *own = SOFA_TWIST(wrench, c->child);
    for (size_t k = c->first; k < c->first + c->n; k++) {
      const Joint *joint = &m->joints.data[k];
      double torque[3];
      torque_at(joint, m->place.data + 3 * (size_t)c->child, own, torque);
      f_in[0][joint->index] += sofa_vec3_dot(joint->axis, joint->rotation ? torque : own);
    }
    hand_over(m, c, wrench);
  }
  for (size_t d = 0; d < 6 && has_root(m); d++) SOFA_TWIST(f_in[1], m->root)[d] += wrench[d];
  sofa_scratch_release(ctx, mark);
  return SOFA_OK;
}

/* ---- geometric stiffness ---- */

/* Change of the torque about the child, and its way to the parent: d(C - P) x F + dN. */
static void hand_over_change(const Center *c, const double *v, const double *wrench,
                             double *d_torque) {
  double arm[3], w[3];
  sofa_vec3_sub(SOFA_TWIST(v, c->child), SOFA_TWIST(v, c->parent), arm);
  sofa_vec3_cross(arm, SOFA_TWIST(wrench, c->child), w);
  for (size_t d = 0; d < 3; d++)
    d_torque[3 * (size_t)c->parent + d] += d_torque[3 * (size_t)c->child + d] + w[d];
}

static double joint_change(const Joint *joint, const double *place, const double *v,
                           const double *wrench, const double *d_torque) {
  double torque[3], arm[3], w[3];
  if (!joint->rotation) return sofa_vec3_dot(joint->d_axis, wrench);
  torque_at(joint, place, wrench, torque);
  sofa_vec3_sub(v, joint->d_at, arm);
  sofa_vec3_cross(arm, wrench, w);
  return sofa_vec3_dot(joint->d_axis, torque) + sofa_vec3_dot(joint->axis, d_torque) +
         sofa_vec3_dot(joint->axis, w);
}

static SofaErr articulated_apply_djt(SofaMapping *mapping, const SofaPoint *at, double factor,
                                     const double *f_out, const double *const *dx_in,
                                     double *const *df_in) {
  ArticulatedSystemMapping *m = (ArticulatedSystemMapping *)mapping;
  (void)at;
  SofaContext *ctx = mapping->object.ctx;
  const size_t n = m->n_out;
  SOFA_TRY(check(m));
  const SofaScratchMark mark = sofa_scratch_mark(ctx);
  double *v = SOFA_SCRATCH(ctx, double, 15 * n), *wrench = SOFA_TWIST(v, n), *d_torque = v + 12 * n;
  if (!v) return SOFA_ERR_MEMORY;
  velocities(m, dx_in, v);
  sofa_zero(d_torque, 3 * n * sizeof *d_torque);
  sofa_copy(wrench, f_out, 6 * n * sizeof *wrench);
  for (size_t i = m->centers.n; i-- > 0;) {
    const Center *c = &m->centers.data[i];
    const size_t child = c->child;
    for (size_t k = c->first; k < c->first + c->n; k++) {
      const Joint *joint = &m->joints.data[k];
      df_in[0][joint->index] +=
          factor * joint_change(joint, m->place.data + 3 * child, SOFA_TWIST(v, child),
                                SOFA_TWIST(wrench, child), d_torque + 3 * child);
    }
    hand_over_change(c, v, wrench, d_torque);
    hand_over(m, c, wrench);
  }
  for (size_t d = 0; d < 3 && has_root(m); d++)
    SOFA_TWIST_ANGULAR(df_in[1], m->root)[d] += factor * d_torque[d];
  sofa_scratch_release(ctx, mark);
  return SOFA_OK;
}

/* The matrix by its columns: unit changes of each value, or of the root. */
static SofaErr articulated_add_djt_pair(SofaMapping *mapping, const SofaPoint *at, size_t row,
                                        size_t column, const double *f_out,
                                        const SofaTangent *tangent) {
  ArticulatedSystemMapping *m = (ArticulatedSystemMapping *)mapping;
  (void)at;
  SofaContext *ctx = mapping->object.ctx;
  const size_t n[2] = {m->n_in[0], mapping->n_inputs > 1 ? 6 * m->n_in[1] : 0};
  const size_t from[2] = {0, 6 * (size_t)m->root}, size[2] = {n[0], 6}, width[2] = {1, 6};
  SofaErr err = SOFA_OK;
  const SofaScratchMark mark = sofa_scratch_mark(ctx);
  double *dx = SOFA_SCRATCH(ctx, double, 2 * (n[0] + n[1]) + size[row] * size[column]);
  if (!dx) return SOFA_ERR_MEMORY;
  double *df = dx + n[0] + n[1], *k = df + n[0] + n[1];
  const double *const in[2] = {dx, dx + n[0]};
  double *const out[2] = {df, df + n[0]};
  sofa_zero(dx, (n[0] + n[1]) * sizeof *dx);
  for (size_t c = 0; c < size[column]; c++) {
    double *unit = dx + (column ? n[0] : 0) + from[column] + c;
    sofa_zero(df, (n[0] + n[1]) * sizeof *df);
    *unit = 1;
    SOFA_GO(err, done, articulated_apply_djt(mapping, at, 1, f_out, in, out));
    *unit = 0;
    for (size_t r = 0; r < size[row]; r++) k[size[column] * r + c] = out[row][from[row] + r];
  }
  for (size_t r = 0; r < size[row]; r += width[row])
    for (size_t c = 0; c < size[column]; c += width[column]) {
      double block[36];
      for (size_t i = 0; i < width[row] * width[column]; i++)
        block[i] = k[size[column] * (r + i / width[column]) + c + i % width[column]];
      sofa_tangent_add(tangent, 0, (uint32_t)(row ? m->root : r), 0,
                       (uint32_t)(column ? m->root : c), block);
    }
done:
  sofa_scratch_release(ctx, mark);
  return err;
}

/* ---- Jacobian ---- */

/* Change of coordinate `d` of a frame's velocity by a joint that carries it. */
static double entry(const Joint *joint, const double *place, size_t d) {
  double arm[3], w[3];
  if (d >= 3) return joint->rotation ? joint->axis[d - 3] : 0;
  if (!joint->rotation) return joint->axis[d];
  sofa_vec3_sub(place, joint->at, arm);
  sofa_vec3_cross(joint->axis, arm, w);
  return w[d];
}

/* The center that carries the parent of a center; UINT32_MAX: there is none. */
static uint32_t above(const ArticulatedSystemMapping *m, uint32_t center) {
  return m->center.data[m->centers.data[center].parent];
}

static void write_values(ArticulatedSystemMapping *m, size_t frame, size_t d) {
  const double *place = m->place.data + 3 * frame;
  SofaMapMatrix *j = &m->j[0];
  const uint32_t last = m->center.data[frame];
  // several joints may have one value: sums first, then each once
  for (uint32_t i = last; i != UINT32_MAX; i = above(m, i))
    for (size_t k = 0; k < m->centers.data[i].n; k++) {
      const Joint *joint = &m->joints.data[m->centers.data[i].first + k];
      m->row.data[joint->index] += entry(joint, place, d);
    }
  for (uint32_t i = last; i != UINT32_MAX; i = above(m, i))
    for (size_t k = 0; k < m->centers.data[i].n; k++) {
      const uint32_t index = m->joints.data[m->centers.data[i].first + k].index;
      if (isnan(m->row.data[index])) continue;
      sofa_map_matrix_entry(j, index, m->row.data[index]);
      m->row.data[index] = NAN;
    }
  for (uint32_t i = last; i != UINT32_MAX; i = above(m, i))
    for (size_t k = 0; k < m->centers.data[i].n; k++)
      m->row.data[m->joints.data[m->centers.data[i].first + k].index] = 0;
}

static void write_root(ArticulatedSystemMapping *m, size_t frame, size_t d) {
  SofaMapMatrix *j = &m->j[1];
  const size_t from = 6 * (size_t)m->root;
  size_t top = frame;
  double arm[3];
  for (uint32_t i; (i = m->center.data[top]) != UINT32_MAX;) top = m->centers.data[i].parent;
  if (top != 0) return;
  sofa_map_matrix_entry(j, from + d, 1);
  if (d >= 3) return;
  const size_t a = (d + 1) % 3, b = (d + 2) % 3;
  sofa_vec3_sub(m->place.data + 3 * frame, m->place.data, arm);
  sofa_map_matrix_entry(j, from + 3 + a, arm[b]);
  sofa_map_matrix_entry(j, from + 3 + b, -arm[a]);
}

static SofaErr articulated_jacobian(SofaMapping *mapping, const SofaPoint *at, size_t k,
                                    SofaJacobian *out) {
  ArticulatedSystemMapping *m = (ArticulatedSystemMapping *)mapping;
  (void)at;
  SOFA_TRY(check(m));
  const size_t rows = 6 * m->n_out, columns = k ? 6 * m->n_in[1] : m->n_in[0];
  const size_t most = rows * (k ? 3 : m->n_in[0]);
  SOFA_TRY(sofa_map_matrix_begin(mapping->object.ctx, &m->j[k], rows, columns, most));
  for (size_t i = 0; i < m->n_in[0]; i++) m->row.data[i] = 0;
  for (size_t row = 0; row < rows; row++) {
    sofa_map_matrix_row(&m->j[k]);
    if (k) write_root(m, row / 6, row % 6);
    else write_values(m, row / 6, row % 6);
  }
  sofa_map_matrix_end(&m->j[k], out);
  return SOFA_OK;
}

static void articulated_destroy(SofaObject *object) {
  ArticulatedSystemMapping *m = (ArticulatedSystemMapping *)object;
  void *lists[] = {&m->joints, &m->centers, &m->base, &m->place, &m->center, &m->row};
  for (size_t i = 0; i < sizeof lists / sizeof *lists; i++) sofa_list_free(object->ctx, lists[i]);
  for (int k = 0; k < 2; k++) sofa_map_matrix_free(object->ctx, &m->j[k]);
}

static const SofaMappingOps articulated_ops = {
    .setup = articulated_setup,
    .apply = articulated_apply,
    .apply_j = articulated_apply_j,
    .apply_jt = articulated_apply_jt,
    .apply_djt = articulated_apply_djt,
    .jacobian = articulated_jacobian,
    .add_djt_pair = articulated_add_djt_pair,
    .keeps_point = true,
};

static const char *const articulated_templates[] = {"Vec1d,Rigid3d,Rigid3d", NULL};

static const SofaSparedMember spared[] = {
    SOFA_REMADE(ArticulatedSystemMapping, joints),
    SOFA_REMADE(ArticulatedSystemMapping, place),
};

SOFA_CLASS(ArticulatedSystemMapping) = {
    .name = "ArticulatedSystemMapping",
    .module = "ArticulatedSystemPlugin",
    .category = "Mapping",
    .help = "Moves a tree of frames by the angles and lengths in the first input; frame 0 follows "
            "a frame of the second input, if there is one.",
    .equations =
        "R_c = R_p prod_i exp(theta_i a_i), x_c = x_p + R_p d_p + sum_i s_i R_i a_i - R_c d_c\n"
        "R_c = R_p exp(sum_i theta_i a_i) \"with articulationProcess 1 or 2\"\n"
        "\"c, p: child and parent of a center, d_c and d_p: posOnChild and posOnParent; theta, s: "
        "angle or length of its articulation i, a_i: axis, R_i: orientation that the articulations "
        "before i give\"",
    .base = &sofa_two_kinds_mapping_class,
    SOFA_SPARES(spared),
    .size = sizeof(ArticulatedSystemMapping),
    SOFA_FIELDS(fields),
    .templates = articulated_templates,
    .destroy = articulated_destroy,
    SOFA_IMPLEMENTS({SOFA_MAPPING, &articulated_ops}),
};

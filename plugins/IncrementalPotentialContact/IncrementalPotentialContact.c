/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* IncrementalPotentialContact: bodies that start apart stay apart (Li, Ferguson, Schneider,
 * Langlois, Zorin, Panozzo, Jiang and Kaufman, Incremental Potential Contact, 2020). A barrier
 * energy rises without bound as two surfaces come together, and no guess of the solver is taken
 * that is not connected with the one before by a motion without a meeting. */
#include <math.h>

#include "draw/display_flags.h"
#include "draw/draw.h"
#include "behavior/visual_model.h"
#include "ipc.h"
#include "math/vec.h"
#include "object/checkpoint.h"

static const SofaLinkRule model_rule = {.interface = SOFA_COLLISION_MODEL};

typedef Ipc SofaSelf; /* of SOFA_ROW */

static const SofaField fields[] = {
    SOFA_ROW(links, "models", NULL, "",
             "collision models of triangles, lines and points that may not pass through each other "
             "and themselves; default: all in the node and below",
             .link = &model_rule),
    SOFA_ROW(dhat, "dhat", "0", "m",
             "distance at which the contact begins to act; 0: 1e-3 of the diagonal of the box "
             "around all surfaces",
             .range = SOFA_FINITE_AT_LEAST(0)),
    SOFA_ROW(stiffness, "stiffness", "0", "J/m^4",
             "factor of the barrier energy; 0: it follows from masses and tangents of the bodies "
             "and grows where surfaces come too close",
             .range = SOFA_FINITE_AT_LEAST(0)),
    SOFA_ROW(friction, "friction", "0", "1", "coefficient of friction",
             .range = SOFA_FINITE_AT_LEAST(0)),
    SOFA_ROW(sliding_speed, "epsV", "1e-3", "m/s",
             "surfaces stick while they slide slower than this: friction grows up to this speed",
             .range = SOFA_FINITE_ABOVE(0)),
    SOFA_ROW(project, "projectTangent", "1", "",
             "use the nearest tangent of each pair that leads downhill; off: the exact one"),
    SOFA_ROW(n_pairs, "pairs", "0", "1", "pairs of elements closer than dhat",
             .flags = SOFA_FIELD_OUTPUT),
    SOFA_ROW(smallest_distance, "smallestDistance", "0", "m",
             "of all pairs, at most dhat; 0 before the first step", .flags = SOFA_FIELD_OUTPUT),
    SOFA_ROW(used_dhat, "usedDhat", "0", "m", "dhat in use", .flags = SOFA_FIELD_OUTPUT),
    SOFA_ROW(used_stiffness, "usedStiffness", "0", "J/m^4", "stiffness in use",
             .flags = SOFA_FIELD_OUTPUT),
    SOFA_ROW(contact_points, "contactPoints", NULL, "m",
             "middle of the closest points of each pair", .flags = SOFA_FIELD_OUTPUT),
    SOFA_ROW(contact_forces, "contactForces", NULL, "N",
             "force of the barrier on the second element of each pair", .flags = SOFA_FIELD_OUTPUT),
};

/* ---- life ---- */

static SofaErr construct(SofaObject *object) {
  return sofa_force_field_set_n_states((SofaForceField *)object, 0);
}

static bool is_known(const SofaCollisionModel *m) {
  return m->kind == &sofa_collision_triangle || m->kind == &sofa_collision_line ||
         m->kind == &sofa_collision_point;
}

static SofaErr add_model(Ipc *c, SofaCollisionModel *m) {
  const SofaObject *object = &c->force_field.object;
  if (!is_known(m) || !m->state || m->state->object.kind != SOFA_VEC3) {
    char *path = sofa_object_path(&m->object);
    const SofaErr err = sofa_object_fail(
        object, SOFA_ERR_UNSUPPORTED,
        "the collision model '%s' has %s: only triangles, lines and points of states of Vec3 can "
        "be kept apart (below a frame: RigidMapping)",
        path ? path : m->object.name, m->kind ? m->kind->plural : "no elements");
    sofa_free(object->ctx, path);
    return err;
  }
  for (size_t i = 0; i < c->models.n; i++)
    if (c->models.data[i] == m)
      return sofa_field_fail(object, "models", SOFA_ERR_RANGE, "'%s' is listed twice",
                             m->object.name);
  return SOFA_APPEND(object->ctx, &c->models, &m);
}

static SofaErr find_models(Ipc *c) {
  SofaObject *object = &c->force_field.object;
  SofaNodes nodes = {0};
  SofaErr err = SOFA_OK;
  c->models.n = 0;
  for (size_t i = 0; i < c->links.n; i++)
    if (c->links.data[i].target)
      SOFA_TRY(add_model(c, (SofaCollisionModel *)c->links.data[i].target));
  if (c->links.n) return SOFA_OK;
  SOFA_GO(err, done, sofa_node_order(object->node, &nodes));
  for (size_t i = 0; i < nodes.n; i++)
    for (size_t k = 0; k < nodes.data[i]->objects.n; k++) {
      SofaObject *o = nodes.data[i]->objects.data[k];
      if (sofa_valid(o) && sofa_implements(o, SOFA_COLLISION_MODEL))
        SOFA_GO(err, done, add_model(c, (SofaCollisionModel *)o));
    }
done:
  sofa_list_free(object->ctx, &nodes);
  return err;
}

static bool has_state(SofaState *const *states, size_t n, const SofaState *s) {
  for (size_t k = 0; k < n; k++)
    if (states[k] == s) return true;
  return false;
}

/* The states of the models, each once, in the order of the models. */
static SofaErr find_states(Ipc *c) {
  SofaForceField *ff = &c->force_field;
  const SofaScratchMark mark = sofa_scratch_mark(ff->object.ctx);
  SofaState **states = SOFA_SCRATCH(ff->object.ctx, SofaState *, c->models.n + 1);
  size_t n = 0;
  if (!states) return SOFA_ERR_MEMORY;
  for (size_t i = 0; i < c->models.n; i++)
    if (!has_state(states, n, c->models.data[i]->state)) states[n++] = c->models.data[i]->state;
  const SofaErr err = sofa_force_field_set_n_states(ff, n);
  if (err == SOFA_OK) sofa_copy(ff->state, states, n * sizeof *states);
  sofa_scratch_release(ff->object.ctx, mark);
  return err;
}

/* Models below know their states by now. */
static SofaErr bwd_init(SofaObject *object) {
  Ipc *c = (Ipc *)object;
  SOFA_TRY(find_models(c));
  if (!c->models.n)
    return sofa_object_fail(object, SOFA_ERR_NOT_FOUND,
                            "there is no collision model in this node or below: add for instance "
                            "<TriangleCollisionModel/> to each surface");
  if (!c->ccd && !(c->ccd = sofa_alloc(object->ctx, 1, sizeof *c->ccd))) return SOFA_ERR_MEMORY;
  return find_states(c);
}

static SofaErr forget(SofaObject *object) {
  Ipc *c = (Ipc *)object;
  sofa_force_field_forget_point(&c->force_field);
  c->started = false;
  c->near_known = false;
  c->evaluated = 0;
  c->terms.n = c->slides.n = c->n_barriers = 0;
  c->energy = 0;
  c->n_pairs = 0;
  c->smallest_distance = c->used_stiffness = c->used_dhat = 0;
  c->contact_points.n = c->contact_forces.n = 0;
  return SOFA_OK;
}

static void destroy(SofaObject *object) {
  Ipc *c = (Ipc *)object;
  SofaContext *ctx = object->ctx;
  SofaReals *reals[] = {&c->x, &c->x_start, &c->x_from, &c->x_low, &c->x_high, &c->x_end};
  if (c->force_field.state != c->force_field.few_states) sofa_free(ctx, c->force_field.state);
  ipc_surface_free(ctx, &c->surface);
  sofa_list_free(ctx, &c->models);
  for (size_t i = 0; i < SOFA_COUNT(reals); i++) sofa_list_free(ctx, reals[i]);
  for (int k = 0; k < IPC_N_TREES; k++) sofa_bounding_tree_free(ctx, &c->tree[k]);
  sofa_bounding_work_free(ctx, &c->work);
  sofa_list_free(ctx, &c->found);
  sofa_list_free(ctx, &c->near);
  sofa_list_free(ctx, &c->motions);
  sofa_list_free(ctx, &c->terms);
  sofa_list_free(ctx, &c->slides);
  sofa_free(ctx, c->ccd);
}

/* The next step reads the elements again. */
static SofaErr listen(SofaObject *object, const SofaTopologyChange *change) {
  Ipc *c = (Ipc *)object;
  (void)change;
  c->near_known = false;
  c->evaluated = 0;
  c->terms.n = c->slides.n = c->n_barriers = 0;
  c->contact_points.n = c->contact_forces.n = 0;
  c->surface.n_points = 0;
  return SOFA_OK;
}

/* ---- the start of a step ---- */

static SofaErr take_surface(Ipc *c) {
  SofaContext *ctx = c->force_field.object.ctx;
  bool changed;
  SOFA_TRY(ipc_surface_update(c, &changed));
  if (!changed) return SOFA_OK;
  SofaReals *reals[] = {&c->x, &c->x_start, &c->x_from, &c->x_low, &c->x_high, &c->x_end};
  for (size_t i = 0; i < SOFA_COUNT(reals); i++)
    SOFA_TRY(SOFA_RESIZE(ctx, reals[i], 3 * c->surface.n_points + 1));
  for (int k = 0; k < IPC_N_TREES; k++) sofa_bounding_tree_free(ctx, &c->tree[k]);
  c->near_known = false;
  c->evaluated = 0;
  return SOFA_OK;
}

static double diagonal_of(const Ipc *c, const double *x) {
  double low[3] = {INFINITY, INFINITY, INFINITY}, high[3] = {-INFINITY, -INFINITY, -INFINITY}, d[3];
  for (size_t i = 0; i < 3 * c->surface.n_points; i++) {
    low[i % 3] = fmin(low[i % 3], x[i]);
    high[i % 3] = fmax(high[i % 3], x[i]);
  }
  sofa_vec3_sub(high, low, d);
  return sofa_vec3_norm(d);
}

/* Neighbours without a common point would push each other away. */
static void check_edges(const Ipc *c) {
  const IpcSurface *s = &c->surface;
  double least = INFINITY;
  for (size_t i = 0; i < s->n_edges; i++)
    if (s->moves.data[s->state.data[s->edge.data[2 * i]]]) least = fmin(least, s->length2.data[i]);
  if (least < c->used_dhat * c->used_dhat)
    sofa_object_message(&c->force_field.object, SOFA_WARNING,
                        "dhat = %g m is larger than the shortest edge of %g m: neighbours on one "
                        "surface push each other away",
                        c->used_dhat, sqrt(least));
}

/* Before the first step. */
static SofaErr start(Ipc *c, const SofaStepStart *step) {
  const SofaObject *object = &c->force_field.object;
  const double *x = c->x_start.data;
  c->diagonal = diagonal_of(c, x);
  c->used_dhat = c->dhat > 0 ? c->dhat : 1e-3 * c->diagonal;
  c->slack = c->used_dhat;
  c->distance_before = INFINITY;
  if (!(c->used_dhat > 1e-8 * c->diagonal))
    return sofa_object_fail(object, SOFA_ERR_RANGE,
                            "dhat = %g m is too small for surfaces of a size of %g m: at least "
                            "1e-8 of that can be resolved",
                            c->used_dhat, c->diagonal);
  check_edges(c);
  SOFA_TRY(ipc_find_near(c, x, x));
  SOFA_TRY(ipc_check_free(c, x));
  c->used_stiffness = 0;
  SOFA_TRY(ipc_choose_stiffness(c, step));
  c->started = true;
  return SOFA_OK;
}

static SofaErr begin(SofaObject *object, const SofaStepStart *step) {
  Ipc *c = (Ipc *)object;
  const uint64_t before = c->surface.revisions;
  c->ahead = 1;
  SOFA_TRY(ipc_check_solver(c));
  SOFA_TRY(take_surface(c));
  ipc_gather(c, step->at.x, c->x_start.data);
  if (!c->started) {
    SOFA_TRY(start(c, step));
  } else if (before != c->surface.revisions) {
    SOFA_TRY(ipc_find_near(c, c->x_start.data, c->x_start.data));
    SOFA_TRY(ipc_check_free(c, c->x_start.data));
  } else {
    SOFA_TRY(ipc_check_moved(c));
  }
  sofa_copy(c->x_from.data, c->x_start.data, 3 * c->surface.n_points * sizeof(double));
  sofa_copy(c->x_end.data, c->x_start.data, 3 * c->surface.n_points * sizeof(double));
  c->evaluated = 0;
  return ipc_begin_friction(c, step->dt);
}

/* ---- forces ---- */

/* The positions that those of the solver stand for. */
static void look_ahead(const Ipc *c, double *x) {
  const double *start = c->x_start.data;
  for (size_t i = 0; i < 3 * c->surface.n_points && c->ahead != 1; i++)
    x[i] = start[i] + c->ahead * (x[i] - start[i]);
}

/* Nothing acts before the first step begins. */
static SofaErr evaluate(Ipc *c, const SofaPoint *at) {
  if (c->evaluated && c->evaluated == at->id) return SOFA_OK;
  if (!c->started || !c->surface.n_points || !(c->used_stiffness > 0) || c->ahead == 0) {
    c->terms.n = c->n_barriers = 0;
    c->energy = 0;
    c->distance = c->used_dhat;
    return SOFA_OK;
  }
  ipc_gather(c, at->x, c->x.data);
  look_ahead(c, c->x.data);
  return ipc_evaluate(c, at->id);
}

static double *place(const Ipc *c, uint32_t point, double *const *f) {
  return f[c->surface.state.data[point]] + 3 * (size_t)c->surface.index.data[point];
}

static SofaErr add_force(SofaForceField *ff, const SofaMechParams *p, const SofaPoint *at,
                         double *const *f) {
  Ipc *c = (Ipc *)ff;
  (void)p;
  SOFA_TRY(evaluate(c, at));
  for (size_t i = 0; i < c->terms.n; i++)
    for (int k = 0; k < 4; k++)
      sofa_vec3_axpy(-c->ahead, c->terms.data[i].term.gradient + 3 * k,
                     place(c, c->terms.data[i].point[k], f));
  return SOFA_OK;
}

static SofaErr linearise(SofaForceField *ff, const SofaMechParams *p, const SofaPoint *at) {
  (void)p;
  return evaluate((Ipc *)ff, at);
}

static SofaErr add_dforce(SofaForceField *ff, const SofaMechParams *p, const SofaPoint *at,
                          const double *const *dx, double *const *df) {
  Ipc *c = (Ipc *)ff;
  const double factor = -c->ahead * c->ahead * sofa_kfactor(ff, p);
  SOFA_TRY(evaluate(c, at));
  SOFA_TRY(ipc_make_definite(c));
  for (size_t i = 0; i < c->terms.n; i++) {
    const IpcTerm *t = &c->terms.data[i];
    double d[12];
    for (int k = 0; k < 4; k++) {
      const uint32_t point = t->point[k];
      sofa_vec3_copy(dx[c->surface.state.data[point]] + 3 * (size_t)c->surface.index.data[point],
                     d + 3 * k);
    }
    for (int r = 0; r < 12; r++) {
      double sum = 0;
      for (int k = 0; k < 12; k++) sum += t->term.hessian[12 * r + k] * d[k];
      place(c, t->point[r / 3], df)[r % 3] += factor * sum;
    }
  }
  return SOFA_OK;
}

static void add_block(const Ipc *c, const IpcTerm *t, const unsigned pair[2],
                      const SofaTangent *tangent) {
  const IpcSurface *s = &c->surface;
  const uint32_t a = t->point[pair[0]], b = t->point[pair[1]];
  double block[9];
  for (unsigned e = 0; e < 9; e++)
    block[e] =
        -c->ahead * c->ahead * t->term.hessian[12 * (3 * pair[0] + e / 3) + 3 * pair[1] + e % 3];
  sofa_tangent_add(tangent, (int)s->state.data[a], s->index.data[a], (int)s->state.data[b],
                   s->index.data[b], block);
}

static SofaErr add_k(SofaForceField *ff, const SofaMechParams *p, const SofaPoint *at,
                     const SofaTangent *tangent) {
  Ipc *c = (Ipc *)ff;
  (void)p;
  SOFA_TRY(evaluate(c, at));
  SOFA_TRY(ipc_make_definite(c));
  for (size_t i = 0; i < c->terms.n; i++) {
    const IpcTerm *t = &c->terms.data[i];
    for (unsigned k = 0; k < 16; k++) {
      const unsigned pair[2] = {k / 4, k % 4};
      if ((t->counts >> pair[0] & 1) && (t->counts >> pair[1] & 1)) add_block(c, t, pair, tangent);
    }
  }
  return SOFA_OK;
}

static SofaErr energy(SofaForceField *ff, const SofaMechParams *p, const SofaPoint *at,
                      double *out) {
  (void)p;
  SOFA_TRY(evaluate((Ipc *)ff, at));
  *out = ((const Ipc *)ff)->energy;
  return SOFA_OK;
}

/* ---- outputs ---- */

/* The force is the gradient by the points of the second element. */
static void show_term(const Ipc *c, const IpcTerm *t, bool edges, double middle[3],
                      double force[3]) {
  double x[12];
  SofaClosest closest;
  for (int k = 0; k < 4; k++) sofa_vec3_copy(c->x.data + 3 * (size_t)t->point[k], x + 3 * k);
  sofa_pair_closest(edges ? SOFA_PAIR_EDGE_EDGE : SOFA_PAIR_POINT_TRIANGLE, x, &closest);
  sofa_vec3_set(force, 0, 0, 0);
  for (int k = edges ? 2 : 1; k < 4; k++) sofa_vec3_axpy(-1, t->term.gradient + 3 * k, force);
  for (int k = 0; k < 3; k++) middle[k] = 0.5 * (closest.p[k] + closest.q[k]);
}

static SofaErr accept(SofaForceField *ff, const SofaMechParams *p, const SofaPoint *at) {
  Ipc *c = (Ipc *)ff;
  SofaContext *ctx = ff->object.ctx;
  (void)p;
  SOFA_TRY(evaluate(c, at));
  const size_t n = c->n_barriers;
  sofa_copy(c->x_end.data, c->x.data, 3 * c->surface.n_points * sizeof(double));
  c->n_pairs = (uint32_t)n;
  c->smallest_distance = c->distance;
  SOFA_TRY(SOFA_RESIZE(ctx, &c->contact_points, n));
  SOFA_TRY(SOFA_RESIZE(ctx, &c->contact_forces, n));
  for (size_t i = 0; i < n; i++)
    show_term(c, &c->terms.data[i], c->terms.data[i].edges, c->contact_points.data[i].v,
              c->contact_forces.data[i].v);
  return SOFA_OK;
}

static void draw(SofaObject *object, const SofaDrawArgs *args) {
  const Ipc *c = (const Ipc *)object;
  double most = 0;
  if (!sofa_display_shows(args->flags, SOFA_DISPLAY_DETECTION_OUTPUTS)) return;
  for (size_t i = 0; i < c->contact_forces.n; i++)
    most = fmax(most, sofa_vec3_norm(c->contact_forces.data[i].v));
  for (size_t i = 0; i < c->contact_points.n && most > 0; i++) {
    double end[3];
    sofa_vec3_copy(c->contact_points.data[i].v, end);
    sofa_vec3_axpy(0.05 * c->diagonal / most, c->contact_forces.data[i].v, end);
    sofa_draw_point(args->list, c->contact_points.data[i].v, 4, SOFA_RGB(1, 0.2, 0.1));
    sofa_draw_line(args->list, c->contact_points.data[i].v, end, 2, SOFA_RGB(1, 0.5, 0));
  }
}

/* ---- step limiter ---- */

static void states(const SofaObject *object, SofaState *const **list, size_t *n) {
  const SofaForceField *ff = (const SofaForceField *)object;
  *list = ff->state;
  *n = ff->n_states;
}

static SofaErr limit(SofaObject *object, const double *const *from, const double *const *to,
                     double *share) {
  Ipc *c = (Ipc *)object;
  *share = 1;
  if (!c->surface.n_points) return SOFA_OK;
  ipc_gather(c, from, c->x_from.data);
  ipc_gather(c, to, c->x.data);
  look_ahead(c, c->x_from.data);
  look_ahead(c, c->x.data);
  c->evaluated = 0;
  return ipc_limit(c, c->x.data, share);
}

static void set_ahead(SofaObject *object, double ahead) {
  Ipc *c = (Ipc *)object;
  c->ahead = ahead;
  c->evaluated = 0;
  sofa_force_field_forget_point(&c->force_field);
}

static SofaErr taken(SofaObject *object, const SofaPoint *at, bool *changed) {
  Ipc *c = (Ipc *)object;
  SOFA_TRY(evaluate(c, at));
  *changed = ipc_adapt_stiffness(c);
  if (*changed) {
    c->evaluated = 0;
    sofa_force_field_forget_point(&c->force_field);
  }
  return SOFA_OK;
}

/* ---- class ---- */

static const SofaForceFieldOps ops = {.add_force = add_force,
                                      .add_dforce = add_dforce,
                                      .add_k = add_k,
                                      .potential_energy = energy,
                                      .linearise = linearise,
                                      .accept = accept,
                                      .tangent_is_dforce = true,
                                      .keeps_point = true};
static const SofaStepLimiterOps limiter_ops = {
    .states = states, .begin = begin, .limit = limit, .look_ahead = set_ahead, .taken = taken};
static const SofaTopologyListenerOps listener = {.listen = listen};
static const SofaDrawOps draw_ops = {.draw = draw};

/* ---- checkpoints ---- */

enum { N_KEPT = 6, N_LISTS = 5 };
/* What a step leaves for the next one, in addition to the outputs. */
static void find_kept(Ipc *c, double *kept[N_KEPT]) {
  double *all[N_KEPT] = {&c->most_stiffness,  &c->diagonal, &c->ahead,
                         &c->distance_before, &c->slip,     &c->slack};
  for (int k = 0; k < N_KEPT; k++) kept[k] = all[k];
}

static void find_lists(Ipc *c, SofaReals *lists[N_LISTS]) {
  SofaReals *all[N_LISTS] = {&c->x_start, &c->x_low, &c->x_high, &c->x_end, &c->surface.length2};
  for (int k = 0; k < N_LISTS; k++) lists[k] = all[k];
}

static void put_pairs(const IpcPairs *pairs, SofaCheckpointWriter *to) {
  sofa_checkpoint_put_uint(to, pairs->n);
  for (size_t i = 0; i < pairs->n; i++) {
    const IpcPair *p = &pairs->data[i];
    sofa_checkpoint_put_uint(to, p->kind);
    sofa_checkpoint_put(to, p->point, sizeof p->point);
    sofa_checkpoint_put(to, &p->threshold, sizeof p->threshold);
  }
}

static SofaErr get_pairs(Ipc *c, SofaCheckpointReader *from) {
  const uint64_t n = sofa_checkpoint_get_uint(from);
  c->near.n = 0;
  for (uint64_t i = 0; i < n && !sofa_checkpoint_is_bad(from); i++) {
    IpcPair p = {.kind = (SofaPairKind)sofa_checkpoint_get_uint(from)};
    sofa_checkpoint_get(from, p.point, sizeof p.point);
    sofa_checkpoint_get(from, &p.threshold, sizeof p.threshold);
    for (int k = 0; k < 4; k++)
      if (p.point[k] >= c->surface.n_points) sofa_checkpoint_misread(from);
    SOFA_TRY(SOFA_APPEND(c->force_field.object.ctx, &c->near, &p));
  }
  return SOFA_OK;
}

static SofaErr save(const SofaObject *object, SofaCheckpointWriter *to) {
  Ipc *c = (Ipc *)(uintptr_t)object;
  double *kept[N_KEPT];
  SofaReals *lists[N_LISTS];
  find_kept(c, kept);
  find_lists(c, lists);
  sofa_checkpoint_put_uint(to, c->started);
  if (!c->started) return SOFA_OK;
  sofa_checkpoint_put_uint(to, c->near_known);
  for (int k = 0; k < N_KEPT; k++) sofa_checkpoint_put(to, kept[k], sizeof *kept[k]);
  for (int k = 0; k < N_LISTS; k++) sofa_checkpoint_put_list(to, lists[k], sizeof(double));
  put_pairs(&c->near, to);
  for (int k = 0; k < IPC_N_TREES; k++) sofa_bounding_tree_save(&c->tree[k], to);
  return SOFA_OK;
}

/* The surface first: its arrays have the lengths of the lists. */
static SofaErr restore(SofaObject *object, SofaCheckpointReader *from) {
  Ipc *c = (Ipc *)object;
  double *kept[N_KEPT];
  SofaReals *lists[N_LISTS];
  c->started = sofa_checkpoint_get_uint(from) != 0;
  if (!c->started) return SOFA_OK;
  const bool near_known = sofa_checkpoint_get_uint(from) != 0;
  SOFA_TRY(take_surface(c));
  find_kept(c, kept);
  find_lists(c, lists);
  for (int k = 0; k < N_KEPT; k++) sofa_checkpoint_get(from, kept[k], sizeof *kept[k]);
  for (int k = 0; k < N_LISTS; k++) {
    const size_t n = lists[k]->n;
    SOFA_TRY(sofa_checkpoint_get_list(from, lists[k], sizeof(double)));
    if (lists[k]->n != n) sofa_checkpoint_misread(from);
  }
  SOFA_TRY(get_pairs(c, from));
  for (int k = 0; k < IPC_N_TREES; k++)
    SOFA_TRY(sofa_bounding_tree_restore(object->ctx, &c->tree[k], from));
  c->near_known = near_known;
  c->evaluated = 0;
  return SOFA_OK;
}

static const SofaCheckpointOps checkpoint = {.save = save, .restore = restore};

static const SofaSparedMember spared[] = {
    SOFA_REMADE(Ipc, distance), SOFA_REMADE(Ipc, evaluated), SOFA_REMADE(Ipc, found),
    SOFA_REMADE(Ipc, motions),  SOFA_REMADE(Ipc, tree),      SOFA_REMADE(Ipc, x),
    SOFA_REMADE(Ipc, x_from),
};

SOFA_CLASS(IncrementalPotentialContact) = {
    .name = "IncrementalPotentialContact",
    .module = "IncrementalPotentialContact",
    .category = "InteractionForceField",
    .help = "Contact that cannot pass through: a barrier between all surfaces of its models, with "
            "friction, and a limit of every step of the solver (Li et al., 2020). It needs "
            "StaticSolver, BDFOdeSolver of order 1 or 2, NewmarkImplicitSolver, "
            "VariationalSymplecticSolver, or SofaCaribou's StaticODESolver or "
            "BackwardEulerODESolver, with many Newton iterations.",
    .equations =
        "W = kappa sum_k m_k b(d_k), f = -dW/dx\n"
        "b(d) = -(d^2 - D^2)^2 ln(d^2/D^2) if d < D, else 0\n"
        "f_t = -mu f_n g(u) t, g(u) = 2 u/e - (u/e)^2 if u < e, else 1\n"
        "\"d_k: distance of pair k, D: dhat, kappa: stiffness, m_k: 1, less for edges that are "
        "nearly parallel; f_t: friction of a pair, mu: friction, f_n: force of the pair when the "
        "step began, u, t: how far and where it slid in the step, e = dt epsV\"",
    .base = &sofa_object_class,
    SOFA_SPARES(spared),
    .checkpoint = &checkpoint,
    .size = sizeof(Ipc),
    SOFA_FIELDS(fields),
    .construct = construct,
    .bwd_init = bwd_init,
    .reinit = forget,
    .reset = forget,
    .destroy = destroy,
    SOFA_IMPLEMENTS({SOFA_FORCE_FIELD, &ops}, {SOFA_INTERACTION, SOFA_NO_OPS},
                    {SOFA_STEP_LIMITER, &limiter_ops}, {SOFA_TOPOLOGY_LISTENER, &listener},
                    {SOFA_DRAW, &draw_ops}),
};

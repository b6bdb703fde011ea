/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The core without a component: linked with its archive alone, a program brings a class and an
 * animation loop of its own, and runs a scene with them. */
#include <sofa.h>

#include <stdio.h>

/* A counter of steps. */
typedef struct Counter {
  SofaObject object;
  int by, n;
} Counter;

static const SofaField counter_fields[] = {
    SOFA_FIELD(Counter, by, "by", "1", "", "what a step adds"),
};

static SofaErr count(SofaObject *object, const SofaEvent *event) {
  Counter *counter = (Counter *)object;
  if (event->type == SOFA_EVENT_ANIMATE_END) counter->n += counter->by;
  return SOFA_OK;
}

static const SofaClass counter_class = {
    .name = "Counter",
    .module = "alone",
    .category = "Other",
    .help = "Counts steps.",
    .base = &sofa_object_class,
    .size = sizeof(Counter),
    SOFA_FIELDS(counter_fields),
    .listening = true,
    .handle_event = count,
};

static SofaErr step(SofaAnimationLoop *loop, SofaNode *root, double dt) {
  const SofaEvent end = {.type = SOFA_EVENT_ANIMATE_END, .dt = dt};
  (void)loop;
  sofa_animation_loop_set_time(root, root->time + dt);
  return sofa_send_event(root, &end);
}

static const SofaAnimationLoopOps loop_ops = {.step = step};
static const SofaClass loop_class = {
    .name = "Loop",
    .module = "alone",
    .category = "AnimationLoop",
    .help = "Lets the time go on.",
    .base = &sofa_animation_loop_class,
    .size = sizeof(SofaAnimationLoop),
    SOFA_IMPLEMENTS({SOFA_ANIMATION_LOOP, &loop_ops}),
};

static const SofaClass *const classes[] = {&counter_class, &loop_class, NULL};
static const SofaDefaultClass defaults[] = {{SOFA_ANIMATION_LOOP, NULL, "Loop"}, {0}};
static const SofaModule module = {
    .abi = SOFA_ABI, .name = "alone", .version = "1", .classes = classes, .defaults = defaults};

static const char scene[] = "<Node name='root' dt='0.5'>"
                            "  <Node name='child'><Counter name='c' by='2'/></Node>"
                            "</Node>";

static SofaErr run(SofaContext *ctx, int *n, double *time) {
  SofaSimulation *simulation = NULL;
  SofaNode *node = NULL;
  SofaObject *object = NULL;
  SofaErr err = SOFA_OK;
  SOFA_GO(err, done, sofa_factory_register(ctx, &module));
  SOFA_GO(err, done, sofa_simulation_load_text(ctx, scene, &simulation));
  SOFA_GO(err, done, sofa_node_create(ctx, simulation->root, "more", &node));
  SOFA_GO(err, done, sofa_object_create(node, &counter_class, "d", NULL, &object));
  SOFA_GO(err, done, sofa_simulation_init(simulation));
  for (int i = 0; i < 3; i++) SOFA_GO(err, done, sofa_simulation_step(simulation, 0));
  node = sofa_node_child(simulation->root, "child");
  *n = ((const Counter *)node->objects.data[0])->n + ((const Counter *)object)->n;
  *time = simulation->root->time;
done:
  sofa_simulation_destroy(&simulation);
  return err;
}

int main(void) {
  SofaContext *ctx = NULL;
  int n = 0;
  double time = 0;
  SofaErr err = sofa_context_create(NULL, &ctx);
  if (!err) err = run(ctx, &n, &time);
  sofa_context_destroy(&ctx);
  printf("%s: counted %d in %g s\n", sofa_err_text(err), n, time);
  return err || n != 9 || time != 1.5;
}

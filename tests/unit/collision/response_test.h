/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* For tests of responses: what loading a scene reports, and contacts given by hand. */
#ifndef TESTS_UNIT_COLLISION_RESPONSE_TEST_H
#define TESTS_UNIT_COLLISION_RESPONSE_TEST_H

#include "tests/support/contact_touch.h"

#define SCENE(manager, a, b)                                                                       \
  "<Node name='root' gravity='0 0 0'><DefaultAnimationLoop/>\n" manager "\n"                       \
  "<Node name='a'><MechanicalObject name='s' position='0 0 0 1 0 0'/>\n" a                         \
  "</Node>\n<Node name='b'><MechanicalObject name='s' position='0 0 0.1 1 0 0.1'/>"                \
  "\n" b "</Node></Node>"
#define POINT(name) "<PointCollisionModel name='" name "'/>"

/* ---- messages ---- */

typedef struct NameCase {
  const char *scene, *message; /* NULL: there is none */
  int line;                    /* that it names */
} NameCase;

typedef struct Heard {
  int n, line; /* warnings and errors; of the first error */
  char text[1000];
} Heard;

static inline void listen(void *user, const SofaMessage *m) {
  Heard *h = user;
  if (m->severity < SOFA_WARNING || h->n++) return;
  h->line = m->origin.line;
  snprintf(h->text, sizeof h->text, "%s", m->text);
}

static inline void check_load(const NameCase *c, const char *quirks, const char *expected) {
  Heard heard = {0};
  SofaContext *ctx;
  SofaSimulation *simulation = NULL;
  const SofaContextOptions options = {.quirk_words = quirks, .sink = listen, .sink_user = &heard};
  assert_int_equal(sofa_context_create(&options, &ctx), SOFA_OK);
  assert_int_equal(sofa_register_builtins(ctx), SOFA_OK);
  SofaErr err = sofa_simulation_load_text(ctx, c->scene, &simulation);
  if (err == SOFA_OK) err = sofa_simulation_init(simulation);
  if (!expected && (err != SOFA_OK || heard.n)) fail_msg("%s\n%s", c->scene, heard.text);
  if (expected && (err == SOFA_OK || !strstr(heard.text, expected)))
    fail_msg("%s\ngives: %s\nexpected: %s", c->scene, heard.text, expected);
  if (expected && heard.line != c->line) fail_msg("%s: line %d", heard.text, heard.line);
  sofa_simulation_destroy(&simulation);
  sofa_context_destroy(&ctx);
}

/* ---- contacts given by hand ---- */

static const SofaIntersection hand_method = {.alarm_distance = 0.5, .contact_distance = 0.2};

typedef struct Hand {
  SceneRun run;
  SofaCollisionModel *model[4];
  SofaDetection found;
} Hand;

static inline void hand_open(Hand *h, const char *scene, const char *quirks) {
  const SofaContextOptions options = {.quirk_words = quirks};
  const double p[3] = {0, 0, 0}, q[3] = {0, 0, 0.1};
  scene_run_open(&h->run, scene, &options);
  int n = 0;
  SofaNode *root = h->run.simulation->root;
  for (size_t i = 0; i < root->children.n; i++)
    for (size_t k = 0; k < root->children.data[i]->objects.n; k++) {
      SofaObject *object = root->children.data[i]->objects.data[k];
      if (sofa_implements(object, SOFA_COLLISION_MODEL) && n < 4)
        h->model[n++] = (SofaCollisionModel *)object;
    }
  h->found = contact_detection(0, 0, p, q, 0.2);
}

/* The models i and j touch, for each pair of digits of the text. */
static inline void touch(Hand *h, const char *digits) {
  SofaModelContact pairs[8];
  size_t n = 0;
  for (; digits[0] && digits[1]; digits += 2, n++)
    pairs[n] = (SofaModelContact){.model = {h->model[digits[0] - '0'], h->model[digits[1] - '0']},
                                  .detections = {.data = &h->found, .n = 1}};
  contact_respond(h->run.simulation->root, &hand_method, pairs, n);
}

#endif

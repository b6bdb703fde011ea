/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Scenes: load, initialise, step, save. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "api/api_impl.h"
#include "base/text.h"
#include "object/event.h"
#include "scene/checkpoint.h"
#include "scene/save.h"

/* ---- creation ---- */

/* Takes the simulation. */
static CsofaErr add_scene(CsofaContext *context, SofaSimulation *simulation, CsofaScene **out) {
  CsofaScene *scene = calloc(1, sizeof *scene);
  SofaErr err = scene ? SOFA_APPEND(context->ctx, &context->scenes, &scene) : SOFA_ERR_MEMORY;
  if (err != SOFA_OK) {
    free(scene);
    sofa_simulation_destroy(&simulation);
    return csofa_end(context, err);
  }
  *scene = (CsofaScene){.owner = context, .simulation = simulation};
  *out = scene;
  return CSOFA_OK;
}

CsofaErr csofa_load(CsofaContext *context, const char *path, CsofaScene **out) {
  SofaSimulation *simulation = NULL;
  *out = NULL;
  csofa_begin(context);
  const SofaErr err = sofa_simulation_load(context->ctx, path, &simulation);
  return err == SOFA_OK ? add_scene(context, simulation, out) : csofa_end(context, err);
}

CsofaErr csofa_load_text(CsofaContext *context, const char *xml, const char *folder,
                         CsofaScene **out) {
  SofaSimulation *simulation = NULL;
  *out = NULL;
  csofa_begin(context);
  const SofaErr err = sofa_simulation_load_text_in(context->ctx, xml, folder, &simulation);
  return err == SOFA_OK ? add_scene(context, simulation, out) : csofa_end(context, err);
}

CsofaErr csofa_new_scene(CsofaContext *context, CsofaScene **out) {
  SofaSimulation *simulation = NULL;
  *out = NULL;
  csofa_begin(context);
  const SofaErr err = sofa_simulation_create(context->ctx, &simulation);
  return err == SOFA_OK ? add_scene(context, simulation, out) : csofa_end(context, err);
}

void csofa_destroy_scene(CsofaScene *scene) {
  if (!scene) return;
  CsofaScenes *list = &scene->owner->scenes;
  size_t i = 0;
  while (i < list->n && list->data[i] != scene) i++;
  if (i == list->n) return; // not a living scene of the context
  list->n--;
  memmove(list->data + i, list->data + i + 1, (list->n - i) * sizeof *list->data);
  sofa_simulation_destroy(&scene->simulation);
  free(scene);
}

CsofaContext *csofa_context_of(const CsofaScene *scene) {
  return scene->owner;
}

/* ---- running ---- */

/* An adopted scene is initialised by its owner; what is added later, by the program. */
static SofaErr init_borrowed(CsofaScene *scene) {
  if (!scene->simulation->ready || !scene->added) return SOFA_OK;
  scene->added = false;
  return sofa_simulation_init_added(scene->simulation);
}

static SofaErr init(CsofaScene *scene) {
  SofaSimulation *s = scene->simulation;
  if (scene->borrowed) return init_borrowed(scene);
  if (scene->initialised && !scene->added) return SOFA_OK;
  if (scene->initialised && s->failure != SOFA_OK) return s->failure;
  const SofaErr err = scene->initialised ? sofa_simulation_init_added(s) : sofa_simulation_init(s);
  scene->initialised = true;
  scene->added = false;
  return err;
}

CsofaErr csofa_init(CsofaScene *scene) {
  csofa_begin(scene->owner);
  return csofa_end(scene->owner, init(scene));
}

CsofaErr csofa_step(CsofaScene *scene, uint64_t n) {
  csofa_begin(scene->owner);
  SofaErr err = init(scene);
  for (uint64_t i = 0; i < n && err == SOFA_OK; i++)
    err = sofa_simulation_step(scene->simulation, 0);
  return csofa_end(scene->owner, err);
}

CsofaErr csofa_run_until(CsofaScene *scene, double t) {
  const SofaNode *root = scene->simulation->root;
  csofa_begin(scene->owner);
  if (!isfinite(t)) return csofa_fail(scene->owner, SOFA_ERR_ARGUMENT, "time %g, expected s", t);
  SofaErr err = init(scene);
  while (err == SOFA_OK && root->time + root->dt / 2 < t)
    err = sofa_simulation_step(scene->simulation, 0);
  return csofa_end(scene->owner, err);
}

CsofaErr csofa_reset(CsofaScene *scene) {
  csofa_begin(scene->owner);
  SofaErr err = init(scene);
  if (err == SOFA_OK) err = sofa_simulation_reset(scene->simulation);
  return csofa_end(scene->owner, err);
}

double csofa_time(const CsofaScene *scene) {
  return scene->simulation->root->time;
}

double csofa_dt(const CsofaScene *scene) {
  return scene->simulation->root->dt;
}

uint64_t csofa_steps(const CsofaScene *scene) {
  return scene->simulation->steps;
}

CsofaErr csofa_energies(CsofaScene *scene, double *kinetic, double *potential) {
  double k = 0, p = 0;
  csofa_begin(scene->owner);
  SofaErr err = init(scene);
  if (err == SOFA_OK) err = sofa_simulation_energies(scene->simulation, &k, &p);
  if (kinetic) *kinetic = k;
  if (potential) *potential = p;
  return csofa_end(scene->owner, err);
}

CsofaErr csofa_send_key(CsofaScene *scene, int key, int pressed) {
  const SofaEvent event = {.type = pressed ? SOFA_EVENT_KEY_PRESSED : SOFA_EVENT_KEY_RELEASED,
                           .dt = csofa_dt(scene),
                           .key = key};
  csofa_begin(scene->owner);
  SofaErr err = init(scene);
  if (err == SOFA_OK) err = sofa_send_event(scene->simulation->root, &event);
  return csofa_end(scene->owner, err);
}

/* ---- saving ---- */

CsofaErr csofa_save_xml(CsofaScene *scene, const char *path) {
  csofa_begin(scene->owner);
  return csofa_end(scene->owner, sofa_scene_save(scene->simulation, path));
}

CsofaErr csofa_save_state(CsofaScene *scene, const char *path) {
  csofa_begin(scene->owner);
  SofaErr err = init(scene);
  if (err == SOFA_OK) err = sofa_checkpoint_save(scene->simulation, path);
  return csofa_end(scene->owner, err);
}

CsofaErr csofa_restore_state(CsofaScene *scene, const char *path) {
  csofa_begin(scene->owner);
  SofaErr err = init(scene);
  if (err == SOFA_OK) err = sofa_checkpoint_restore(scene->simulation, path);
  return csofa_end(scene->owner, err);
}

const char *csofa_xml(CsofaScene *scene) {
  CsofaContext *context = scene->owner;
  csofa_begin(context);
  context->text.n = 0;
  const SofaErr err = sofa_scene_print(scene->simulation, &context->text);
  return csofa_end(context, err) == CSOFA_OK ? context->text.data : NULL;
}

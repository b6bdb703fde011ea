/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Runs a scene and prints the values of fields at the end, one line each: the text that a scene
 * would have. Without paths it prints all fields of all objects.
 *
 * usage: scene_values SCENE STEPS [OBJECT:FIELD]... with paths such as /beam/state:position;
 * status 1 when the scene fails, 2 when a path names no field. */
#include <sofa.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "components/builtins.h"
#include "object/data_graph.h"

static void to_stderr(void *user, const SofaMessage *message) {
  (void)user;
  if (message->severity >= SOFA_ERROR) fprintf(stderr, "%s\n", message->text);
}

static bool value_of(SofaObject *object, const SofaField *field, SofaText *text) {
  bool changed;
  return sofa_data_pull(object, &changed) == SOFA_OK &&
         sofa_field_compute(object, field) == SOFA_OK &&
         sofa_field_print(object, field, text) == SOFA_OK;
}

/* 0: printed. */
static int print_value(SofaSimulation *simulation, const char *path) {
  const char *colon = strrchr(path, ':');
  SofaText text = {0};
  char *owner = colon ? strndup(path, (size_t)(colon - path)) : NULL;
  SofaObject *object =
      owner ? sofa_resolve_path(simulation->root, owner, &(SofaPathRule){.strict = true}) : NULL;
  const SofaField *field = object ? sofa_class_field(object->klass, colon + 1) : NULL;
  const bool good = field && value_of(object, field, &text);
  if (good) printf("%s\n", text.data ? text.data : "");
  else fprintf(stderr, "%s: there is no such field\n", path);
  sofa_list_free(simulation->ctx, &text);
  free(owner);
  return good ? 0 : 2;
}

static void print_all(SofaNode *node) {
  for (size_t i = 0; i < node->objects.n; i++) {
    SofaObject *object = node->objects.data[i];
    char *path = sofa_object_path(object);
    for (const SofaClass *c = object->klass; c; c = c->base) {
      for (size_t k = 0; k < c->n_fields; k++) {
        SofaText text = {0};
        if (value_of(object, &c->fields[k], &text))
          printf("%s:%s\t%s\n", path ? path : "", c->fields[k].name, text.data ? text.data : "");
        sofa_list_free(object->ctx, &text);
      }
    }
    sofa_free(object->ctx, path);
  }
  for (size_t i = 0; i < node->children.n; i++) print_all(node->children.data[i]);
}

int main(int n, char **words) {
  const SofaContextOptions options = {.threads = 1, .sink = to_stderr};
  SofaContext *ctx = NULL;
  SofaSimulation *simulation = NULL;
  if (n < 3 || sofa_context_create_with_builtins(&options, &ctx) != SOFA_OK) return 2;
  SofaErr err = sofa_simulation_load(ctx, words[1], &simulation);
  if (err == SOFA_OK) err = sofa_simulation_init(simulation);
  for (int i = 0; i < atoi(words[2]) && err == SOFA_OK; i++)
    err = sofa_simulation_step(simulation, 0);
  int status = err == SOFA_OK ? 0 : 1;
  if (n == 3 && status == 0) print_all(simulation->root);
  for (int i = 3; i < n && status == 0; i++) status = print_value(simulation, words[i]);
  sofa_simulation_destroy(&simulation);
  sofa_context_destroy(&ctx);
  return status;
}

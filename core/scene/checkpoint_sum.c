/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The checksum that says whether a checkpoint is of the scene that restores it. */
#include <string.h>

#include "base/checksum.h"
#include "behavior/loader.h"
#include "scene/checkpoint_impl.h"

static uint64_t sum_text(uint64_t sum, const char *text) {
  return sofa_checksum(sum, text, strlen(text) + 1);
}

static uint64_t sum_element(uint64_t sum, const SofaElement *element) {
  sum = sum_text(sum, element->tag);
  for (size_t i = 0; i < element->attributes.n; i++) {
    sum = sum_text(sum, element->attributes.data[i].name);
    sum = sum_text(sum, element->attributes.data[i].value);
  }
  for (size_t i = 0; i < element->n_children; i++) sum = sum_element(sum, element->children[i]);
  return sum_text(sum, "/");
}

/* The fields of a loader, as the file has filled them. */
static void sum_loader(const SofaObject *object, SofaCheckpointWriter *w, uint64_t *sum) {
  for (size_t i = 0; i < sofa_class_n_fields(object->klass); i++) {
    const SofaField *field = sofa_class_field_at(object->klass, i);
    if (field->type->link || field->type == &sofa_type_filename) continue;
    w->bytes.n = 0;
    sofa_checkpoint_put_value(w, field->type, sofa_field_value(object, field));
    *sum = sofa_checksum(*sum, w->bytes.data, w->bytes.n);
  }
}

typedef struct Sum {
  SofaCheckpointWriter writer;
  uint64_t sum;
} Sum;

static SofaVisit sum_loaders(SofaNode *node, void *user) {
  Sum *s = user;
  for (size_t i = 0; i < node->objects.n; i++)
    if (sofa_implements(node->objects.data[i], SOFA_LOADER))
      sum_loader(node->objects.data[i], &s->writer, &s->sum);
  return s->writer.err == SOFA_OK ? SOFA_CONTINUE : SOFA_STOP;
}

SofaErr sofa_checkpoint_sum_scene(SofaSimulation *simulation, const SofaElement *root) {
  Sum s = {.writer = {.ctx = simulation->ctx}, .sum = SOFA_CHECKSUM_BEGIN};
  if (root) s.sum = sum_element(s.sum, root);
  const SofaErr err = sofa_visit(
      simulation->root, &(SofaVisitor){.down = sum_loaders, .user = &s, .inactive_too = true});
  sofa_list_free(simulation->ctx, &s.writer.bytes);
  simulation->scene_sum = s.sum;
  return err == SOFA_OK ? s.writer.err : err;
}

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The checksum by which a saved state is of a scene: of the tags, names and values of the file, and
 * of what loaders have read, as computed here. */
#include "scene_test.h"

#include "behavior/loader.h"
#include "components/builtins.h"
#include "object/checkpoint.h"
#include "object/node.h"
#include "scene/builder.h"

/* FNV-1a over words of eight bytes, the last of which is filled with zeros. */
static uint64_t add_bytes(uint64_t sum, const char *bytes, size_t n) {
  for (size_t i = 0; i < n; i += 8) {
    uint64_t word = 0;
    for (size_t k = 0; k < 8 && i + k < n; k++)
      word |= (uint64_t)(unsigned char)bytes[i + k] << (8 * k);
    sum = (sum ^ word) * UINT64_C(0x100000001b3);
    sum ^= sum >> 32;
  }
  return sum;
}

/* Words with their ends. */
static uint64_t add_words(const char *const *words) {
  uint64_t sum = UINT64_C(0xcbf29ce484222325);
  for (; *words; words++) sum = add_bytes(sum, *words, strlen(*words) + 1);
  return sum;
}

/* The values of the loaders' fields, but links and names of files. */
static uint64_t add_values(uint64_t sum, const SofaObject *object) {
  for (size_t i = 0; i < sofa_class_n_fields(object->klass); i++) {
    const SofaField *field = sofa_class_field_at(object->klass, i);
    SofaCheckpointWriter w = {.ctx = object->ctx};
    if (field->type->link || field->type == &sofa_type_filename) continue;
    sofa_checkpoint_put_value(&w, field->type, sofa_field_value(object, field));
    assert_int_equal(w.err, SOFA_OK);
    sum = add_bytes(sum, w.bytes.data, w.bytes.n);
    sofa_list_free(object->ctx, &w.bytes);
  }
  return sum;
}

static uint64_t add_loaders(uint64_t sum, const SofaNode *node) {
  for (size_t i = 0; i < node->objects.n; i++)
    if (sofa_implements(node->objects.data[i], SOFA_LOADER))
      sum = add_values(sum, node->objects.data[i]);
  for (size_t i = 0; i < node->children.n; i++) sum = add_loaders(sum, node->children.data[i]);
  return sum;
}

static void scene_has(Bench *b, const char *text, const char *const *words) {
  SofaSimulation *s = NULL;
  if (sofa_simulation_load(b->ctx, bench_file(b, "s.scn", text), &s) != SOFA_OK)
    fail_msg("%s", b->messages);
  assert_true(s->scene_sum == add_loaders(add_words(words), s->root));
  sofa_simulation_destroy(&s);
}

#define WORDS(...) ((const char *const[]){__VA_ARGS__, NULL})

static void elements(void **state) {
  Bench b;
  (void)state;
  bench_open(&b, false);
  assert_int_equal(sofa_register_builtins(b.ctx), SOFA_OK);
  scene_has(&b, "<Node/>", WORDS("Node", "/"));
  scene_has(&b, "<Node name='12345678' dt='0.5'/>",
            WORDS("Node", "name", "12345678", "dt", "0.5", "/"));
  scene_has(&b, "<Node><Node name=''/><Node><DefaultAnimationLoop printLog='1'/></Node></Node>",
            WORDS("Node", "Node", "name", "", "/", "Node", "DefaultAnimationLoop", "printLog", "1",
                  "/", "/", "/"));
  bench_close(&b);
}

static void loaders(void **state) {
  Bench b;
  char text[2000], first[300], second[300];
  (void)state;
  bench_open(&b, false);
  assert_int_equal(sofa_register_builtins(b.ctx), SOFA_OK);
  strcpy(first, bench_file(&b, "a.off", "OFF 3 1 0 0 0 0 1 0 0 0 1 0 3 0 1 2\n"));
  strcpy(second, bench_file(&b, "b.off", "OFF 2 0 0 0 0 0 1 0 0\n"));
  snprintf(text, sizeof text,
           "<Node><MeshOffLoader filename='%s'/><MechanicalObject/><MeshOffLoader "
           "filename='%s'/><Node activated='0'><MeshOffLoader filename='%s'/></Node></Node>",
           first, second, first);
  scene_has(&b, text,
            WORDS("Node", "MeshOffLoader", "filename", first, "/", "MechanicalObject", "/",
                  "MeshOffLoader", "filename", second, "/", "Node", "activated", "0",
                  "MeshOffLoader", "filename", first, "/", "/", "/"));
  bench_close(&b);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(elements), cmocka_unit_test(loaders)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* For tests of links to data: a field whose value has changed has a new version, else what is
 * linked to it keeps the old value. Include after scene_run.h or what it includes. */
#ifndef TESTS_SUPPORT_FIELD_VERSIONS_H
#define TESTS_SUPPORT_FIELD_VERSIONS_H

enum { MOST_FIELDS = 120 };

/* What an object's fields say, and their versions. */
typedef struct FieldVersions {
  const SofaObject *object;
  size_t n;
  SofaText text[MOST_FIELDS];
  uint32_t version[MOST_FIELDS];
} FieldVersions;

static inline void note_fields(FieldVersions *f, const SofaObject *object) {
  *f = (FieldVersions){.object = object, .n = sofa_class_n_fields(object->klass)};
  assert_in_range(f->n, 1, MOST_FIELDS);
  for (size_t i = 0; i < f->n; i++) {
    const SofaFieldState *state = &object->field_states[i];
    // lazy ones get their version when they are read
    if (!(state->field->flags & SOFA_FIELD_LAZY))
      assert_int_equal(sofa_field_print(object, state->field, &f->text[i]), SOFA_OK);
    f->version[i] = state->version;
  }
}

/* Returns the number of fields that have changed since `before`, which is freed. */
static inline size_t changed_fields(FieldVersions *before) {
  FieldVersions now;
  SofaContext *ctx = before->object->ctx;
  size_t n = 0;
  note_fields(&now, before->object);
  for (size_t i = 0; i < now.n; i++) {
    const char *a = before->text[i].n ? before->text[i].data : "";
    const char *b = now.text[i].n ? now.text[i].data : "";
    const bool changed = strcmp(a, b) != 0;
    if (changed && now.version[i] == before->version[i])
      fail_msg("%s: '%s' has changed from %.100s to %.100s, its version has not",
               now.object->klass->name, now.object->field_states[i].field->name, a, b);
    n += changed;
    sofa_list_free(ctx, &before->text[i]);
    sofa_list_free(ctx, &now.text[i]);
  }
  return n;
}

#endif

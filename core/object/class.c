/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Questions to a class and its bases. */
#include "object/class.h"

#include <string.h>
#include "base/text.h"

const int sofa_no_ops = 0;

const SofaInterface sofa_engine_interface = {.name = "engine"};
const SofaInterface sofa_context_object_interface = {.name = "context object"};

bool sofa_class_is_a(const SofaClass *klass, const SofaClass *base) {
  while (klass && klass != base) klass = sofa_class_base(klass);
  return klass != NULL;
}

const void *sofa_class_ops(const SofaClass *klass, const SofaInterface *interface) {
  for (; klass; klass = sofa_class_base(klass)) {
    for (const SofaImplementation *i = klass->implements; i && i->interface; i++) {
      if (i->interface == interface) return i->ops;
    }
  }
  return NULL;
}

bool sofa_field_has_name(const SofaField *field, const char *name) {
  if (sofa_same_word(field->name, name)) return true;
  const size_t n = field->aliases ? strlen(name) : 0;
  for (const char *p = field->aliases; p && *p; p += *p == ' ') {
    const size_t length = strcspn(p, " ");
    if (length == n && sofa_compare(p, name, n) == 0) return true;
    p += length;
  }
  return false;
}

/* Base classes first; names only, or aliases too. */
static const SofaField *find_field(const SofaClass *klass, const char *name, bool aliases) {
  if (!klass) return NULL;
  const SofaField *found = find_field(sofa_class_base(klass), name, aliases);
  for (size_t i = 0; !found && i < klass->n_fields; i++) {
    const SofaField *field = &klass->fields[i];
    const bool same =
        aliases ? sofa_field_has_name(field, name) : sofa_same_word(field->name, name);
    if (same) found = field;
  }
  return found;
}

const SofaField *sofa_class_field(const SofaClass *klass, const char *name) {
  const SofaField *field = find_field(klass, name, false);
  return field ? field : find_field(klass, name, true);
}

const SofaQuirk *sofa_class_quirk(const SofaClass *klass, const char *word) {
  for (; klass; klass = sofa_class_base(klass)) {
    for (size_t i = 0; i < klass->n_quirks; i++)
      if (sofa_same_word(klass->quirks[i].word, word)) return &klass->quirks[i];
  }
  return NULL;
}

size_t sofa_class_n_fields(const SofaClass *klass) {
  size_t n = 0;
  for (; klass; klass = sofa_class_base(klass)) n += klass->n_fields;
  return n;
}

const SofaField *sofa_class_field_at(const SofaClass *klass, size_t i) {
  // base classes first: find the class whose rows hold index i
  while (klass) {
    const size_t before = sofa_class_n_fields(sofa_class_base(klass));
    if (i >= before) return i - before < klass->n_fields ? &klass->fields[i - before] : NULL;
    klass = sofa_class_base(klass);
  }
  return NULL;
}

SofaFieldRange sofa_class_range(const SofaClass *klass, const SofaField *field) {
  for (; klass; klass = sofa_class_base(klass)) {
    for (const SofaFieldRange *r = klass->ranges; r && r->field; r++)
      if (strcmp(r->field, field->name) == 0) return *r;
  }
  return (SofaFieldRange){field->name, field->range, field->on_bad};
}

SofaDivided sofa_class_divided(const SofaClass *klass) {
  while (klass && klass->divided == SOFA_DIVIDED_AS_BASE) klass = sofa_class_base(klass);
  return klass ? klass->divided : SOFA_DIVIDED_NOT;
}

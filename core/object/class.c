/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Questions to a class and its bases. */
#include "object/class.h"

#include <string.h>

const int sofa_no_ops = 0;

const char *sofa_interface_name(SofaInterface interface) {
  static const char *const names[SOFA_N_INTERFACES] = {
      [SOFA_STATE] = "state",
      [SOFA_MECHANICAL_STATE] = "mechanical state",
      [SOFA_TOPOLOGY] = "topology",
      [SOFA_LOADER] = "mesh loader",
      [SOFA_FORCE_FIELD] = "force field",
      [SOFA_INTERACTION] = "interaction force field",
      [SOFA_MASS] = "mass",
      [SOFA_PROJECTIVE] = "projective constraint",
      [SOFA_MAPPING] = "mapping",
      [SOFA_TOPOLOGICAL_MAPPING] = "topological mapping",
      [SOFA_ODE_SOLVER] = "ODE solver",
      [SOFA_LINEAR_SOLVER] = "linear solver",
      [SOFA_LINEAR_SYSTEM] = "linear system",
      [SOFA_ORDERING] = "ordering method",
      [SOFA_ENGINE] = "engine",
      [SOFA_ANIMATION_LOOP] = "animation loop",
      [SOFA_VISUAL_LOOP] = "visual loop",
      [SOFA_VISUAL_MODEL] = "visual model",
      [SOFA_VISUAL_STYLE] = "visual style",
      [SOFA_CONTEXT_OBJECT] = "context object",
      [SOFA_DRAW] = "drawing",
      [SOFA_ROTATION_FINDER] = "rotation finder",
      [SOFA_EXPORTER] = "exporter",
      [SOFA_TOPOLOGY_MODIFIER] = "topology modifier",
      [SOFA_TOPOLOGY_CHANGER] = "source of topological changes",
      [SOFA_FOLLOWER] = "follower of topological changes",
  };
  const char *name = (unsigned)interface < SOFA_N_INTERFACES ? names[interface] : NULL;
  return name ? name : "object";
}

bool sofa_class_is_a(const SofaClass *klass, const SofaClass *base) {
  while (klass && klass != base) klass = sofa_class_base(klass);
  return klass != NULL;
}

const void *sofa_class_ops(const SofaClass *klass, SofaInterface interface) {
  for (; klass; klass = sofa_class_base(klass)) {
    if (klass->ops[interface]) return klass->ops[interface];
  }
  return NULL;
}

bool sofa_field_has_name(const SofaField *field, const char *name) {
  if (strcmp(field->name, name) == 0) return true;
  const size_t n = strlen(name);
  for (const char *p = field->aliases; p && *p; p += *p == ' ') {
    const size_t length = strcspn(p, " ");
    if (length == n && memcmp(p, name, n) == 0) return true;
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
    const bool same = aliases ? sofa_field_has_name(field, name) : strcmp(field->name, name) == 0;
    if (same) found = field;
  }
  return found;
}

const SofaField *sofa_class_field(const SofaClass *klass, const char *name) {
  const SofaField *field = find_field(klass, name, false);
  return field ? field : find_field(klass, name, true);
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

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Checks of a class's tables at registration, so that mistakes in a table show at once. */
#include <stdio.h>
#include <string.h>
#include "object/checkpoint.h"
#include "object/factory_impl.h"
#include "object/object_impl.h"

/* The class that is checked, for the messages. */
typedef struct Check {
  SofaContext *ctx;
  const SofaModule *module;
  const SofaClass *klass;
} Check;

/* field: of the row or interface, or NULL */
static SofaErr fail(const Check *c, const char *field, const char *text) {
  const SofaOrigin origin = {.emitter = c->module->name};
  return sofa_fail(c->ctx, SOFA_ERR_ARGUMENT, &origin, "class '%s'%s%s: %s",
                   c->klass->name ? c->klass->name : "", field ? ", field " : "",
                   field ? field : "", text);
}

/* The first field of the class or its bases with the name, before `row`. */
static bool name_taken(const SofaClass *klass, const SofaField *row, const char *name) {
  if (sofa_class_field(sofa_class_base(klass), name)) return true;
  for (size_t i = 0; &klass->fields[i] != row; i++) {
    if (sofa_field_has_name(&klass->fields[i], name)) return true;
  }
  return false;
}

/* Values that overlap would be freed twice. */
static bool shares_place(const SofaClass *klass, const SofaField *row) {
  // fields of bases lie in their structs, with which this one begins
  for (const SofaClass *k = klass; k && row->offset < k->size; k = sofa_class_base(k)) {
    for (size_t i = 0; i < k->n_fields && &k->fields[i] != row; i++) {
      const SofaField *f = &k->fields[i];
      if (f->offset < row->offset + row->type->size && row->offset < f->offset + f->type->size) {
        return true;
      }
    }
  }
  return false;
}

/* A name only once in the chain; aliases may be shared, all fields of the name get the value. */
static SofaErr check_names(const Check *c, const SofaField *row) {
  if (!row->name || !*row->name) return fail(c, "?", "has no name");
  if (name_taken(c->klass, row, row->name)) return fail(c, row->name, "the name is taken");
  return SOFA_OK;
}

static SofaErr check_default(const Check *c, const SofaField *row, const SofaRange *range) {
  const bool must = ((row->flags & SOFA_FIELD_REQUIRED) && !row->def) || range->direction;
  const bool ranged = sofa_range_given(range) && !must;
  if (!row->def && !ranged) return SOFA_OK;
  SofaText why = {0};
  SofaErr err = SOFA_OK;
  void *value = sofa_alloc(c->ctx, 1, row->type->size);
  if (!value) return SOFA_ERR_MEMORY;
  const SofaParse parse = {c->ctx, row, NULL, SOFA_VEC3, &why, NULL};
  const SofaErr e = row->def ? sofa_type_parse(row->type, &parse, row->def, value) : SOFA_OK;
  if (e == SOFA_OK && !why.n && ranged) err = sofa_range_why(c->ctx, range, row->type, value, &why);
  if (e == SOFA_ERR_PARSE || why.n) err = fail(c, row->name, why.data ? why.data : "bad default");
  else if (err == SOFA_OK) err = e;
  sofa_type_free(row->type, c->ctx, value);
  sofa_free(c->ctx, value);
  sofa_list_free(c->ctx, &why);
  return err;
}

/* Only lists have entries that belong to elements. Indices are unsigned. */
static SofaErr check_belongs(const Check *c, const SofaField *row) {
  if (!row->belongs) return SOFA_OK;
  const SofaType *type = row->type;
  if (type != &sofa_type_coords && type != &sofa_type_rigid_masses &&
      !(type->list && sofa_scalar_size(type->scalar)))
    return fail(c, row->name, "belongs to elements or points, but is not a list of plain values");
  if (row->belongs->role == SOFA_ROLE_INDICES && type != &sofa_type_indices)
    return fail(c, row->name, "has indices of elements or points, but is not a list of indices");
  return SOFA_OK;
}

static SofaErr check_lists(const Check *c) {
  for (size_t i = 0; i < c->klass->n_lists; i++) {
    const SofaPrivateList *list = &c->klass->lists[i];
    if (list->offset < sizeof(SofaObject) || list->offset + sizeof(SofaAnyList) > c->klass->size)
      return fail(c, NULL, "has a private list outside of its struct");
    for (const SofaClass *k = c->klass; k; k = sofa_class_base(k))
      for (size_t f = 0; f < k->n_fields; f++)
        if (k->fields[f].offset < list->offset + sizeof(SofaAnyList) &&
            list->offset < k->fields[f].offset + k->fields[f].type->size)
          return fail(c, k->fields[f].name, "is a private list, too");
  }
  return SOFA_OK;
}

/* Members of the class's own. Fields among them are saved all the same. */
static SofaErr check_spared(const Check *c) {
  const SofaClass *base = sofa_class_base(c->klass);
  for (size_t i = 0; i < c->klass->n_spared; i++) {
    const SofaSparedMember *m = &c->klass->spared[i];
    if (m->offset < (base ? base->size : 0) || m->offset + m->size > c->klass->size)
      return fail(c, m->name, "is spared in a checkpoint, but no member of the class's own");
  }
  return SOFA_OK;
}

/* Numbers have ranges; coordinates of states have none. */
static bool takes_range(const SofaType *type) {
  const SofaScalar s = type->scalar;
  return type->width > 0 &&
         (s == SOFA_SCALAR_REAL || s == SOFA_SCALAR_INT || s == SOFA_SCALAR_UINT);
}

static SofaErr check_range(const Check *c, const SofaField *row, const SofaFieldRange *rule) {
  const SofaRange *r = &rule->range;
  if (rule->on_bad == SOFA_BAD_DROP &&
      (!sofa_list_checked(row) || row->belongs->role == SOFA_ROLE_PER))
    return fail(c, row->name, "has no indices to take out");
  if (!sofa_range_given(r)) {
    if (rule->on_bad && !sofa_list_checked(row))
      return fail(c, row->name, "has an action for values outside a range, but no range");
    return check_default(c, row, r);
  }
  if (!takes_range(row->type) || (r->direction && row->type->width < 2))
    return fail(c, row->name, "has a range but no numbers");
  const bool open = r->low == SOFA_END_OPEN || r->high == SOFA_END_OPEN;
  if (r->low && r->high && (r->min > r->max || (open && !(r->min < r->max))))
    return fail(c, row->name, "has an empty range");
  if (r->direction && rule->on_bad && rule->on_bad != SOFA_BAD_KEEP)
    return fail(c, row->name, "has no direction to use in place of none");
  if (rule->on_bad == SOFA_BAD_CLAMP && (open || r->finite))
    return fail(c, row->name, "has no end to clamp to");
  return check_default(c, row, r);
}

/* Ranges that the class gives to fields of its bases. */
static SofaErr check_ranges(const Check *c) {
  const SofaClass *base = sofa_class_base(c->klass);
  for (const SofaFieldRange *r = c->klass->ranges; r && r->field; r++) {
    const SofaField *row = base ? sofa_class_field(base, r->field) : NULL;
    if (!row || strcmp(row->name, r->field) != 0)
      return fail(c, r->field, "has a range but is not a field of a base");
    SOFA_TRY(check_range(c, row, r));
  }
  return SOFA_OK;
}

static SofaErr check_field(const Check *c, const SofaField *row) {
  SOFA_TRY(check_names(c, row));
  const SofaType *type = row->type;
  if (!type || !type->parse || !type->print) return fail(c, row->name, "has no complete type");
  // a class may name members of its bases that these keep to themselves
  if (row->offset < sizeof(SofaObject) || row->offset + type->size > c->klass->size) {
    return fail(c, row->name, "does not lie in the struct of its class");
  }
  if (shares_place(c->klass, row)) return fail(c, row->name, "shares its place with another field");
  if (!row->help || !*row->help) return fail(c, row->name, "has no help text");
  if (type == &sofa_type_option && (!row->options || !row->options[0])) {
    return fail(c, row->name, "has no options");
  }
  if (row->link && !type->link) return fail(c, row->name, "has a link rule but is not a link");
  SOFA_TRY(check_belongs(c, row));
  const SofaFieldRange rule = {row->name, row->range, row->on_bad};
  return check_range(c, row, &rule);
}

static SofaErr check_templates(const Check *c) {
  for (size_t i = 0; c->klass->templates && c->klass->templates[i]; i++) {
    if (!*c->klass->templates[i]) return fail(c, NULL, "has an empty template");
  }
  if (c->klass->templates && !c->klass->templates[0]) return fail(c, NULL, "has no template");
  return SOFA_OK;
}

/* A family is counted by an unsigned field of the class, or named by one of strings; its names are
 * free. */
static SofaErr check_family(const Check *c, const SofaFieldFamily *family) {
  const SofaField *row = &family->row;
  if (!row->name || !*row->name) return fail(c, "?", "has no name");
  if (!family->count && sofa_class_field(c->klass, row->name))
    return fail(c, row->name, "the name is taken");
  if (!row->help || !*row->help) return fail(c, row->name, "has no help text");
  const SofaField *count = family->count ? sofa_class_field(c->klass, family->count) : NULL;
  if (family->count &&
      (!count || (count->type != &sofa_type_uint && count->type != &sofa_type_strings)))
    return fail(c, row->name, "is not counted by an unsigned field");
  const SofaFieldRange rule = {row->name, row->range, row->on_bad};
  if (row->type) SOFA_TRY(check_range(c, row, &rule));
  for (size_t i = 0; !row->type && c->klass->templates && c->klass->templates[i]; i++)
    if (!sofa_template_list_type(c->klass->templates[i]))
      return fail(c, row->name, "has no type with one of the templates");
  return SOFA_OK;
}

/* The name of required function k: the text of SOFA_REQUIRES is a list of offsetof(table, name). */
static SofaErr fail_required(const Check *c, const SofaInterface *interface, size_t k) {
  const char *at = interface->required_text;
  char why[120];
  while (at && (at = strchr(at, '(')) && k--) at++;
  const char *name = at ? strchr(at, ',') : NULL;
  name = name ? name + 1 + strspn(name + 1, " ") : "";
  snprintf(why, sizeof why, "the required function '%.*s' is missing", (int)strcspn(name, ")"),
           name);
  return fail(c, interface->name, why);
}

/* The functions of interfaces that a class must give. */
static SofaErr check_interfaces(const Check *c) {
  for (const SofaImplementation *i = c->klass->implements; i && i->interface; i++) {
    if (!i->ops) return fail(c, NULL, "has an interface without functions");
    if (i->interface->ops_member + sizeof(void *) > c->klass->size)
      return fail(c, i->interface->name, "the struct does not begin with that of the interface");
    if (i->ops == SOFA_NO_OPS && i->interface->n_required && !c->klass->abstract)
      return fail(c, i->interface->name, "the interface needs functions");
    for (size_t k = 0; i->ops != SOFA_NO_OPS && k < i->interface->n_required; k++) {
      void (*function)(void);
      memcpy(&function, (const char *)i->ops + i->interface->required[k], sizeof function);
      if (!function) return fail_required(c, i->interface, k);
    }
  }
  return SOFA_OK;
}

/* Quirks: one bit and one word each, once in the chain. */
static SofaErr check_quirk(const Check *c, const SofaQuirk *row) {
  const SofaClass *base = sofa_class_base(c->klass);
  if (!row->word || !*row->word || !row->text || !*row->text || !row->test || !*row->test)
    return fail(c, row->word, "the quirk needs a word, a text and a test");
  if (!row->bit || (row->bit & (row->bit - 1))) return fail(c, row->word, "needs one bit");
  if (sofa_class_quirk(base, row->word) || sofa_class_quirk(c->klass, row->word) != row)
    return fail(c, row->word, "the quirk is there twice");
  for (const SofaClass *k = c->klass; k; k = sofa_class_base(k)) {
    for (size_t i = 0; i < k->n_quirks; i++)
      if (&k->quirks[i] != row && k->quirks[i].bit == row->bit)
        return fail(c, row->word, "shares its bit with another quirk");
  }
  return SOFA_OK;
}

/* Once for all classes that have it. */
static SofaErr check_base(SofaContext *ctx, const SofaModule *module, const SofaClass *base) {
  SofaFactory *factory = ctx->factory;
  for (size_t i = 0; i < factory->bases.n; i++)
    if (factory->bases.data[i] == base) return SOFA_OK;
  SOFA_TRY(sofa_class_check(ctx, module, base));
  return SOFA_APPEND(ctx, &factory->bases, &base);
}

SofaErr sofa_class_check(SofaContext *ctx, const SofaModule *module, const SofaClass *klass) {
  const Check c = {ctx, module, klass};
  if (!klass->name || !*klass->name) return fail(&c, NULL, "has no name");
  if (!klass->help || !*klass->help) return fail(&c, NULL, "has no help text");
  const SofaClass *base = sofa_class_base(klass);
  if (base && klass->size < base->size) return fail(&c, NULL, "is smaller than its base");
  SOFA_TRY(check_templates(&c));
  SOFA_TRY(check_interfaces(&c));
  if (base && base != &sofa_object_class) SOFA_TRY(check_base(ctx, module, base));
  for (size_t i = 0; i < klass->n_fields; i++) SOFA_TRY(check_field(&c, &klass->fields[i]));
  SOFA_TRY(check_lists(&c));
  SOFA_TRY(check_spared(&c));
  SOFA_TRY(check_ranges(&c));
  for (size_t i = 0; i < klass->n_families; i++) SOFA_TRY(check_family(&c, &klass->families[i]));
  for (size_t i = 0; i < klass->n_quirks; i++) SOFA_TRY(check_quirk(&c, &klass->quirks[i]));
  return SOFA_OK;
}

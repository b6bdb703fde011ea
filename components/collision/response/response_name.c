/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "components/collision/response/response_name.h"

#include <string.h>

#include "base/text.h"
#include "behavior/checks.h"
#include "object/factory.h"

/* Responses of SOFA that are not built. */
static const struct {
  const char *name, *why;
} missing[] = {
    {"RayContact", "it is made by the mouse only"},
};

/* ---- classes ---- */

static bool is_response(const SofaClass *klass) {
  return !klass->abstract && sofa_class_ops(klass, SOFA_CONTACT);
}

/* Reports an unknown name with the nearest one. */
static SofaErr unknown(const SofaObject *object, const char *field, const char *name) {
  SofaContext *ctx = object->ctx;
  SOFA_LIST(const char *, Names);
  Names names = {0};
  SofaErr err = SOFA_OK;
  for (size_t i = 0; i < sofa_factory_n_classes(ctx) && err == SOFA_OK; i++) {
    const SofaClass *klass = sofa_factory_class_at(ctx, i);
    if (is_response(klass)) err = SOFA_APPEND(ctx, &names, &klass->name);
  }
  for (size_t i = 0; i < SOFA_COUNT(missing) && err == SOFA_OK; i++)
    err = SOFA_APPEND(ctx, &names, &missing[i].name);
  if (err == SOFA_OK) {
    const size_t near = sofa_nearest_word(name, names.data, names.n);
    const bool found = near < names.n;
    err = sofa_field_fail(
        object, field, SOFA_ERR_NOT_FOUND, "there is no response to contacts '%s'%s%s%s", name,
        found ? "; did you mean '" : "", found ? names.data[near] : "", found ? "'?" : "");
  }
  sofa_list_free(ctx, &names);
  return err;
}

static SofaErr find_class(const SofaObject *object, const char *field, const char *name,
                          const SofaClass **out) {
  const SofaClass *klass = sofa_factory_find(object->ctx, name, NULL);
  *out = klass && is_response(klass) ? klass : NULL;
  if (*out) return SOFA_OK;
  for (size_t i = 0; i < SOFA_COUNT(missing); i++)
    if (strcmp(missing[i].name, name) == 0)
      return sofa_field_fail(object, field, SOFA_ERR_UNSUPPORTED,
                             "the response %s is not supported yet: %s", name, missing[i].why);
  return unknown(object, field, name);
}

SofaErr response_class(const SofaObject *object, const char *field, const char *text, bool none,
                       const SofaClass **out) {
  *out = NULL;
  if (none && strcmp(text, "nullptr") == 0) return SOFA_OK;
  char *name = sofa_strndup(object->ctx, text, strcspn(text, "?"));
  if (!name) return SOFA_ERR_MEMORY;
  const SofaErr err = find_class(object, field, name, out);
  sofa_free(object->ctx, name);
  return err;
}

/* ---- fields ---- */

typedef SofaErr (*ParamVisit)(void *user, const char *name, const char *value);

/* One "name=value"; its text is cut into two. */
static SofaErr visit_param(char *text, ParamVisit visit, void *user) {
  char *equal = strchr(text, '=');
  if (!*text) return SOFA_OK;
  if (equal) *equal = '\0';
  return visit(user, text, equal ? equal + 1 : NULL);
}

/* Every "name=value" after the name; value is NULL where there is no '='. */
static SofaErr each_param(SofaContext *ctx, const char *text, ParamVisit visit, void *user) {
  text += strcspn(text, "?");
  if (!*text) return SOFA_OK;
  char *copy = sofa_strdup(ctx, text);
  if (!copy) return SOFA_ERR_MEMORY;
  SofaErr err = SOFA_OK;
  for (char *p = copy + 1; p && err == SOFA_OK;) {
    char *end = strpbrk(p, "?&");
    if (end) *end = '\0';
    err = visit_param(p, visit, user);
    p = end ? end + 1 : NULL;
  }
  sofa_free(ctx, copy);
  return err;
}

typedef struct ParamCheck {
  const SofaObject *object;
  const char *field;
  const SofaClass *klass;
  bool quirk;
} ParamCheck;

/* Reports a field that the response does not have, with the nearest. */
static SofaErr unknown_field(const ParamCheck *c, const char *name) {
  SofaContext *ctx = c->object->ctx;
  SOFA_LIST(const char *, Names);
  Names names = {0};
  SofaErr err = SOFA_OK;
  for (const SofaClass *k = c->klass; k && err == SOFA_OK; k = k->base)
    for (size_t i = 0; i < k->n_fields && err == SOFA_OK; i++)
      err = SOFA_APPEND(ctx, &names, &k->fields[i].name);
  if (err == SOFA_OK) {
    const size_t near = sofa_nearest_word(name, names.data, names.n);
    const bool found = near < names.n;
    err = sofa_field_fail(c->object, c->field, SOFA_ERR_NOT_FOUND,
                          "'%s' is not supported by the response %s%s%s%s", name, c->klass->name,
                          found ? "; did you mean '" : "", found ? names.data[near] : "",
                          found ? "'?" : "");
  }
  sofa_list_free(ctx, &names);
  return err;
}

static SofaErr check_param(void *user, const char *name, const char *value) {
  const ParamCheck *c = user;
  if (!value)
    return sofa_field_fail(c->object, c->field, SOFA_ERR_PARSE,
                           "expected name=value for a parameter of the response, found '%s'", name);
  if (sofa_class_field(c->klass, name)) return SOFA_OK;
  if (!c->quirk) return sofa_keep_going(c->object, unknown_field(c, name));
  sofa_object_message(c->object, SOFA_INFO, "the response %s has no '%s', which is ignored",
                      c->klass->name, name);
  return SOFA_OK;
}

SofaErr response_check(const SofaObject *object, const char *field, const char *text, bool none,
                       bool quirk) {
  const bool manager = strcmp(field, "response") == 0; /* which has its parameters in a field */
  ParamCheck check = {
      .object = object, .field = manager ? "responseParams" : field, .quirk = quirk};
  SOFA_TRY(response_class(object, field, text, none, &check.klass));
  return check.klass ? each_param(object->ctx, text, check_param, &check) : SOFA_OK;
}

typedef struct ParamSet {
  SofaObject *contact;
  int line;
} ParamSet;

/* Fields that there are not were found by response_check. */
static SofaErr set_param(void *user, const char *name, const char *value) {
  const ParamSet *s = user;
  const SofaErr err = value ? sofa_field_set_text(s->contact, name, value, s->line) : SOFA_OK;
  return err == SOFA_ERR_NOT_FOUND ? SOFA_OK : err;
}

SofaErr response_set_fields(SofaObject *contact, const char *text, int line) {
  ParamSet set = {.contact = contact, .line = line};
  return each_param(contact->ctx, text, set_param, &set);
}

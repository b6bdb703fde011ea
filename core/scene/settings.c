/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Settings of a context, and the objects that take them. */
#include "scene/settings_impl.h"

#include <string.h>

#include "base/text.h"

static const char *without_leading(const char *path) {
  return path + strspn(path, "/");
}

/* ---- adding ---- */

static SofaErr refuse(SofaContext *ctx, const char *text, const char *why) {
  return sofa_fail(ctx, SOFA_ERR_ARGUMENT, &(SofaOrigin){.emitter = "setting"},
                   "'%s': %s; expected PATH.FIELD=VALUE, such as /body/state.position=0 0 0, or "
                   "FIELD=VALUE for the root node",
                   text, why);
}

/* Fields that decide what an object is, and what others call it. */
static bool is_fixed(const char *field) {
  static const char *const names[] = {"name", "template", "type", "src"};
  for (size_t i = 0; i < sizeof names / sizeof *names; i++)
    if (strcmp(names[i], field) == 0) return true;
  return false;
}

static void free_setting(SofaContext *ctx, SofaSetting *setting) {
  sofa_free(ctx, setting->path);
  sofa_free(ctx, setting->field);
  sofa_free(ctx, setting->value);
}

/* The last dot before '=' that is behind the last slash; NULL: there is none. */
static const char *find_dot(const char *text, const char *equals) {
  const char *dot = NULL;
  for (const char *p = text; p < equals; p++) {
    if (*p == '/') dot = NULL;
    if (*p == '.' && p[1] != '.' && p[1] != '/' && (p == text || p[-1] != '.')) dot = p;
  }
  return dot;
}

SofaErr sofa_scene_set(SofaContext *ctx, const char *text) {
  const char *equals = strchr(text, '=');
  if (!equals) return refuse(ctx, text, "there is no '='");
  const char *dot = find_dot(text, equals), *field = dot ? dot + 1 : text;
  if (field == equals) return refuse(ctx, text, "there is no field before '='");
  if (!dot && memchr(text, '/', (size_t)(equals - text)))
    return refuse(ctx, text, "there is no field behind the path");
  SofaSetting setting = {.path = sofa_strndup(ctx, text, dot ? (size_t)(dot - text) : 0),
                         .field = sofa_strndup(ctx, field, (size_t)(equals - field)),
                         .value = sofa_strdup(ctx, equals + 1)};
  SofaErr err = setting.path && setting.field && setting.value ? SOFA_OK : SOFA_ERR_MEMORY;
  if (err == SOFA_OK && is_fixed(setting.field))
    err = refuse(ctx, text, "links and templates of other objects rely on it");
  if (err == SOFA_OK) err = SOFA_APPEND(ctx, &ctx->settings, &setting);
  if (err != SOFA_OK) free_setting(ctx, &setting);
  return err;
}

void sofa_settings_begin(SofaContext *ctx) {
  for (size_t i = 0; i < ctx->settings.n; i++) ctx->settings.data[i].used = false;
}

/* ---- use ---- */

static bool is_at(const SofaSetting *setting, const char *path) {
  return strcmp(without_leading(setting->path), without_leading(path)) == 0;
}

/* Takes what the element says of the field under any of its names. */
static void remove_names(SofaContext *ctx, SofaElement *element, const SofaClass *klass,
                         const SofaField *field) {
  for (size_t i = 0; i < element->attributes.n;) {
    const char *name = element->attributes.data[i].name;
    if (sofa_class_field(klass, name) == field) sofa_element_remove(ctx, element, name);
    else i++;
  }
}

static SofaErr report_unknown(const SofaObject *object, const SofaSetting *setting) {
  SofaText why = {0};
  SofaErr err = sofa_class_suggest_field(object->ctx, object->klass, setting->field, &why);
  if (err == SOFA_OK)
    sofa_object_message(object, SOFA_ERROR, "<%s> has no field '%s', which was to be set%s",
                        object->klass->name, setting->field, why.n ? why.data : "");
  sofa_list_free(object->ctx, &why);
  return err;
}

SofaErr sofa_settings_apply(const SofaObject *object, SofaElement *element) {
  SofaContext *ctx = object->ctx;
  if (ctx->settings.n == 0) return SOFA_OK;
  char *path = sofa_object_path(object);
  SofaErr err = path ? SOFA_OK : SOFA_ERR_MEMORY;
  for (size_t i = 0; i < ctx->settings.n && err == SOFA_OK; i++) {
    SofaSetting *setting = &ctx->settings.data[i];
    if (!is_at(setting, path)) continue;
    setting->used = true;
    const SofaField *field = sofa_class_field(object->klass, setting->field);
    if (!field) {
      err = report_unknown(object, setting);
      continue;
    }
    remove_names(ctx, element, object->klass, field);
    err = sofa_element_set(ctx, element, setting->field, setting->value, element->line);
    if (err == SOFA_OK) sofa_element_find(element, setting->field)->given = true;
  }
  sofa_free(ctx, path);
  return err;
}

/* ---- what was not used ---- */

static SofaErr report_unused(SofaNode *root, const SofaSetting *setting) {
  SofaContext *ctx = root->object.ctx;
  SofaText nearest = {0};
  char *path = sofa_format(ctx, "/%s", without_leading(setting->path));
  SofaErr err = path ? sofa_path_suggest(root, path, &nearest) : SOFA_ERR_MEMORY;
  if (err == SOFA_OK)
    err = sofa_fail(ctx, SOFA_ERR_SCENE, &(SofaOrigin){.emitter = "setting"},
                    "'%s.%s': there is no object or node '%s'%s", setting->path, setting->field,
                    path, nearest.n ? nearest.data : "");
  sofa_list_free(ctx, &nearest);
  sofa_free(ctx, path);
  return err;
}

SofaErr sofa_settings_check(SofaNode *root) {
  const SofaSettings *settings = &root->object.ctx->settings;
  SofaErr err = SOFA_OK;
  for (size_t i = 0; i < settings->n && err != SOFA_ERR_MEMORY; i++)
    if (!settings->data[i].used) err = report_unused(root, &settings->data[i]);
  return err;
}

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The choice of a template for an object: the requested one, else the first that fits. */
#include <string.h>
#include "object/element.h"
#include "object/factory_impl.h"

/* Canonical text of a template: every part through the table of aliases. With an element, says
 * which are old names. */
static SofaErr canonical(const SofaNode *node, const struct SofaElement *element, const char *text,
                         SofaText *out) {
  SofaContext *ctx = node->object.ctx;
  SOFA_TRY(sofa_text_append(ctx, out, "", 0));
  for (const char *p = text; *p;) {
    p += strspn(p, " \t,");
    const size_t n = strcspn(p, " \t,");
    if (!n) break;
    char *part = sofa_strndup(ctx, p, n);
    if (!part) return SOFA_ERR_MEMORY;
    bool deprecated = false;
    const char *name = sofa_template_alias(part, &deprecated);
    if (deprecated && element) {
      const SofaOrigin origin = {element->file, element->line, NULL, element->tag};
      sofa_message(ctx, SOFA_DEPRECATED, &origin, "template '%s' is an old name of '%s'", part,
                   name);
    }
    const SofaErr err = sofa_text_printf(ctx, out, "%s%s", out->n ? "," : "", name);
    sofa_free(ctx, part);
    if (err) return err;
    p += n;
  }
  return SOFA_OK;
}

/* Appends "name: reason", or " | name" to the names before the same reason at the end. */
static void add_reason(SofaContext *ctx, const char *name, const SofaText *reason, SofaText *why) {
  const size_t n = reason->n + 2;
  const bool again = *name && why->n > n && memcmp(why->data + why->n - n, ": ", 2) == 0 &&
                     sofa_compare(why->data + why->n - reason->n, reason->data, reason->n) == 0;
  const char *separator = again ? " | " : "; ";
  if (again) why->n -= n;
  sofa_text_printf(ctx, why, "%s%s%s%s", why->n ? separator : "", name, *name ? ": " : "",
                   reason->data);
}

/* The tests of the class and its bases; reasons are collected. */
static bool fits(SofaNode *node, const SofaClass *klass, const struct SofaElement *element,
                 const char *name, SofaText *why) {
  SofaContext *ctx = node->object.ctx;
  SofaText one = {0};
  bool ok = true;
  for (const SofaClass *k = klass; ok && k; k = sofa_class_base(k)) {
    if (k->can_create) ok = k->can_create(node, element, name, &one);
  }
  if (!ok && one.n) add_reason(ctx, name, &one, why);
  sofa_list_free(ctx, &one);
  return ok;
}

/* Index of the class's template with that canonical name, or -1. */
static int find_template(const SofaClass *klass, const char *name, SofaText *scratch,
                         SofaNode *node, SofaErr *err) {
  for (int i = 0; klass->templates[i]; i++) {
    scratch->n = 0;
    *err = canonical(node, NULL, klass->templates[i], scratch);
    if (*err) return -1;
    if (strcmp(scratch->data, name) == 0) return i;
  }
  return -1;
}

/* The alphabetically first template that fits, `tried` left out. */
static const char *first_fitting(SofaNode *node, const SofaClass *klass,
                                 const struct SofaElement *element, const char *tried,
                                 SofaText *why) {
  const char *last = "";
  for (;;) {
    // the next one in the alphabet
    const char *next = NULL;
    for (size_t i = 0; klass->templates[i]; i++) {
      const char *t = klass->templates[i];
      if (strcmp(t, last) > 0 && (!next || strcmp(t, next) < 0)) next = t;
    }
    if (!next) return NULL;
    if (strcmp(next, tried) != 0 && fits(node, klass, element, next, why)) return next;
    last = next;
  }
}

static SofaErr choose(SofaNode *node, const SofaClass *klass, const struct SofaElement *element,
                      const char *wanted, SofaTemplateChoice *out) {
  SofaText scratch = {0};
  SofaErr err = SOFA_OK;
  int i = *wanted ? find_template(klass, wanted, &scratch, node, &err) : 0;
  sofa_list_free(node->object.ctx, &scratch);
  if (err) return err;
  const bool known = i >= 0;
  const char *candidate = klass->templates[known ? i : 0];
  const char *chosen = fits(node, klass, element, candidate, &out->why)
                           ? candidate
                           : first_fitting(node, klass, element, candidate, &out->why);
  if (!chosen) return SOFA_ERR_TYPE;
  out->name = chosen;
  out->fallback = *wanted && (!known || chosen != candidate);
  return SOFA_OK;
}

SofaErr sofa_factory_template(SofaNode *node, const SofaClass *klass,
                              const struct SofaElement *element, const char *requested,
                              SofaTemplateChoice *out) {
  SofaText wanted = {0};
  out->name = "";
  if (!klass->templates) return fits(node, klass, element, "", &out->why) ? SOFA_OK : SOFA_ERR_TYPE;
  SofaErr err = canonical(node, element, requested ? requested : "", &wanted);
  if (!err) err = choose(node, klass, element, wanted.data, out);
  sofa_list_free(node->object.ctx, &wanted);
  return err;
}

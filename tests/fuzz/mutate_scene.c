/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Changes of scenes by the tables of the classes. */
#include "mutate_scene.h"

#include <libxml/parser.h>
#include <libxml/tree.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "object/factory.h"

enum { MAX_ELEMENTS = 400, MAX_FIELDS = 200, MAX_VALUE = 400 };

typedef struct Mutator {
  const SofaContext *ctx;
  uint64_t state;
  xmlDoc *doc;
  xmlNode *elements[MAX_ELEMENTS]; /* without the root */
  size_t n;
} Mutator;

#define PICK(m, list) ((list)[draw((m), sizeof(list) / sizeof *(list))])

/* Below n. Steele, Lea, Flood: Fast splittable pseudorandom number generators. OOPSLA 2014. */
static size_t draw(Mutator *m, size_t n) {
  uint64_t z = m->state += 0x9e3779b97f4a7c15u;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return n ? (size_t)((z ^ (z >> 31)) % n) : 0;
}

/* ---- elements ---- */

static void collect(Mutator *m, xmlNode *parent) {
  for (xmlNode *e = parent->children; e; e = e->next) {
    if (e->type != XML_ELEMENT_NODE) continue;
    if (m->n < MAX_ELEMENTS) m->elements[m->n++] = e;
    collect(m, e);
  }
}

static xmlNode *any_element(Mutator *m) {
  m->n = 0;
  collect(m, xmlDocGetRootElement(m->doc));
  return m->n ? m->elements[draw(m, m->n)] : NULL;
}

static bool is_node(const xmlNode *e) {
  return strcmp((const char *)e->name, "Node") == 0;
}

/* A node of the scene, the root among them. */
static xmlNode *any_node(Mutator *m) {
  xmlNode *e = any_element(m);
  while (e && !is_node(e) && e->parent && e->parent->type == XML_ELEMENT_NODE) e = e->parent;
  return e ? e : xmlDocGetRootElement(m->doc);
}

static const char *attribute(const xmlNode *e, const char *name) {
  const xmlAttr *a = xmlHasProp(e, (const xmlChar *)name);
  return a && a->children && a->children->content ? (const char *)a->children->content : NULL;
}

static const SofaClass *class_of(const Mutator *m, const xmlNode *e) {
  return is_node(e) ? &sofa_node_class : sofa_factory_find(m->ctx, (const char *)e->name, NULL);
}

static const SofaField *any_field(Mutator *m, const SofaClass *klass) {
  const SofaField *fields[MAX_FIELDS];
  size_t n = 0;
  for (const SofaClass *c = klass; c; c = sofa_class_base(c)) {
    // the class's own fields more often than those of its bases
    for (size_t i = 0; i < c->n_fields && n < MAX_FIELDS; i++) fields[n++] = &c->fields[i];
    if (n && draw(m, 2)) break;
  }
  return n ? fields[draw(m, n)] : NULL;
}

/* ---- values ---- */

static const char *const whole[] = {"0", "1", "2", "3", "7", "-1", "33", "-2147483648"};
static const char *const real[] = {"0", "-0", "1",   "-1",   "0.5",    "1e-300", "1e300", "-1e300",
                                   "2", "10", "nan", "1e-9", "-1e-16", "inf",    "100",   "1e9"};
static const char *const index_[] = {"0", "1", "2", "3", "4", "7", "-1", "4294967295", "1000"};
static const char *const text_[] = {"",      " ",    "a",     "\n",       "0 0",
                                    "state", "../x", "Vec3d", "\t\x1b[2J"};
static const char *const paths[] = {"@",   "@.",  "@..",     "@../..",   "@/",
                                    "@./", "@//", "@/../..", "@nothing", "@.position"};

static void put_list(Mutator *m, const char *const *words, size_t n_words, char *value) {
  static const size_t lengths[] = {0, 1, 2, 3, 4, 6, 7, 8, 9, 12, 14, 24};
  const size_t n = PICK(m, lengths);
  size_t at = 0;
  value[0] = '\0';
  for (size_t i = 0; i < n && at + 24 < MAX_VALUE; i++)
    at += (size_t)snprintf(value + at, MAX_VALUE - at, "%s ", words[draw(m, n_words)]);
}

/* A path to an object or a field of one. */
static void put_path(Mutator *m, char *value) {
  const xmlNode *other = any_element(m);
  const char *name = other ? attribute(other, "name") : NULL;
  const SofaClass *klass = other ? class_of(m, other) : NULL;
  const SofaField *field = klass ? any_field(m, klass) : NULL;
  static const char *const before[] = {"@", "@../", "@../../", "@./", "@/"};
  if (!name && other) name = (const char *)other->name;
  if (!name || draw(m, 3) == 0) {
    snprintf(value, MAX_VALUE, "%s", PICK(m, paths));
  } else if (field && draw(m, 2)) {
    snprintf(value, MAX_VALUE, "%s%.60s.%s", PICK(m, before), name, field->name);
  } else {
    snprintf(value, MAX_VALUE, "%s%.60s", PICK(m, before), name);
  }
}

static void put_value(Mutator *m, const SofaField *field, char *value) {
  const char *type = field->type->name;
  const bool list = strstr(type, "list") || strstr(type, "vector") || field->belongs;
  size_t n_options = 0;
  while (field->options && field->options[n_options]) n_options++;
  if (field->link || strstr(type, "link") || draw(m, 12) == 0) put_path(m, value);
  else if (n_options && draw(m, 8))
    snprintf(value, MAX_VALUE, "%s", field->options[draw(m, n_options)]);
  else if (strstr(type, "ind") || (field->belongs && field->belongs->role == SOFA_ROLE_INDICES))
    put_list(m, index_, sizeof index_ / sizeof *index_, value);
  else if (list || strstr(type, "vec") || strstr(type, "coord"))
    put_list(m, real, sizeof real / sizeof *real, value);
  else if (strstr(type, "bool")) snprintf(value, MAX_VALUE, "%d", (int)draw(m, 2));
  else if (strstr(type, "int") || strstr(type, "unsigned"))
    snprintf(value, MAX_VALUE, "%s", PICK(m, whole));
  else if (strstr(type, "real")) snprintf(value, MAX_VALUE, "%s", PICK(m, real));
  else if (draw(m, 3)) put_list(m, real, sizeof real / sizeof *real, value);
  else snprintf(value, MAX_VALUE, "%s", PICK(m, text_));
}

static void set(xmlNode *e, const char *name, const char *value) {
  xmlSetProp(e, (const xmlChar *)name, (const xmlChar *)value);
}

static void set_any(Mutator *m, xmlNode *e) {
  char value[MAX_VALUE];
  const SofaClass *klass = class_of(m, e);
  const SofaField *field = klass ? any_field(m, klass) : NULL;
  if (!field) return;
  put_value(m, field, value);
  set(e, field->name, value);
}

/* ---- changes ---- */

static const xmlAttr *any_attribute(Mutator *m, const xmlNode *e) {
  size_t n = 0;
  for (const xmlAttr *a = e->properties; a; a = a->next) n++;
  size_t k = draw(m, n);
  const xmlAttr *a = e->properties;
  while (a && k--) a = a->next;
  return a;
}

/* A word of the value of an attribute becomes another one, goes, or ends the value. */
static void change_word(Mutator *m, xmlNode *e) {
  const xmlAttr *a = any_attribute(m, e);
  const char *old = a && a->children ? (const char *)a->children->content : NULL;
  if (!old || !*old) return;
  const size_t n = strlen(old);
  size_t begin = draw(m, n), end;
  while (begin > 0 && old[begin - 1] != ' ') begin--;
  end = begin + strcspn(old + begin, " ");
  char *value = malloc(n + 32);
  if (!value) return;
  const size_t how = draw(m, 4);
  snprintf(value, n + 32, "%.*s%s%s", (int)begin, old, how > 1 ? PICK(m, real) : "",
           how == 0 ? "" : old + end);
  set(e, (const char *)a->name, value);
  free(value);
}

static void insert_class(Mutator *m) {
  const size_t n = sofa_factory_n_classes(m->ctx);
  const SofaClass *klass = sofa_factory_class_at(m->ctx, draw(m, n));
  if (klass->abstract) return;
  xmlNode *node = any_node(m), *at = any_element(m);
  xmlNode *e = xmlNewDocNode(m->doc, NULL, (const xmlChar *)klass->name, NULL);
  if (!e) return;
  for (size_t k = draw(m, 4); k > 0; k--) set_any(m, e);
  if (at && at->parent == node && draw(m, 2)) xmlAddPrevSibling(at, e);
  else xmlAddChild(node, e);
}

static void duplicate(Mutator *m, xmlNode *e) {
  xmlNode *copy = xmlDocCopyNode(e, m->doc, 1);
  if (!copy) return;
  if (draw(m, 2)) xmlUnsetProp(copy, (const xmlChar *)"name");
  if (draw(m, 2)) xmlAddNextSibling(e, copy);
  else xmlAddChild(any_node(m), copy);
}

static bool is_below(const xmlNode *node, const xmlNode *e) {
  while (node && node != e) node = node->parent;
  return node != NULL;
}

static void move(Mutator *m, xmlNode *e) {
  xmlNode *to = any_node(m);
  if (is_below(to, e)) return;
  xmlUnlinkNode(e);
  if (to->children && draw(m, 2)) xmlAddPrevSibling(to->children, e);
  else xmlAddChild(to, e);
}

static void rename_element(Mutator *m, xmlNode *e) {
  const SofaClass *klass = sofa_factory_class_at(m->ctx, draw(m, sofa_factory_n_classes(m->ctx)));
  if (!is_node(e)) xmlNodeSetName(e, (const xmlChar *)klass->name);
}

static void set_template(Mutator *m, xmlNode *e) {
  static const char *const templates[] = {"Vec1d",   "Vec2d",   "Vec3d",        "Vec6d",
                                          "Rigid2d", "Rigid3d", "Vec3d,Rigid3d"};
  set(e, "template", PICK(m, templates));
}

static void change(Mutator *m) {
  char value[MAX_VALUE];
  xmlNode *e = any_element(m);
  if (!e) return;
  const xmlAttr *a = any_attribute(m, e);
  switch (draw(m, 14)) {
  case 0:
    xmlUnlinkNode(e);
    xmlFreeNode(e);
    break;
  case 1:
    duplicate(m, e);
    break;
  case 2:
    move(m, e);
    break;
  case 3:
    insert_class(m);
    break;
  case 4:
    rename_element(m, e);
    break;
  case 5:
    set_template(m, e);
    break;
  case 6:
    if (a) xmlUnsetProp(e, a->name);
    break;
  case 7:
    put_path(m, value);
    if (a) set(e, (const char *)a->name, value);
    break;
  case 8:
  case 9:
    change_word(m, e);
    break;
  default:
    set_any(m, e);
  }
}

char *mutate_scene(const SofaContext *ctx, const char *text, size_t size, uint64_t seed,
                   size_t *new_size) {
  const int options = XML_PARSE_RECOVER | XML_PARSE_NOERROR | XML_PARSE_NOWARNING | XML_PARSE_NONET;
  Mutator m = {.ctx = ctx, .state = seed};
  xmlChar *bytes = NULL;
  char *out = NULL;
  int n = 0;
  m.doc = xmlReadMemory(text, (int)size, "scene", NULL, options);
  if (!m.doc || !xmlDocGetRootElement(m.doc)) goto done;
  for (size_t k = 1 + draw(&m, 4); k > 0; k--) change(&m);
  xmlDocDumpMemory(m.doc, &bytes, &n);
  out = bytes ? malloc((size_t)n + 1) : NULL;
  if (!out) goto done;
  memcpy(out, bytes, (size_t)n);
  out[n] = '\0';
  *new_size = (size_t)n;
done:
  xmlFree(bytes);
  if (m.doc) xmlFreeDoc(m.doc);
  return out;
}

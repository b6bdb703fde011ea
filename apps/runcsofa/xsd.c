/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The schema of scenes, from the class tables. Every component is an element of its own, so that a
 * part of a scene in a file of its own is checked, too. */
#include "xsd.h"

#include <string.h>

#include "base/text.h"
#include "object/factory.h"
#include "object/node.h"

/* Text between tags or in quotes. */
static void escaped(FILE *out, const char *text) {
  static const char *const names[][2] = {
      {"&", "&amp;"}, {"<", "&lt;"}, {">", "&gt;"}, {"\"", "&quot;"}};
  for (; text && *text; text++) {
    const char *as = NULL;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
      if (*text == names[i][0][0]) as = names[i][1];
    if (as) fputs(as, out);
    else fputc(*text, out);
  }
}

static void describe(FILE *out, const char *help, const char *unit) {
  if (!help || !*help) return;
  fputs("<xs:annotation><xs:documentation>", out);
  escaped(out, help);
  if (unit && *unit) {
    fputs(" [", out);
    escaped(out, unit);
    fputs("]", out);
  }
  fputs("</xs:documentation></xs:annotation>", out);
}

/* Words to choose from; links and numbers of options are values, too. */
static void print_options(FILE *out, const char *const *options) {
  fputs("<xs:simpleType><xs:union memberTypes=\"xs:string\"><xs:simpleType><xs:restriction "
        "base=\"xs:string\">",
        out);
  for (; *options; options++) {
    fputs("<xs:enumeration value=\"", out);
    escaped(out, *options);
    fputs("\"/>", out);
  }
  fputs("</xs:restriction></xs:simpleType></xs:union></xs:simpleType>", out);
}

static void print_attribute(FILE *out, const SofaField *field, const char *name, size_t length) {
  const bool options = field->options && field->options[0];
  fprintf(out, "  <xs:attribute name=\"%.*s\"%s>", (int)length, name,
          options ? "" : " type=\"xs:string\"");
  describe(out, field->help, field->unit);
  if (options) print_options(out, field->options);
  fputs("</xs:attribute>\n", out);
}

/* Is the name that of a field before number `end`, or of its aliases? */
static bool is_known(const SofaClass *klass, size_t end, const char *name, size_t length) {
  char text[128];
  snprintf(text, sizeof text, "%.*s", (int)length, name);
  for (size_t i = 0; i < end; i++)
    if (sofa_field_has_name(sofa_class_field_at(klass, i), text)) return true;
  return strcmp(text, "template") == 0 || strcmp(text, "src") == 0;
}

static void print_field(FILE *out, const SofaClass *klass, size_t i) {
  const SofaField *field = sofa_class_field_at(klass, i);
  const char *at = field->name, *word = NULL;
  size_t length = 0;
  for (int list = 0; list < 2; list++, at = field->aliases)
    while (at && sofa_read_word(&at, &word, &length))
      if (!is_known(klass, i, word, length)) print_attribute(out, field, word, length);
}

/* Attributes in any number, and what belongs to all components. */
static void print_attributes(FILE *out, const SofaClass *klass) {
  for (size_t i = 0, n = sofa_class_n_fields(klass); i < n; i++) print_field(out, klass, i);
  fputs("  <xs:attribute name=\"template\">", out);
  static const char *const none[] = {NULL};
  print_options(out, klass->templates ? klass->templates : none);
  fputs("</xs:attribute>\n  <xs:attribute name=\"src\" type=\"xs:string\"/>\n", out);
}

static void print_element(FILE *out, const SofaClass *klass, const char *name) {
  fprintf(out, " <xs:element name=\"%s\">", name);
  describe(out, klass->help, NULL);
  fputs("<xs:complexType>\n"
        "  <xs:sequence><xs:any minOccurs=\"0\" maxOccurs=\"unbounded\" "
        "processContents=\"skip\"/></xs:sequence>\n",
        out);
  print_attributes(out, klass);
  // loaders and engines with fields by number have further ones
  if (klass->n_families || strstr(klass->name, "Loader"))
    fputs("  <xs:anyAttribute processContents=\"skip\"/>\n", out);
  fputs(" </xs:complexType></xs:element>\n", out);
}

static bool is_component(const SofaClass *klass) {
  return !klass->abstract && klass != &sofa_node_class;
}

/* Calls with each tag of each component. */
static void each_tag(const SofaContext *ctx, FILE *out,
                     void (*print)(FILE *out, const SofaClass *klass, const char *tag)) {
  for (size_t i = 0, n = sofa_factory_n_classes(ctx); i < n; i++) {
    const SofaClass *klass = sofa_factory_class_at(ctx, i);
    if (!is_component(klass)) continue;
    print(out, klass, klass->name);
    for (size_t k = 0; klass->aliases && klass->aliases[k]; k++)
      print(out, klass, klass->aliases[k]);
  }
}

static void print_reference(FILE *out, const SofaClass *klass, const char *tag) {
  (void)klass;
  fprintf(out, "   <xs:element ref=\"%s\"/>\n", tag);
}

/* Elements of the scene format itself. */
static void print_node(const SofaContext *ctx, FILE *out) {
  fputs(" <xs:element name=\"Node\"><xs:complexType>\n  <xs:choice minOccurs=\"0\" "
        "maxOccurs=\"unbounded\">\n   <xs:element ref=\"Node\"/>\n   <xs:element "
        "ref=\"include\"/>\n   <xs:element ref=\"Object\"/>\n   <xs:element ref=\"Attribute\"/>\n",
        out);
  each_tag(ctx, out, print_reference);
  fputs("  </xs:choice>\n", out);
  print_attributes(out, &sofa_node_class);
  fputs("  <xs:anyAttribute processContents=\"skip\"/>\n </xs:complexType></xs:element>\n", out);
  static const char *const free_ones[] = {"include", "Object", "Attribute"};
  for (size_t i = 0; i < sizeof free_ones / sizeof *free_ones; i++)
    fprintf(out,
            " <xs:element name=\"%s\"><xs:complexType><xs:sequence><xs:any minOccurs=\"0\" "
            "maxOccurs=\"unbounded\" processContents=\"skip\"/></xs:sequence><xs:anyAttribute "
            "processContents=\"skip\"/></xs:complexType></xs:element>\n",
            free_ones[i]);
}

SofaErr xsd_print(SofaContext *ctx, FILE *out) {
  fputs("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
        "<!-- Scenes of csofa " CSOFA_VERSION ", written by the option xsd of runcsofa. -->\n"
        "<xs:schema xmlns:xs=\"http://www.w3.org/2001/XMLSchema\">\n",
        out);
  print_node(ctx, out);
  each_tag(ctx, out, print_element);
  fputs("</xs:schema>\n", out);
  return SOFA_OK;
}

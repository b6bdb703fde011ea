/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* schema_check SCHEMA SCENE...: validates scenes with the reader of libxml2, as an editor would. A
 * scene that is not XML in the strict sense is left out. Prints those that are not valid; exit
 * status 1: there are some. */
#include <libxml/xmlschemas.h>
#include <stdio.h>

static int is_valid(xmlSchemaPtr schema, const char *path) {
  xmlDocPtr scene = xmlReadFile(path, NULL, XML_PARSE_NOERROR | XML_PARSE_NOWARNING);
  xmlSchemaValidCtxtPtr context = xmlSchemaNewValidCtxt(schema);
  int valid = 1;
  if (!scene) printf("%s is no strict XML\n", path);
  else valid = context && xmlSchemaValidateDoc(context, scene) == 0;
  if (!valid) printf("%s is not valid\n", path);
  xmlSchemaFreeValidCtxt(context);
  xmlFreeDoc(scene);
  return valid;
}

int main(int argc, char **argv) {
  xmlSchemaParserCtxtPtr parser = argc > 2 ? xmlSchemaNewParserCtxt(argv[1]) : NULL;
  xmlSchemaPtr schema = parser ? xmlSchemaParse(parser) : NULL;
  int all = schema != NULL;
  for (int i = 2; schema && i < argc; i++) all = is_valid(schema, argv[i]) && all;
  xmlSchemaFree(schema);
  xmlSchemaFreeParserCtxt(parser);
  xmlCleanupParser();
  return all ? 0 : 1;
}

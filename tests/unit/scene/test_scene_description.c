/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Tests of reading: well-formed and malformed XML, hostile input, lines, includes, prefabs. */
#include "scene_test.h"

#include "components/builtins.h"
#include "scene/description.h"

/* The tree as text: tag(name=value,...)[children] */
static void dump(const SofaElement *e, char *out, size_t size) {
  size_t n = strlen(out);
  n += (size_t)snprintf(out + n, size - n, "%s(", e->tag);
  for (size_t i = 0; i < e->attributes.n; i++)
    n += (size_t)snprintf(out + n, size - n, "%s%s=%s", i ? "," : "", e->attributes.data[i].name,
                          e->attributes.data[i].value);
  n += (size_t)snprintf(out + n, size - n, ")");
  if (e->n_children == 0) return;
  snprintf(out + n, size - n, "[");
  for (size_t i = 0; i < e->n_children; i++) dump(e->children[i], out, size);
  n = strlen(out);
  snprintf(out + n, size - n, "]");
}

static SofaErr read_text(Bench *b, const char *text, SofaDescription *out) {
  bench_clear(b);
  return sofa_description_read_text(b->ctx, "scene.scn", b->folder, text, strlen(text), out);
}

/* Reads text and compares the tree. */
static void gives(Bench *b, const char *text, const char *expected) {
  SofaDescription d;
  char tree[4096] = "";
  const SofaErr err = read_text(b, text, &d);
  if (err != SOFA_OK) fail_msg("not read: %s\n%s", text, b->messages);
  dump(d.root, tree, sizeof tree);
  assert_string_equal(tree, expected);
  sofa_description_free(b->ctx, &d);
}

static void refused(Bench *b, const char *text, const char *message) {
  SofaDescription d;
  assert_int_not_equal(read_text(b, text, &d), SOFA_OK);
  assert_null(d.root);
  assert_message(b, message);
  sofa_description_free(b->ctx, &d);
}

static void reads_scenes_as_written(void **state) {
  Bench b;
  (void)state;
  bench_open(&b, false);
  gives(&b, "<Node name='root'><A x='1'/><Node/></Node>", "Node(name=root)[A(x=1)Node()]");
  gives(&b, "\xef\xbb\xbf<?xml version='1.0' encoding='utf-8'?>\n<Node/>", "Node()");
  gives(&b, "\n <?xml version='1.0'?><Node/>", "Node()");
  gives(&b, "<!-- a -- b --><Node><!---- x ---></Node>", "Node()");
  gives(&b, "<!DOCTYPE Node><Node/>", "Node()");
  gives(&b, "<Node><Object type='A' x='1'/></Node>", "Node()[A(x=1)]");
  gives(&b,
        "<Node><A><Attribute type='p'><Data value='1'/><Data value='2'/></Attribute></A></Node>",
        "Node()[A(p=2)]");
  assert_no_message(&b);
  gives(&b, "<Node><a:b c:d='1'/></Node>", "Node()[a:b(c:d=1)]");
  bench_close(&b);
}

static void keeps_what_xml_would_not(void **state) {
  Bench b;
  (void)state;
  bench_open(&b, false);
  gives(&b, "<Node p='mu=0.5&epsilon=10&'/>", "Node(p=mu=0.5&epsilon=10&)");
  gives(&b, "<Node p='a&amp;b&#65;&#x42;&lt;&gt;&quot;&apos;&#;&#x;&#99999999999;'/>",
        "Node(p=a&bAB<>\"'&#;&#x;&#99999999999;)");
  gives(&b, "<Node p='a<b'/>", "Node(p=a<b)");
  gives(&b, "<Node p='1\r\n2\n\t3'/>", "Node(p=1\n2\n\t3)");
  assert_no_message(&b);
  gives(&b, "<Node p='caf\xe9'/>", "Node(p=caf\xc3\xa9)");
  assert_message(&b, "scene.scn:1: warning: not UTF-8");
  gives(&b, "<Node>\n/</Node>", "Node()");
  assert_message(&b, "scene.scn:2: warning: text outside of a tag is ignored: '/'");
  gives(&b, "<Node>\n   abcdefghijklmnopqrstuvwxyz</Node>", "Node()");
  assert_message(&b, "warning: text outside of a tag is ignored: 'abcdefghijklmnopqrst'\n");
  gives(&b, "<Node>    abcdefghijklmnopqrs t</Node>", "Node()");
  assert_message(&b, "warning: text outside of a tag is ignored: 'abcdefghijklmnopqrs'\n");
  bench_close(&b);
}

static void knows_lines(void **state) {
  Bench b;
  SofaDescription d;
  (void)state;
  bench_open(&b, false);
  const char *text = "<Node name='r'\n  dt='1'\n\n gravity='0\n0\n0' time\n=\n'0' >\n"
                     "<!-- \n\n -->\n<A\n x='1'/>\n</Node>";
  assert_int_equal(read_text(&b, text, &d), SOFA_OK);
  const int lines[] = {1, 2, 4, 6};
  for (size_t i = 0; i < 4; i++) assert_int_equal(d.root->attributes.data[i].line, lines[i]);
  assert_int_equal(d.root->line, 1);
  assert_int_equal(d.root->children[0]->line, 12);
  assert_int_equal(d.root->children[0]->attributes.data[0].line, 13);
  sofa_description_free(b.ctx, &d);

  // lines beyond what libxml2 keeps in its trees
  const size_t n = 70000;
  char *many = malloc(n + 100);
  assert_non_null(many);
  strcpy(many, "<Node>");
  memset(many + 6, '\n', n);
  strcpy(many + 6 + n, "<A\nx='1'/></Node>");
  assert_int_equal(read_text(&b, many, &d), SOFA_OK);
  assert_int_equal(d.root->children[0]->line, 70001);
  assert_int_equal(d.root->children[0]->attributes.data[0].line, 70002);
  sofa_description_free(b.ctx, &d);
  strcpy(many + 6 + n, "<A x='1' x='1'/></Node>");
  refused(&b, many, "scene.scn:70001: error: malformed XML: Attribute x redefined");
  free(many);
  bench_close(&b);
}

static void refuses_malformed_text(void **state) {
  Bench b;
  (void)state;
  bench_open(&b, false);
  refused(&b, "", "scene.scn:1: error: the file is empty");
  refused(&b, " \n ", "scene.scn:");
  refused(&b, "hello", "scene.scn:1: error: malformed XML");
  refused(&b, "<Node>", "scene.scn:1: error: malformed XML");
  refused(&b, "<Node>\n<A></B></Node>", "scene.scn:2: error: malformed XML");
  refused(&b, "<Node/>\n<Node/>", "scene.scn:2: error: malformed XML");
  refused(&b, "<Node/>x", "scene.scn:1: error: malformed XML");
  refused(&b, "<Node a=1/>", "scene.scn:1: error: malformed XML");
  refused(&b, "<Node\na='1\n\n/>", "scene.scn:2: error: the attribute value that starts here");
  refused(&b, "<Node>\n<!-- </Node>", "scene.scn:2: error: the comment that starts here");
  refused(&b, "<Node\na='1'\na='2'/>", "scene.scn:3: error: malformed XML: Attribute a redefined");
  refused(&b, "<Node p='&#0;'/>", "scene.scn:1: error: malformed XML");
  refused(&b, "<Node p='\x01'/>", "scene.scn:1: error: malformed XML");
  refused(&b, "\xff\xfe<", "UTF-16");
  refused(&b, "<Node><A <B/></Node>", "scene.scn:1: error: malformed XML");
  refused(&b, "<", "scene.scn:1: error: malformed XML");
  refused(&b, "<?xml", "scene.scn:1: error: '<?' has no '?>'");
  refused(&b, "<![CDATA[", "scene.scn:1: error: malformed XML");
  refused(&b, "<!DOCTYPE", "scene.scn:1: error: a DOCTYPE");
  refused(&b, "<A/>", "scene.scn:1: error: the root element of a scene is <Node>");
  refused(&b, "<Attribute/>", "scene.scn:1: error: the scene has no root node");
  SofaDescription d;
  assert_int_equal(sofa_description_read_text(b.ctx, "z", NULL, "<Node\0/>", 8, &d),
                   SOFA_ERR_PARSE);
  sofa_description_free(b.ctx, &d);
  assert_int_not_equal(sofa_description_read(b.ctx, bench_path(&b, "missing.scn"), &d), SOFA_OK);
  sofa_description_free(b.ctx, &d);
  assert_int_not_equal(sofa_description_read(b.ctx, b.folder, &d), SOFA_OK);
  sofa_description_free(b.ctx, &d);
  bench_close(&b);
}

static void refuses_entities(void **state) {
  Bench b;
  (void)state;
  bench_open(&b, false);
  refused(&b,
          "<?xml version='1.0'?>\n<!DOCTYPE lolz [<!ENTITY a 'x'>"
          "<!ENTITY b '&a;&a;&a;'>]>\n<Node name='&b;'/>",
          "scene.scn:2: error: a DOCTYPE with entities");
  refused(&b, "<!DOCTYPE Node SYSTEM 'file:///etc/passwd'><Node/>",
          "scene.scn:1: error: a DOCTYPE with entities");
  refused(&b, "<!DOCTYPE Node PUBLIC 'a' 'http://b/'><Node/>",
          "scene.scn:1: error: a DOCTYPE with entities");
  gives(&b, "<Node name='&b;'/>", "Node(name=&b;)");
  bench_close(&b);
}

static void limits_depth_and_size(void **state) {
  Bench b;
  SofaDescription d;
  (void)state;
  bench_open(&b, false);
  const size_t n = 100000;
  char *deep = malloc(n * 13 + 1);
  assert_non_null(deep);
  for (size_t i = 0; i < n; i++) memcpy(deep + 6 * i, "<Node>", 6);
  for (size_t i = 0; i < n; i++) memcpy(deep + 6 * n + 7 * i, "</Node>", 7);
  deep[13 * n] = '\0';
  refused(&b, deep, "scene.scn:1: error: elements are nested deeper than 256");

  // the limit itself is allowed
  memcpy(deep + 6 * 256, deep + 6 * n, 7 * 256);
  deep[13 * 256] = '\0';
  assert_int_equal(read_text(&b, deep, &d), SOFA_OK);
  sofa_description_free(b.ctx, &d);

  // attributes without end
  size_t at = (size_t)sprintf(deep, "<Node ");
  for (int i = 0; i < 5000; i++) at += (size_t)sprintf(deep + at, "a%d='' ", i);
  strcpy(deep + at, "/>");
  refused(&b, deep, "scene.scn:1: error: an element has more than 4096 attributes");
  free(deep);
  bench_close(&b);
}

static void includes_files(void **state) {
  Bench b;
  (void)state;
  bench_open(&b, false);
  bench_file(&b, "one.xml", "<Node name='one'><A src='@' x='0'/><B name='n' x='0'/></Node>");
  bench_file(&b, "group.xml",
             "<Node name='Group' x='9'><A x='0'/><Node name='in'><C x='0'/></Node></Node>");
  bench_file(&b, "merge.xml",
             "<Node name='_Merge_' dt='2'><A name='a' y='2'/><A name='c'/><A/>"
             "<Node name='k' z='1'><B/></Node></Node>");
  bench_file(&b, "object.xml", "<A x='1'/>");

  // a child node; its name and placeholders change, nothing else
  gives(&b, "<Node><include href='one.xml'/></Node>",
        "Node()[Node(name=one)[A(src=@,x=0)B(name=n,x=0)]]");
  gives(&b, "<Node><include href='one.xml' name='new' x='5' n__x='6' src='@l' w='1'/></Node>",
        "Node()[Node(name=new)[A(src=@l,x=5)B(name=n,x=6)]]");
  gives(&b, "<include href='one.xml'/>", "Node(name=one)[A(src=@,x=0)B(name=n,x=0)]");

  // groups are spliced, by the name in the file or by the one given
  gives(&b, "<Node><include href='group.xml' name='other' x='3'/><D/></Node>",
        "Node()[A(x=3)Node(name=in)[C(x=3)]D()]");
  gives(&b, "<Node><include href='one.xml' name='_Group_'/></Node>",
        "Node()[A(src=@,x=0)B(name=n,x=0)]");
  gives(&b, "<Node><include href='object.xml' x='2'/></Node>", "Node()[A(x=2)]");

  // merging: same type and name become one
  gives(&b,
        "<Node dt='1'><A name='a' y='1' w='1'/><Node name='k'><A/></Node>"
        "<include href='merge.xml'/></Node>",
        "Node(dt=2)[A(name=a,y=2,w=1)Node(name=k,z=1)[A()B()]A(name=c)A()]");
  assert_no_message(&b);
  bench_close(&b);
}

static void reports_bad_includes(void **state) {
  Bench b;
  SofaDescription d;
  (void)state;
  bench_open(&b, false);
  bench_file(&b, "self.xml", "<Node>\n<include href='self.xml'/></Node>");
  bench_file(&b, "a.xml", "<Node>\n<include href='b.xml'/></Node>");
  bench_file(&b, "b.xml", "<Node>\n\n<include href='./a.xml'/></Node>");
  bench_file(&b, "bad.xml", "<Node>\n</Nod>");

  // every problem is reported in one reading, and the rest is there
  assert_int_equal(
      read_text(&b,
                "<Node><include/><include href='none.xml'/>\n<include href='self.xml'/>"
                "<include href='a.xml'/><include href='bad.xml'/><A/><Object/>"
                "<A><B/></A>\n<include href=''/></Node>",
                &d),
      SOFA_OK);
  assert_int_equal(d.n_errors, 8);
  assert_message(&b, "scene.scn:1: error: <include> needs href");
  assert_message(&b, "scene.scn:3: error: <include> needs href");
  assert_message(&b, "scene.scn:1: error: included file 'none.xml' is neither");
  assert_message(&b, "self.xml:2: error: ");
  assert_message(&b, "b.xml:3: error: ");
  assert_message(&b, "bad.xml:2: error: malformed XML");
  assert_message(&b, "scene.scn:2: error: <Object> needs type");
  assert_message(&b, "scene.scn:2: error: <B> is inside the object <A>");
  assert_int_equal(d.root->n_children, 4);
  sofa_description_free(b.ctx, &d);

  // the scene includes itself
  const char *path = bench_file(&b, "scene.scn", "<Node>\n<include href='scene.scn'/></Node>");
  bench_clear(&b);
  assert_int_equal(sofa_description_read(b.ctx, path, &d), SOFA_OK);
  assert_int_equal(d.n_errors, 1);
  assert_message(&b, "scene.scn:2: error: ");
  sofa_description_free(b.ctx, &d);

  // a doubling chain of includes ends at the limit
  for (int i = 0; i < 30; i++) {
    char name[32], text[160];
    snprintf(name, sizeof name, "c%d.xml", i);
    snprintf(text, sizeof text,
             "<Node name='Group'><include href='c%d.xml'/><include href='c%d.xml'/></Node>", i + 1,
             i + 1);
    bench_file(&b, name, text);
  }
  bench_file(&b, "c30.xml", "<Node/>");
  refused(&b, "<Node><include href='c0.xml'/></Node>", "error: more than 1000 files are included");
  bench_close(&b);
}

/* `n` nodes inside each other around `content`. */
static char *nested(int n, const char *content) {
  char *text = malloc((size_t)n * 13 + strlen(content) + 1);
  assert_non_null(text);
  text[0] = '\0';
  for (int i = 0; i < n; i++) strcat(text, "<Node>");
  strcat(text, content);
  for (int i = 0; i < n; i++) strcat(text, "</Node>");
  return text;
}

/* The included file counts where it is included: one level for the include. */
static void limits_the_depth_of_includes(void **state) {
  Bench b;
  SofaDescription d;
  (void)state;
  bench_open(&b, false);
  char *inner = nested(100, "<A/>"), *most = nested(154, "<include href='inner.xml'/>");
  char *more = nested(155, "<include href='inner.xml'/>");
  bench_file(&b, "inner.xml", inner);
  assert_int_equal(read_text(&b, most, &d), SOFA_OK);
  sofa_description_free(b.ctx, &d);
  refused(&b, more, "inner.xml:1: error: elements are nested deeper than 256");
  free(inner), free(most), free(more);
  bench_close(&b);
}

static void has_prefabs(void **state) {
  Bench b;
  (void)state;
  bench_open(&b, false);
  assert_int_equal(sofa_factory_register(b.ctx, &sofa_names_module), SOFA_OK);
  gives(&b, "<Node><BoxConstraint name='x' box='1 2 3 4 5 6' other='1'/><A/></Node>",
        "Node()[BoxROI(name=box_roi,box=1 2 3 4 5 6,drawBoxes=0)"
        "FixedProjectiveConstraint(indices=@[-1].indices)A()]");
  gives(&b, "<Node>\n<CGImplicit iterations='7'/></Node>",
        "Node()[EulerImplicitSolver(name=Euler Implicit,tags=,printLog=false,rayleighStiffness=0.1,"
        "rayleighMass=0.1,vdamping=0)CGLinearSolver(name=CG Solver,tags=,printLog=false,"
        "iterations=7,tolerance=1e-5,threshold=1e-5)]");

  // a file of that name comes first, and may name anything
  char command[128];
  snprintf(command, sizeof command, "mkdir %s/Objects", b.folder);
  assert_int_equal(system(command), 0);
  bench_file(&b, "Objects/CGImplicit.xml", "<Node name='Group'><Z y='1'/></Node>");
  bench_file(&b, "Objects/Mine.xml", "<Node name='mine'><Z y='1'/></Node>");
  gives(&b, "<Node><CGImplicit y='2'/><Mine y='3'/></Node>",
        "Node()[Z(y=2)Node(name=mine)[Z(y=3)]]");

  // all that a module's brings has the line of its tag
  SofaDescription d;
  assert_int_equal(read_text(&b, "<Node>\n\n<BoxConstraint box='1'/></Node>", &d), SOFA_OK);
  assert_int_equal(d.root->n_children, 2);
  for (size_t i = 0; i < 2; i++) assert_int_equal(d.root->children[i]->line, 3);
  sofa_description_free(b.ctx, &d);
  assert_no_message(&b);
  bench_close(&b);
}

/* A text of so many bytes, most of them in a comment, that includes a file. */
static SofaErr read_large(Bench *b, char *text, size_t size, SofaDescription *out) {
  static const char begin[] = "<Node><!--", end[] = "--><include href='inner.xml'/></Node>";
  memcpy(text, begin, sizeof begin - 1);
  memset(text + sizeof begin - 1, ' ', size - sizeof begin - sizeof end + 2);
  memcpy(text + size - sizeof end + 1, end, sizeof end - 1);
  bench_clear(b);
  return sofa_description_read_text(b->ctx, "scene.scn", b->folder, text, size, out);
}

/* A scene and the files it includes are limited together. */
static void limits_all_bytes(void **state) {
  static const char inner[] = "<Node><A/></Node>";
  const size_t most = SOFA_SCENE_MAX_BYTES, n = sizeof inner - 1;
  Bench b;
  SofaDescription d;
  char *text = malloc(most + 1);
  (void)state;
  assert_non_null(text);
  bench_open(&b, false);
  bench_file(&b, "inner.xml", inner);
  assert_int_equal(read_large(&b, text, most - n, &d), SOFA_OK);
  assert_int_equal(d.n_errors, 0);
  sofa_description_free(b.ctx, &d);
  for (size_t more = 1; more < n + 2; more += n - 1) {
    const SofaErr err = read_large(&b, text, most - n + more, &d);
    assert_true(err != SOFA_OK || d.n_errors == 1);
    assert_non_null(strstr(b.messages, "error"));
    sofa_description_free(b.ctx, &d);
  }
  free(text);
  bench_close(&b);
}

/* Reading again and again, each time with another allocation that fails. */
static void survives_without_memory(void **state) {
  Bench b;
  SofaDescription d;
  (void)state;
  bench_open(&b, false);
  assert_int_equal(sofa_factory_register(b.ctx, &sofa_names_module), SOFA_OK);
  bench_file(&b, "one.xml", "<Node name='Group'><A src='@' x='0'/><Node name='k'/></Node>");
  const char *text =
      "<Node a='1' b='2'><A/><include href='one.xml' src='1' k__x='2'/><BoxConstraint box='1'/>"
      "<Object type='X'/><X><Attribute type='a'><Data value='1'/></Attribute></X></Node>";
  const long blocks = b.blocks;
  SofaErr err = SOFA_ERR_MEMORY;
  for (long i = 1; err != SOFA_OK && i < 10000; i++) {
    b.calls = 0;
    b.fail_at = i;
    err = read_text(&b, text, &d);
    b.fail_at = 0;
    if (err != SOFA_OK) assert_null(d.root);
    sofa_description_free(b.ctx, &d);
    assert_int_equal(b.blocks, blocks);
  }
  assert_int_equal(err, SOFA_OK);
  bench_close(&b);
}

/* Thousands of damaged scenes: every one is read or refused with a message, none leaks. */
static void survives_damage(void **state) {
  static const char scene[] =
      "<?xml version='1.0'?>\n<!-- c --><Node name='root' dt='0.1'><A p='&amp;&#65;&x;<\n\t'/>"
      "<include href='one.xml' n__x='1'/><Object type='B'><Attribute type='a'><Data value='1'/>"
      "</Attribute></Object><BoxConstraint box='0'/><![CDATA[x]]><Node name=\"n\">\xc3\xa9"
      "</Node></Node>\n";
  static const char bits[] = "<>&'\"/=!-[]?;#x \n\0\xff\xc3";
  Bench b;
  uint32_t seed = 1;
  (void)state;
  bench_open(&b, false);
  bench_file(&b, "one.xml", "<Node name='Group'><A x='0'/></Node>");
  const long blocks = b.blocks;
  for (int round = 0; round < 4000; round++) {
    char text[sizeof scene];
    SofaDescription d;
    size_t size = sizeof scene - 1;
    memcpy(text, scene, sizeof scene);
    for (int k = 0; k <= round % 4; k++) {
      seed = seed * 1664525u + 1013904223u;
      const size_t at = (seed >> 8) % size;
      if (seed >> 30 == 0) memmove(text + at, text + at + 1, size-- - at);
      else text[at] = bits[(seed >> 20) % (sizeof bits - 1)];
    }
    if (round % 7 == 0) size = (seed >> 9) % size;
    bench_clear(&b);
    const SofaErr err = sofa_description_read_text(b.ctx, "scene.scn", b.folder, text, size, &d);
    if (err != SOFA_OK) assert_message(&b, "error");
    assert_true((err == SOFA_OK) == (d.root != NULL));
    sofa_description_free(b.ctx, &d);
    assert_int_equal(b.blocks, blocks);
  }
  bench_close(&b);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(reads_scenes_as_written),
      cmocka_unit_test(keeps_what_xml_would_not),
      cmocka_unit_test(knows_lines),
      cmocka_unit_test(refuses_malformed_text),
      cmocka_unit_test(refuses_entities),
      cmocka_unit_test(limits_depth_and_size),
      cmocka_unit_test(limits_the_depth_of_includes),
      cmocka_unit_test(limits_all_bytes),
      cmocka_unit_test(includes_files),
      cmocka_unit_test(reports_bad_includes),
      cmocka_unit_test(has_prefabs),
      cmocka_unit_test(survives_without_memory),
      cmocka_unit_test(survives_damage),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

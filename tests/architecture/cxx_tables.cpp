// SPDX-License-Identifier: LGPL-2.1-or-later
// The macros of class tables in C++: each entry has the value that it has in C.
#include <sofa.h>
#include <simulation/vectors.h>

#include <cstdio>
#include <cstring>

namespace {

struct Thing {
  SofaForceField force_field;
  double stiffness;
  bool on;
  SofaVec3s points;
  SofaIndices indices, pairs;
  SofaCoords kept;
  SofaLink link;
  char *text;
};
typedef Thing SofaSelf;

const char *const items[] = {"a", "b", nullptr};
const SofaLinkRule rule = {.klass = &sofa_force_field_class, .search = SOFA_SEARCH_UP};
const SofaField fields[] = {
    SOFA_FIELD(Thing, stiffness, "stiffness", "1", "N/m", "k", .flags = SOFA_FIELD_REINIT,
               .aliases = "k", .range = SOFA_WITHIN(0, 2), .on_bad = SOFA_BAD_CLAMP),
    SOFA_FIELD(Thing, indices, "indices", nullptr, "", "triangles",
               SOFA_INDICES_OF(SOFA_ELEMENT_TRIANGLE, .keep_order = true)),
    SOFA_ROW_INPUT(points, "points", nullptr, "m", "points",
                   SOFA_PER(SOFA_ELEMENT_POINT, .inserted = SOFA_INSERTED_ZERO, .width = 2)),
    SOFA_ROW_DISPLAY(on, "on", "0", "drawn"),
    SOFA_ROW(link, "link", nullptr, "", "another", .link = &rule),
    SOFA_ROW(text, "text", "a", "", "words", .options = items),
    SOFA_ROW(pairs, "pairs", nullptr, "", "rows of points",
             SOFA_TABLE(.keep_order = true, SOFA_ENDS(SOFA_STATE_FIRST, SOFA_STATE_SECOND))),
};
const SofaPrivateList lists[] = {
    SOFA_PRIVATE(Thing, kept, SOFA_SOURCES()),
    SOFA_PRIVATE(Thing, points, SOFA_PER(SOFA_ELEMENT_EDGE)),
};
const SofaQuirk quirks[] = {{1, "word", "what", "test"}};

struct Ops {
  int (*first)(void), (*second)(void);
};
const SofaInterface an_interface = {
    .name = "an interface", SOFA_REQUIRES(offsetof(Ops, first), offsetof(Ops, second))};
int one(void) { return 1; }
const Ops ops = {one, one};

} // namespace

SOFA_CLASS(Thing) = {SOFA_NAMED(Thing),
                     .module = "Test",
                     .base = &sofa_force_field_class,
                     SOFA_FIELDS(fields),
                     SOFA_PRIVATE_LISTS(lists),
                     SOFA_RANGES({"rayleighStiffness", SOFA_AT_LEAST(0), SOFA_BAD_KEEP}),
                     SOFA_QUIRKS(quirks),
                     SOFA_IMPLEMENTS({&an_interface, &ops})};

static int failures;
static void check(bool right, const char *what) {
  if (right) return;
  failures++;
  std::printf("FAILED: %s\n", what);
}
#define CHECK(expression) check((expression), #expression)

static size_t terms(size_t n, const SofaTerm *of) {
  return n == 2 && of[1].a == 3 ? n : 0;
}

int main() {
  const SofaClass *c = &sofa_Thing_class;
  const double x = 0;
  CHECK(c->size == sizeof(Thing) && c->n_fields == 7 && c->n_lists == 2 && c->n_quirks == 1);
  CHECK(fields[0].type == &sofa_type_real && fields[0].offset == offsetof(Thing, stiffness));
  CHECK(fields[0].range.max == 2 && fields[0].range.high == SOFA_END_CLOSED);
  CHECK(fields[1].type == &sofa_type_indices && fields[1].belongs->keep_order);
  CHECK(fields[1].belongs->kind == SOFA_ELEMENT_TRIANGLE);
  CHECK(fields[2].type == &sofa_type_vec3s && fields[2].flags == SOFA_FIELD_INPUT);
  CHECK(fields[2].belongs->role == SOFA_ROLE_PER && fields[2].belongs->width == 2);
  CHECK(fields[3].type == &sofa_type_bool && fields[3].flags == SOFA_FIELD_DISPLAY);
  CHECK(fields[4].type == &sofa_type_link && fields[5].type == &sofa_type_string);
  CHECK(fields[6].belongs->n_ends == 2 && fields[6].belongs->ends[1] == SOFA_STATE_SECOND);
  CHECK(lists[0].coords && !lists[1].coords && lists[1].size == sizeof(SofaVec3));
  CHECK(an_interface.n_required == 2 && an_interface.required[1] == offsetof(Ops, second));
  CHECK(c->implements[0].ops == &ops && !c->implements[1].interface);
  CHECK(c->ranges[0].on_bad == SOFA_BAD_KEEP && !c->ranges[1].field);
  CHECK(terms(SOFA_TERMS({1, &x}, {3, &x})) == 2);
  std::printf("%d failures\n", failures);
  return failures != 0;
}

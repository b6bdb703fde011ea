/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* RuleBasedContactManager: which rule counts, and rules that are wrong. */
#include "tests/unit/collision/response_test.h"

#define RULES(rules, more)                                                                         \
  "<RuleBasedContactManager name='r' response='PenalityContactForceField' rules='" rules "' " more \
  "/>"
#define FOUND(rules, more)                                                                         \
  SCENE(RULES(rules, more), "<PointCollisionModel name='floor' group='3'/>",                       \
        "<PointCollisionModel name='dots' group='5'/>")

typedef struct RuleCase {
  const char *scene, *expected; /* NULL: no contact */
} RuleCase;

#define PENALTY "PenalityContactForceField"
#define STICK "StickContactForceField"

static const RuleCase cases[] = {
    {FOUND("", ""), PENALTY},
    {FOUND("floor dots StickContactForceField", ""), STICK},
    {FOUND("dots floor StickContactForceField", ""), STICK},
    {FOUND("5 3 StickContactForceField", ""), STICK},
    {FOUND("3 * StickContactForceField", ""), STICK},
    {FOUND("floor floor StickContactForceField", ""), PENALTY},
    {FOUND("5 5 StickContactForceField", ""), PENALTY},
    {FOUND("* * nullptr", ""), NULL},
    {FOUND("dots * nullptr  * * StickContactForceField", ""), NULL},
    {FOUND("dots dots nullptr  * * StickContactForceField", ""), STICK},
    {FOUND("3 * $r$", "variables='other r' r='StickContactForceField?keepAlive=1' other='2'"),
     STICK},
    {FOUND("3 * Stick$k$ForceField?$p$", "variables='p k' p='keepAlive=1' k='Contact'"), STICK},
};

static void the_first_rule_that_fits(void **state) {
  (void)state;
  for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
    Hand h;
    hand_open(&h, cases[k].scene, NULL);
    touch(&h, "01");
    const SofaForceField *contact = contact_find(h.run.simulation->root, "floor-dots");
    const char *name = contact ? contact->object.klass->name : "none";
    const char *expected = cases[k].expected ? cases[k].expected : "none";
    if (strcmp(name, expected) != 0) fail_msg("%s\n%s", cases[k].scene, name);
    scene_run_close(&h.run);
  }
}

/* The first model's own response comes before the rules, then the second's. */
static void responses_of_models(void **state) {
  (void)state;
  Hand h;
  hand_open(&h,
            SCENE(RULES("* * nullptr", ""),
                  "<PointCollisionModel name='p' contactResponse='PenalityContactForceField'/>",
                  "<PointCollisionModel name='q' contactResponse='StickContactForceField'/>"),
            NULL);
  touch(&h, "0110");
  assert_string_equal(contact_find(h.run.simulation->root, "p-q")->object.klass->name, PENALTY);
  assert_string_equal(contact_find(h.run.simulation->root, "q-p")->object.klass->name, STICK);
  scene_run_close(&h.run);
}

static const NameCase bad[] = {
    {FOUND("default", ""), "has 1 words, expected three for each rule", 2},
    {FOUND("floor dot StickContactForceField", ""),
     "rule 1: there is no collision model of the name 'dot'", 2},
    {FOUND("4 * StickContactForceField", ""),
     "rule 1: there is no collision model of the group '4'", 2},
};
static const NameCase wrong[] = {
    {FOUND("* * StickForce", ""), "there is no response to contacts 'StickForce'", 2},
    {FOUND("* * $r$", ""), "$r$ is not one of the names of 'variables'", 2},
    {FOUND("* * $r$", "variables='r'"), "the variable 'r' has no value", 2},
    {FOUND("* * $r$", "variables='rules'"), "'rules' is a field of every RuleBasedContactManager",
     2},
    {FOUND("* * StickContactForceField?mu=1", ""),
     "field 'rules': 'mu' is not supported by the response StickContactForceField", 2},
};

/* SOFA ignores rules that it cannot read and rules for models that do not exist. */
static void bad_rules(void **state) {
  (void)state;
  for (size_t k = 0; k < sizeof bad / sizeof *bad; k++) {
    check_load(&bad[k], NULL, bad[k].message);
    check_load(&bad[k], "contact-rules", NULL);
  }
  for (size_t k = 0; k < sizeof wrong / sizeof *wrong; k++)
    check_load(&wrong[k], NULL, wrong[k].message);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_first_rule_that_fits),
      cmocka_unit_test(responses_of_models),
      cmocka_unit_test(bad_rules),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

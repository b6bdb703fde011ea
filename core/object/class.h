/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A class: the static description of a component, in read-only data. */
#ifndef SOFA_OBJECT_CLASS_H
#define SOFA_OBJECT_CLASS_H

#include "base/quirks.h"
#include "object/field.h"
#include "object/interface.h"

SOFA_BEGIN_DECLS

struct SofaObject;
struct SofaNode;
struct SofaEvent;
struct SofaElement;
struct SofaKeptMember;
struct SofaSparedMember;
struct SofaCheckpointOps;
typedef struct SofaClass SofaClass;

/* The points or elements that a list belongs to, at this moment. */
typedef struct SofaListOwner {
  size_t n;
  const char *one, *many; /* "triangle", "triangles" */
  const char *whose;      /* "the topology" */
} SofaListOwner;

/* How objects work on a mesh of which each process has a part (topology/division.h). */
typedef enum SofaDivided {
  SOFA_DIVIDED_AS_BASE, /* as those of the base class; without one: not at all */
  SOFA_DIVIDED_NOT,     /* they need all of it, or it is not known: they are refused there */
  SOFA_DIVIDED_NEUTRAL, /* they look at no single points and elements */
  SOFA_DIVIDED_LOCAL,   /* what they do at a point follows from it alone: the same on all copies */
  SOFA_DIVIDED_BY_POINTS,   /* forces, masses: those at each point; only its owner's count */
  SOFA_DIVIDED_BY_ELEMENTS, /* forces, masses: those of volume elements add up */
  SOFA_DIVIDED_BY_FACES     /* the same of any elements: not of those that a topology derives */
} SofaDivided;

struct SofaClass {
  const char *name;           /* XML tag */
  size_t size;                /* of the struct */
  const char *const *aliases; /* further tags, NULL-terminated; NULL */
  const char *module;         /* "Sofa.Component.Mass" */
  const char *category;       /* "Mass", for listings */
  const char *help;           /* what it computes; first sentence is the summary */
  const char *equations;      /* formulas in lines, text in quotes; NULL: those of the base */
  const SofaClass *base;      /* its struct is the first member; NULL: Object */
  const SofaField *fields;    /* own rows, without the base's */
  size_t n_fields;
  const SofaFieldFamily *families; /* fields made for each object; after the rows above */
  size_t n_families;
  const SofaPrivateList *lists; /* own lists that are not fields */
  size_t n_lists;
  /* What a checkpoint holds in addition to fields and lists: object/checkpoint.h. */
  const struct SofaKeptMember *kept; /* own members; NULL: none */
  size_t n_kept;
  const struct SofaCheckpointOps *checkpoint; /* for what rows cannot say; NULL: nothing */
  const struct SofaSparedMember *spared;      /* own members that need not be there; NULL: none */
  size_t n_spared;
  const SofaFieldRange *ranges; /* of the bases' fields; ended by a row without field; NULL: none */
  const char *const *templates; /* accepted texts, default first, NULL-terminated; NULL: any,
                                   ignored */
  const SofaQuirk *quirks;      /* own rows; those of the bases count, too */
  size_t n_quirks;
  SofaDivided divided;
  bool listening; /* receives events without the attribute */
  bool abstract;  /* cannot be created */

  /* Lifecycle, each may be NULL; base classes' functions run before the class's own, destroy after.
   * All are called with a valid node. Return an error after reporting it. */
  /* Can an object of this class with this template live in the node? The XML element
   * (object/element.h, may be NULL) gives the links to check. On false the reason is appended to
   * *why. */
  bool (*can_create)(struct SofaNode *node, const struct SofaElement *element,
                     const char *template_name, SofaText *why);
  SofaErr (*construct)(struct SofaObject *object); /* zeroed, defaults applied, in its node */
  SofaErr (*parsed)(struct SofaObject *object);    /* attributes applied (loaders read files) */
  SofaErr (*init)(struct SofaObject *object);
  SofaErr (*bwd_init)(struct SofaObject *object);
  SofaErr (*reinit)(struct SofaObject *object); /* fields changed after init */
  SofaErr (*store_reset)(struct SofaObject *object);
  SofaErr (*reset)(struct SofaObject *object);
  SofaErr (*handle_event)(struct SofaObject *object, const struct SofaEvent *event);
  SofaErr (*bounding_box)(struct SofaObject *object, SofaBox *box); /* grows *box */
  /* Recomputes outputs from inputs (engines); inputs were pulled before. Called when an input's
   * version changed and an output is wanted. */
  SofaErr (*update)(struct SofaObject *object);
  /* Computes an output of the class's own table with SOFA_FIELD_LAZY and touches it when its value
   * may have changed. Called before the field is read, between steps. */
  SofaErr (*compute_output)(struct SofaObject *object, const SofaField *field);
  /* Finds what a list of the object belongs to; false: it is not known yet. */
  bool (*list_owner)(const struct SofaObject *object, const SofaBelongs *belongs,
                     SofaListOwner *out);
  /* The field whose value a saved scene has for `field` of an initialised object: what was given,
   * where init changes it. NULL: the field is left out. NULL function: the field itself. */
  const SofaField *(*saved)(const struct SofaObject *object, const SofaField *field);
  void (*destroy)(struct SofaObject *object); /* frees members that fields and lists do not own */

  /* Interfaces with their functions, ended by an entry without interface; NULL: none. A class also
   * has what its base classes have. */
  const SofaImplementation *implements;
};

/* ---- how a class is written ----
 *
 *   SOFA_CLASS(Name) = {
 *       SOFA_NAMED(Name),                     (the struct has the name of the class, too)
 *       .module = "...", .category = "...", .help = "...", .base = &sofa_..._class,
 *       SOFA_FIELDS(fields),                  (a table of SOFA_FIELD rows)
 *       .init = init,
 *       SOFA_IMPLEMENTS({SOFA_FORCE_FIELD, &ops}, {SOFA_DRAW, &draw_ops}),
 *   };
 *
 * The list of the built-in classes is made from the lines that begin with a macro SOFA_CLASS or
 * ..._CLASS and the name of the class. */
#define SOFA_CLASS(Name)                                                                           \
  SOFA_EXTERN const SofaClass sofa_##Name##_class;                                                 \
  const SofaClass sofa_##Name##_class
#define SOFA_NAMED(Name) .name = #Name, .size = sizeof(Name)
#define SOFA_COUNT(table) (sizeof(table) / sizeof *(table))
#define SOFA_FIELDS(table) .fields = (table), .n_fields = SOFA_COUNT(table)
#define SOFA_FAMILIES(table) .families = (table), .n_families = SOFA_COUNT(table)
#define SOFA_PRIVATE_LISTS(table) .lists = (table), .n_lists = SOFA_COUNT(table)
#define SOFA_KEEPS(table) .kept = (table), .n_kept = SOFA_COUNT(table)
#define SOFA_SPARES(table) .spared = (table), .n_spared = SOFA_COUNT(table)
#define SOFA_QUIRKS(table) .quirks = (table), .n_quirks = SOFA_COUNT(table)
#define SOFA_RANGES(...) .ranges = SOFA_KEPT_ARRAY(SofaFieldRange, __VA_ARGS__, {.field = NULL})
#define SOFA_IMPLEMENTS(...)                                                                       \
  .implements = SOFA_KEPT_ARRAY(SofaImplementation, __VA_ARGS__, {NULL, NULL})

extern const SofaClass sofa_object_class; /* the base of every class: the common fields */

/* The base of a class: a class without a base is based on the object class. */
static inline const SofaClass *sofa_class_base(const SofaClass *klass) {
  return klass->base || klass == &sofa_object_class ? klass->base : &sofa_object_class;
}
bool sofa_class_is_a(const SofaClass *klass, const SofaClass *base);
/* Its functions for an interface, own or of the nearest base class; NULL: not implemented. */
const void *sofa_class_ops(const SofaClass *klass, const SofaInterface *interface);

/* Finds a field by name or alias, base classes included. NULL when there is none. */
const SofaField *sofa_class_field(const SofaClass *klass, const char *name);
/* The range of a field in objects of the class: the row's, or that of the nearest class that has
 * another one for it. */
SofaFieldRange sofa_class_range(const SofaClass *klass, const SofaField *field);
/* Appends "; did you mean 'x'?" with the name or alias of a field that is nearest to `name`;
 * nothing where none is near. */
SofaErr sofa_class_suggest_field(SofaContext *ctx, const SofaClass *klass, const char *name,
                                 SofaText *out);
bool sofa_field_has_name(const SofaField *field, const char *name);
/* Fields in order base classes first. Index i < sofa_class_n_fields is also the index of the
 * instance's SofaFieldState. */
size_t sofa_class_n_fields(const SofaClass *klass);
const SofaField *sofa_class_field_at(const SofaClass *klass, size_t i);

/* Its `divided`, or that of the nearest base class which has one. */
SofaDivided sofa_class_divided(const SofaClass *klass);

/* The quirk of the class or of one of its bases with the word, or NULL. */
const SofaQuirk *sofa_class_quirk(const SofaClass *klass, const char *word);

/* The class as it is registered: an object with field families has one of its own based on it. */
const SofaClass *sofa_object_class_of(const struct SofaObject *object);

SOFA_END_DECLS

#endif

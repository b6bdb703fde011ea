/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A class: the static description of a component, in read-only data. */
#ifndef SOFA_OBJECT_CLASS_H
#define SOFA_OBJECT_CLASS_H

#include "object/field.h"

/* Interfaces a class can implement; the ops table of each is in behavior/<interface>.h. A class
 * also has what its base classes have. */
typedef enum SofaInterface {
  SOFA_STATE,            /* SofaState: positions (also visual) */
  SOFA_MECHANICAL_STATE, /* SofaState that is simulated */
  SOFA_TOPOLOGY,
  SOFA_LOADER,      /* mesh loader */
  SOFA_FORCE_FIELD, /* SofaForceField */
  SOFA_INTERACTION, /* force field between two states: also SOFA_FORCE_FIELD */
  SOFA_MASS,        /* also SOFA_FORCE_FIELD */
  SOFA_PROJECTIVE,  /* projective constraint */
  SOFA_MAPPING,
  SOFA_TOPOLOGICAL_MAPPING,
  SOFA_ODE_SOLVER,
  SOFA_LINEAR_SOLVER,
  SOFA_LINEAR_SYSTEM,
  SOFA_ORDERING, /* fill-reducing ordering */
  SOFA_ENGINE,
  SOFA_ANIMATION_LOOP,
  SOFA_VISUAL_LOOP,
  SOFA_VISUAL_MODEL, /* also SOFA_STATE */
  SOFA_VISUAL_STYLE,
  SOFA_CONTEXT_OBJECT,  /* changes gravity, dt of its node */
  SOFA_DRAW,            /* draws itself: behavior/draw.h */
  SOFA_ROTATION_FINDER, /* knows how points have turned since rest */
  SOFA_EXPORTER,        /* writes files at steps of a simulation */
  SOFA_TOPOLOGY_MODIFIER,
  SOFA_TOPOLOGY_CHANGER, /* makes topologies change */
  SOFA_FOLLOWER,         /* follows topological changes */
  SOFA_N_INTERFACES
} SofaInterface;
const char *sofa_interface_name(SofaInterface interface);

struct SofaObject;
struct SofaNode;
struct SofaEvent;
struct SofaElement;
typedef struct SofaClass SofaClass;

/* ABI of classes and ops tables: plugins built for another value are refused before any call. Raise
 * the number with what sizes do not show: a meaning, a signature, the struct of a base class. */
#define SOFA_ABI_NUMBER 2u
#define SOFA_ABI                                                                                   \
  (SOFA_ABI_NUMBER << 20 | (unsigned)(sizeof(SofaClass) & 0xfff) << 8 |                            \
   (unsigned)(sizeof(SofaField) & 0xff))

struct SofaClass {
  const char *name;           /* XML tag */
  const char *const *aliases; /* further tags, NULL-terminated; NULL */
  const char *module;         /* "Sofa.Component.Mass" */
  const char *category;       /* "Mass", for listings */
  const char *help;           /* what it computes; first sentence is the summary */
  const SofaClass *base;      /* its struct is the first member; NULL: Object */
  size_t size;                /* of the struct */
  const SofaField *fields;    /* own rows, without the base's */
  size_t n_fields;
  const SofaFieldFamily *families; /* fields made for each object; after the rows above */
  size_t n_families;
  const char *const *templates; /* accepted texts, default first, NULL-terminated; NULL: any,
                                   ignored */
  bool listening;               /* receives events without the attribute */
  bool abstract;                /* cannot be created */

  /* Lifecycle, each may be NULL; base classes' functions run before the class's own, destroy after.
   * All are called with a valid node. Return an error after reporting it. */
  /* Can an object of this class with this template live in the node? The XML element
   * (object/element.h, may be NULL) is there for links that decide. On false *why is appended. */
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
   * may be another one. Called before somebody reads it, between steps. */
  SofaErr (*compute_output)(struct SofaObject *object, const SofaField *field);
  void (*destroy)(struct SofaObject *object); /* frees what fields do not own */

  const void *ops[SOFA_N_INTERFACES]; /* non-NULL: implemented */
};

/* For interfaces without functions of their own. */
extern const int sofa_no_ops;
#define SOFA_NO_OPS ((const void *)&sofa_no_ops)

extern const SofaClass sofa_object_class; /* what every class has at the bottom (object/object.h) */

/* The next class below: a class without a base is based on the object class. */
static inline const SofaClass *sofa_class_base(const SofaClass *klass) {
  return klass->base || klass == &sofa_object_class ? klass->base : &sofa_object_class;
}
bool sofa_class_is_a(const SofaClass *klass, const SofaClass *base);
const void *sofa_class_ops(const SofaClass *klass, SofaInterface interface); /* own or a base's */

/* Finds a field by name or alias, base classes included. NULL when there is none. */
const SofaField *sofa_class_field(const SofaClass *klass, const char *name);
bool sofa_field_has_name(const SofaField *field, const char *name);
/* Fields in order base classes first. Index i < sofa_class_n_fields is also the index of the
 * instance's SofaFieldState. */
size_t sofa_class_n_fields(const SofaClass *klass);
const SofaField *sofa_class_field_at(const SofaClass *klass, size_t i);

/* The class as it is registered: an object with field families has one of its own based on it. */
const SofaClass *sofa_object_class_of(const struct SofaObject *object);

#endif

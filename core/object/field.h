/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Fields: the rows of a class's table, and the state that each instance keeps per field. */
#ifndef SOFA_OBJECT_FIELD_H
#define SOFA_OBJECT_FIELD_H

#include "object/type.h"

#pragma GCC visibility push(default)

struct SofaObject;

enum {                               /* SofaField.flags */
       SOFA_FIELD_REQUIRED = 1 << 0, /* a scene that leaves it out is warned (no default: error) */
       SOFA_FIELD_OUTPUT = 1 << 1,   /* computed by the object */
       SOFA_FIELD_REINIT = 1 << 2,   /* a change after init calls the class's reinit */
       SOFA_FIELD_NO_AUTOLINK = 1 << 3, /* `src` does not link it */
       SOFA_FIELD_DISPLAY = 1 << 4,     /* drawing only: no effect on a simulation */
       SOFA_FIELD_UNSUPPORTED = 1 << 5, /* refused when set to something else than its default */
       SOFA_FIELD_NO_EFFECT = 1 << 6,   /* SOFA itself never uses it; accepted, `help` says so */
       SOFA_FIELD_LEGACY = 1 << 7, /* attribute that is not a Data in SOFA: never a link target */
       SOFA_FIELD_INPUT = 1 << 8,  /* engines: a change makes the outputs stale */
       SOFA_FIELD_DERIV = 1 << 9,  /* SofaCoords of velocities or forces: deriv width */
       SOFA_FIELD_LAZY = 1 << 10   /* output that is computed when it is read */
};

/* Which objects a link accepts, and where it searches when the scene gives no path. */
typedef enum SofaSearch {
  SOFA_SEARCH_NONE,
  SOFA_SEARCH_LOCAL,      /* first in the node */
  SOFA_SEARCH_UP,         /* node, then ancestors */
  SOFA_SEARCH_DOWN,       /* node, then descendants */
  SOFA_SEARCH_UP_PARENTS, /* ancestors only */
  SOFA_SEARCH_SLOT        /* topologies: the one added last in the node, else the ancestors' */
} SofaSearch;
typedef struct SofaLinkRule {
  const struct SofaInterface *interface; /* or NULL */
  const struct SofaClass *klass;         /* or NULL */
  SofaSearch search;                     /* when no path is given */
  bool node;                             /* accepts nodes only */
} SofaLinkRule;

/* Values a field may have; of a vector or a list each number. NaN is in no range. The -1 that
 * unsigned fields read as UINT32_MAX counts as -1. Made by the macros below. */
typedef enum SofaEnd { SOFA_END_NONE, SOFA_END_CLOSED, SOFA_END_OPEN } SofaEnd;
typedef struct SofaRange {
  double min, max;
  unsigned char low, high; /* SofaEnd of min and of max */
  bool finite;             /* infinity is outside, too */
} SofaRange;
#define SOFA_RANGE_OF(a, a_end, b, b_end)                                                          \
  { .min = (a), .max = (b), .low = SOFA_END_##a_end, .high = SOFA_END_##b_end }
#define SOFA_AT_LEAST(a) SOFA_RANGE_OF(a, CLOSED, 0, NONE)      /* >= a */
#define SOFA_ABOVE(a) SOFA_RANGE_OF(a, OPEN, 0, NONE)           /* > a */
#define SOFA_AT_MOST(b) SOFA_RANGE_OF(0, NONE, b, CLOSED)       /* <= b */
#define SOFA_BELOW(b) SOFA_RANGE_OF(0, NONE, b, OPEN)           /* < b */
#define SOFA_WITHIN(a, b) SOFA_RANGE_OF(a, CLOSED, b, CLOSED)   /* [a, b] */
#define SOFA_BETWEEN(a, b) SOFA_RANGE_OF(a, OPEN, b, OPEN)      /* (a, b) */
#define SOFA_FROM_BELOW(a, b) SOFA_RANGE_OF(a, CLOSED, b, OPEN) /* [a, b) */
#define SOFA_ABOVE_TO(a, b) SOFA_RANGE_OF(a, OPEN, b, CLOSED)   /* (a, b] */
#define SOFA_FINITE                                                                                \
  { .finite = true }
#define SOFA_FINITE_AT_LEAST(a)                                                                    \
  { .min = (a), .low = SOFA_END_CLOSED, .finite = true }
#define SOFA_FINITE_ABOVE(a)                                                                       \
  { .min = (a), .low = SOFA_END_OPEN, .finite = true }

/* With keep_going, what becomes of a value outside. Without it the object is always refused, and
 * an edit of a running scene is refused in any case. */
typedef enum SofaOnBad {
  SOFA_BAD_REFUSE,  /* the object is refused */
  SOFA_BAD_DEFAULT, /* each number outside becomes the default's */
  SOFA_BAD_CLAMP,   /* ... the nearest end, which is closed */
  SOFA_BAD_KEEP     /* it is used */
} SofaOnBad;

/* What a class says of a field of one of its bases: for derived classes other values make sense. */
typedef struct SofaFieldRange {
  const char *field;
  SofaRange range;
  SofaOnBad on_bad;
} SofaFieldRange;

typedef struct SofaField {
  const char *name; /* XML attribute */
  const SofaType *type;
  size_t offset;    /* of the value in the object's struct */
  const char *def;  /* default text, parsed like XML; NULL: all zero and empty */
  const char *unit; /* "m", "Pa", "1", "" */
  const char *help; /* one sentence: its meaning */
  unsigned flags;
  const char *aliases;        /* further names, separated by spaces; NULL */
  const char *const *options; /* items of a SofaOption or of a string; NULL-terminated */
  const SofaLinkRule *link;   /* for links */
  SofaRange range;            /* checked before the class's functions see the value */
  SofaOnBad on_bad;
} SofaField;

bool sofa_range_given(const SofaRange *range);
bool sofa_range_has(const SofaRange *range, double value);
/* ">= 0", "in (-1, 0.5)", "finite"; "" when there is no range. Returns text. */
#define SOFA_RANGE_TEXT 80
const char *sofa_range_text(const SofaRange *range, char text[SOFA_RANGE_TEXT]);

/* One table row. Trailing arguments are designated initialisers: .flags = ..., .aliases = "..." */
#define SOFA_FIELD(T, member, xml, default_text, unit_text, help_text, ...)                        \
  {                                                                                                \
    .name = (xml), .type = SOFA_TYPE_OF(((T *)0)->member), .offset = offsetof(T, member),          \
    .def = (default_text), .unit = (unit_text), .help = (help_text), __VA_ARGS__                   \
  }

/* Fields that differ between the objects of a class: another field gives their number, and they are
 * called name1, name2, ...; or the template gives their type. Their values follow the struct of the
 * class in memory (sofa_family_value). */
typedef struct SofaFieldFamily {
  SofaField row;     /* type NULL: the list type of the template; the offset is not used */
  const char *count; /* unsigned field with their number; NULL: one, whose name is the row's */
  unsigned extra;    /* number of fields in addition to the count */
} SofaFieldFamily;

typedef struct SofaFieldState {
  bool set;                  /* by the scene, a link or sofa_field_set_text */
  uint32_t version;          /* grows with every change of the value */
  uint32_t pulled;           /* version of the source when last copied */
  int line;                  /* of the attribute, 0 */
  const SofaField *field;    /* its row */
  struct SofaObject *source; /* data link: object and field the value comes from, or NULL */
  const SofaField *source_field;
  struct SofaFieldState *source_state; /* of source_field */
  char *link_path;            /* text of the data link, kept until it resolves and for messages */
  bool busy, checked, broken; /* data graph: on the stack; visited; closes a cycle, never pulled */
  bool outside;               /* refused by its range, which was reported */
  uint32_t ranged;            /* version that the range has seen */
} SofaFieldState;

#pragma GCC visibility pop

#endif

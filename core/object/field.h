/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Fields: the rows of a class's table, and the state that each instance keeps per field. */
#ifndef SOFA_OBJECT_FIELD_H
#define SOFA_OBJECT_FIELD_H

#include "object/type.h"

SOFA_BEGIN_DECLS

struct SofaObject;

enum {                               /* SofaField.flags */
       SOFA_FIELD_REQUIRED = 1 << 0, /* a scene that leaves it out is warned (no default: error) */
       SOFA_FIELD_OUTPUT = 1 << 1,   /* computed by the object */
       SOFA_FIELD_REINIT = 1 << 2,   /* a change after init calls the class's reinit */
       SOFA_FIELD_NO_AUTOLINK = 1 << 3, /* `src` does not link it */
       SOFA_FIELD_DISPLAY = 1 << 4,     /* drawing only: no effect on a simulation */
       SOFA_FIELD_UNSUPPORTED = 1 << 5, /* refused when set to a value other than its default */
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

/* ---- what a list belongs to ----
 *
 * A list whose entries belong to the elements or points of a topology says so in its row, or, when
 * it has no XML name, in the class's table of private lists. When elements or points are removed or
 * inserted, core keeps the list with them (change/topology_change.h).
 *
 *   SOFA_FIELD(Load, triangles, "triangleList", ..., SOFA_INDICES_OF(SOFA_ELEMENT_TRIANGLE)),
 *   SOFA_FIELD(Fem, young, "youngModulus", ..., SOFA_PER(SOFA_ELEMENT_TETRA)),
 *
 *   static const SofaPrivateList lists[] = {
 *       SOFA_PRIVATE(Fem, plastic, SOFA_PER(SOFA_ELEMENT_TETRA, .width = 6)),
 *       SOFA_PRIVATE(Springs, springs, SOFA_TABLE(SOFA_ENDS(SOFA_STATE_FIRST, SOFA_STATE_SECOND))),
 *   };
 */
typedef enum SofaRole {
  SOFA_ROLE_NONE,
  SOFA_ROLE_PER,     /* values: `width` entries per element or point, or a single one for all */
  SOFA_ROLE_INDICES, /* indices of elements or points; parts of a listed element are listed, too */
  SOFA_ROLE_SOURCES, /* mappings: per point of the output the index of a point of the input
                        (`state`), with which the output's point is removed; SOFA_NO_ELEMENT: none
                      */
  SOFA_ROLE_TABLE,   /* column of the object's table (springs, pairs, ...); the first column begins
                        each row with indices of points: a row that loses one is removed */
  SOFA_ROLE_NAMES,   /* a SofaPointNumbers: the index each point had when it was inserted */
  SOFA_ROLE_INSERTED /* indices of the points that were inserted, until the object takes them out */
} SofaRole;

/* Whose points: the states of a force field or constraint, or inputs and output of a mapping. */
typedef enum SofaStateRole { SOFA_STATE_FIRST, SOFA_STATE_SECOND, SOFA_STATE_OUTPUT } SofaStateRole;

/* SOFA_ROLE_PER: the values of an inserted element or point. */
typedef enum SofaInserted {
  SOFA_INSERTED_FIRST,    /* parts have the values of their origin, others the list's first value; a
                             shorter list goes on with its first value, a single value stays one */
  SOFA_INSERTED_LAST,     /* a shorter list goes on with its last value; none is appended */
  SOFA_INSERTED_NOTHING,  /* none: the object appends what it needs */
  SOFA_INSERTED_ZERO,     /* zero; coordinates: the neutral element */
  SOFA_INSERTED_SUM,      /* of points: the sum of weights times values of its ancestors */
  SOFA_INSERTED_POSITION, /* of points: their positions */
  SOFA_INSERTED_REST      /* of points: their rest positions, where the state has any */
} SofaInserted;

/* SOFA_ROLE_PER: the lengths that core accepts (SofaBelongs.lengths). */
enum { SOFA_LENGTH_NONE = 1 << 0, SOFA_LENGTH_ONE = 1 << 1, SOFA_LENGTH_ALL = 1 << 2 };

enum { SOFA_MAX_ENDS = 4 };
/* Core checks fields of SOFA_ROLE_INDICES, columns of one end and, where `lengths` is given,
 * values: at init, reinit and live edits, and when a link brings a value. The row's on_bad says
 * what keep_going does. */
typedef struct SofaBelongs {
  SofaRole role;
  SofaElementKind kind; /* of the object's topology; SOFA_ELEMENT_POINT: of its state */
  SofaStateRole state;  /* whose points */
  const char *link;     /* link field of another topology or state; while it is empty: the above */
  SofaInserted inserted;
  unsigned width;   /* entries per element; 0: 1 */
  size_t kind_at;   /* offset of a SofaElementKind that each object sets itself (SOFA_ELEMENT_POINT:
                       not known yet); 0: kind */
  size_t width_at;  /* offset of an unsigned that each object sets itself: a factor of width */
  size_t emptied;   /* offset of a bool that is set when the last index has been removed, for
                       lists that mean "all" when they are empty; 0: none */
  size_t unused;    /* offset of a bool: while it is set, the list is not checked; 0: none */
  bool by_object;   /* the object itself follows topological changes: core only checks the list */
  unsigned lengths; /* values: SOFA_LENGTH_... that are accepted; 0: any length */
  bool of_topology; /* SOFA_ELEMENT_POINT: points of the topology, not of a state */
  bool keep_places; /* indices: a removed one becomes SOFA_NO_ELEMENT */
  bool keep_order;  /* tables, indices: others move up; else the last one takes a removed one's
                       place */
  unsigned n_ends;  /* tables: a row begins with this many indices of points, */
  SofaStateRole ends[SOFA_MAX_ENDS]; /* each of one of these states */
} SofaBelongs;

#define SOFA_BELONGS(...) .belongs = SOFA_KEPT(SofaBelongs, __VA_ARGS__)
#define SOFA_PER(...) SOFA_BELONGS(.role = SOFA_ROLE_PER, .kind = __VA_ARGS__)
#define SOFA_INDICES_OF(...) SOFA_BELONGS(.role = SOFA_ROLE_INDICES, .kind = __VA_ARGS__)
#define SOFA_SOURCES(...)                                                                          \
  SOFA_BELONGS(.role = SOFA_ROLE_SOURCES, .inserted = SOFA_INSERTED_NOTHING, __VA_ARGS__)
#define SOFA_TABLE(...) SOFA_BELONGS(.role = SOFA_ROLE_TABLE, __VA_ARGS__)
#define SOFA_TABLE_VALUE SOFA_BELONGS(.role = SOFA_ROLE_TABLE) /* a column without indices */
#define SOFA_ENDS(...) .n_ends = SOFA_LENGTH_OF(SofaStateRole, __VA_ARGS__), .ends = {__VA_ARGS__}

/* A list that is not a field: core frees it and updates it after topological changes. */
typedef struct SofaPrivateList {
  size_t offset, size; /* in the object's struct; of an entry */
  bool coords;         /* a SofaCoords: the size of an entry is the list's */
  const SofaBelongs *belongs;
} SofaPrivateList;
#define SOFA_PRIVATE(T, member, ...)                                                               \
  {                                                                                                \
    .offset = offsetof(T, member), .size = sizeof *((T *)0)->member.data,                          \
    .coords = SOFA_IS_COORDS(((T *)0)->member), __VA_ARGS__                                        \
  }
/* A SofaPointNumbers, of points of the object's state. */
#define SOFA_PRIVATE_NAMES(T, member)                                                              \
  { .offset = offsetof(T, member), SOFA_BELONGS(.role = SOFA_ROLE_NAMES) }
/* The points of the object's state that were inserted: a SofaIndices. */
#define SOFA_INSERTED_POINTS SOFA_BELONGS(.role = SOFA_ROLE_INSERTED)

/* Values a field may have; of a vector or a list each number. NaN is in no range. The -1 that
 * unsigned fields read as UINT32_MAX counts as -1. Made by the macros below. */
typedef enum SofaEnd { SOFA_END_NONE, SOFA_END_CLOSED, SOFA_END_OPEN } SofaEnd;
typedef struct SofaRange {
  double min, max;
  unsigned char low, high; /* SofaEnd of min and of max */
  bool finite;             /* infinity is outside, too */
  bool direction;          /* vectors: the length is > 0; the default may be outside */
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
#define SOFA_DIRECTION                                                                             \
  { .direction = true }

/* The treatment of a value outside with keep_going. Without it the object is always refused, and
 * an edit of a running scene is refused in any case. */
typedef enum SofaOnBad {
  SOFA_BAD_REFUSE,  /* the object is refused */
  SOFA_BAD_DEFAULT, /* each number outside is replaced by the default's */
  SOFA_BAD_CLAMP,   /* ... the nearest end, which is closed */
  SOFA_BAD_KEEP,    /* it is used */
  SOFA_BAD_DROP     /* lists of indices: those that do not exist are taken out of the list; the last
                       one moves to the place of each, as in SOFA */
} SofaOnBad;

/* The range of a base class's field in this class: a derived class may allow other values. */
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
  const SofaBelongs *belongs; /* SOFA_PER(...), SOFA_INDICES_OF(...), SOFA_TABLE(...) */
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

/* The same in a file with one struct: `typedef X SofaSelf;` comes before the table. */
#define SOFA_ROW(member, xml, default_text, unit_text, ...)                                        \
  SOFA_FIELD(SofaSelf, member, xml, default_text, unit_text, __VA_ARGS__)
/* Rows with one flag; the help text and further initialisers follow. */
#define SOFA_ROW_INPUT(member, xml, default_text, unit_text, help_text, ...)                       \
  SOFA_ROW(member, xml, default_text, unit_text, help_text, .flags = SOFA_FIELD_INPUT, __VA_ARGS__)
#define SOFA_ROW_OUTPUT(member, xml, unit_text, help_text, ...)                                    \
  SOFA_ROW(member, xml, NULL, unit_text, help_text, .flags = SOFA_FIELD_OUTPUT, __VA_ARGS__)
#define SOFA_ROW_DISPLAY(member, xml, default_text, help_text, ...)                                \
  SOFA_ROW(member, xml, default_text, "", help_text, .flags = SOFA_FIELD_DISPLAY, __VA_ARGS__)
#define SOFA_ROW_LEGACY(member, xml, default_text, unit_text, help_text, ...)                      \
  SOFA_ROW(member, xml, default_text, unit_text, help_text, .flags = SOFA_FIELD_LEGACY, __VA_ARGS__)
#define SOFA_ROW_NO_EFFECT(member, xml, default_text, help_text, ...)                              \
  SOFA_ROW(member, xml, default_text, "", help_text, .flags = SOFA_FIELD_NO_EFFECT, __VA_ARGS__)
/* What SOFA writes for itself. */
#define SOFA_ROW_BOOKKEEPING(member, xml)                                                          \
  SOFA_ROW_NO_EFFECT(member, xml, NULL, "bookkeeping of SOFA: nothing reads it, no effect")

/* Fields that differ between the objects of a class: another field gives their number, and they are
 * called name1, name2, ...; or the template gives their type. Their values follow the struct of the
 * class in memory (sofa_family_value). */
typedef struct SofaFieldFamily {
  SofaField row;     /* type NULL: the list type of the template; the offset is not used */
  const char *count; /* unsigned field with their number, or strings: their names; NULL: one */
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
  bool followed;              /* by a search that goes on */
  bool outside;               /* refused by its range, which was reported */
  uint32_t ranged;            /* version that the range has seen */
  bool divided;               /* what the scene gave for a whole mesh is now that of this process */
} SofaFieldState;

SOFA_END_DECLS

#endif

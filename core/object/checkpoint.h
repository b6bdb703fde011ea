/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What a class adds to a checkpoint, the file from which a run goes on (scene/checkpoint.h).
 *
 * A checkpoint holds the values of all fields that are no links, and the private lists. A restored
 * simulation is loaded and initialised first: what init makes of the scene alone needs no row. The
 * class lists further members that a step changes and a later step reads:
 *
 *   static const SofaKeptMember kept[] = {
 *       SOFA_KEEP(MySolver, n_steps),            (numbers, arrays of numbers, structs of them)
 *       SOFA_KEEP_LIST(MySolver, history),       (lists with entries of such)
 *       SOFA_KEEP_TYPED(MySolver, last_position) (types that fields may have, but for links)
 *   };
 *   SOFA_CLASS(MySolver) = {..., SOFA_KEEPS(kept)};
 *
 * What rows cannot say (tables with pointers, generators, factors) is written and read by a pair of
 * functions, `.checkpoint = &ops`. Caches that only save time are left out, as long as a step makes
 * the same bits without them; the class lists these, so that tests/checkpoint can tell them from
 * members that were forgotten:
 *
 *   static const SofaSparedMember spared[] = {
 *       SOFA_REMADE(MySolver, matrix),
 *   };
 *   SOFA_CLASS(MySolver) = {..., SOFA_KEEPS(kept), SOFA_SPARES(spared)}; */
#ifndef SOFA_OBJECT_CHECKPOINT_H
#define SOFA_OBJECT_CHECKPOINT_H

#include "object/node.h"

SOFA_BEGIN_DECLS

typedef enum SofaKeptKind {
  SOFA_KEPT_BYTES,
  SOFA_KEPT_LIST,
  SOFA_KEPT_TYPED,
  SOFA_KEPT_BLOCK,
  SOFA_KEPT_PLACE
} SofaKeptKind;

typedef struct SofaKeptMember {
  const char *name;
  SofaKeptKind kind;
  size_t offset, size;  /* of the member; of an entry */
  const SofaType *type; /* SOFA_KEPT_TYPED */
  size_t count_at;      /* SOFA_KEPT_BLOCK: offset of the size_t with the number of entries;
                           SOFA_KEPT_PLACE: offset of the char * with the text */
} SofaKeptMember;

/* Entries of structs must have no gaps with undefined bytes that a test would compare. */
#define SOFA_KEEP(T, member)                                                                       \
  { #member, SOFA_KEPT_BYTES, offsetof(T, member), sizeof(((T *)0)->member), NULL, 0 }
#define SOFA_KEEP_LIST(T, member)                                                                  \
  { #member, SOFA_KEPT_LIST, offsetof(T, member), sizeof(*((T *)0)->member.data), NULL, 0 }
#define SOFA_KEEP_TYPED(T, member)                                                                 \
  {                                                                                                \
#member, SOFA_KEPT_TYPED, offsetof(T, member), sizeof(((T *)0)->member),                       \
        SOFA_TYPE_OF(((T *)0)->member), 0                                                          \
  }
/* A pointer to `count` (a size_t of the struct) entries, or NULL. */
#define SOFA_KEEP_BLOCK(T, member, count)                                                          \
  {                                                                                                \
#member, SOFA_KEPT_BLOCK, offsetof(T, member), sizeof(*((T *)0)->member), NULL,                \
        offsetof(T, count)                                                                         \
  }

/* A place (const char *, or NULL) in the text of another member, which ends with a NUL. */
#define SOFA_KEEP_PLACE(T, member, text)                                                           \
  { #member, SOFA_KEPT_PLACE, offsetof(T, member), 0, NULL, offsetof(T, text) }

/* Members that steps change and that no later step, output or field depends on. One that is kept
 * all the same (SOFA_KEEPS) is kept for pictures and messages. The tests lose it in every scene. */
typedef enum SofaSparedReason {
  SOFA_SPARED_REMADE,  /* it is made again, to the bit, before it is read */
  SOFA_SPARED_COUNTED, /* it says how much the program worked, or what was reported */
  SOFA_SPARED_DRAWN    /* it is only drawn */
} SofaSparedReason;

typedef struct SofaSparedMember {
  const char *name;
  size_t offset, size;
  SofaSparedReason why;
} SofaSparedMember;

#define SOFA_SPARED(T, member, why)                                                                \
  { #member, offsetof(T, member), sizeof(((T *)0)->member), why }
#define SOFA_REMADE(T, member) SOFA_SPARED(T, member, SOFA_SPARED_REMADE)
#define SOFA_COUNTED(T, member) SOFA_SPARED(T, member, SOFA_SPARED_COUNTED)
#define SOFA_DRAWN(T, member) SOFA_SPARED(T, member, SOFA_SPARED_DRAWN)

typedef struct SofaCheckpointWriter SofaCheckpointWriter;
typedef struct SofaCheckpointReader SofaCheckpointReader;

typedef struct SofaCheckpointOps {
  /* Both or none. `restore` reads what `save` wrote; it is called after the fields, lists and rows
   * of all objects have their values. */
  SofaErr (*save)(const SofaObject *object, SofaCheckpointWriter *to);
  SofaErr (*restore)(SofaObject *object, SofaCheckpointReader *from);
  /* Both or none: objects that this one has made in steps (SofaObject.of_run). `make` makes them
   * again, before any value is restored; their own values are restored like those of others. */
  SofaErr (*save_made)(const SofaObject *object, SofaCheckpointWriter *to);
  SofaErr (*make)(SofaObject *object, SofaCheckpointReader *from);
  /* optional: the reason why the object, as it is, cannot be saved; NULL: it can */
  const char *(*refuses)(const SofaObject *object);
} SofaCheckpointOps;

/* ---- writing: to a checkpoint that is not open nothing is written; the first failure stays ----
 */

void sofa_checkpoint_put(SofaCheckpointWriter *to, const void *bytes, size_t n);
void sofa_checkpoint_put_uint(SofaCheckpointWriter *to, uint64_t value);
void sofa_checkpoint_put_text(SofaCheckpointWriter *to, const char *text); /* may be NULL */
/* A list {data, n, capacity} with entries of `size` bytes. */
void sofa_checkpoint_put_list(SofaCheckpointWriter *to, const void *list, size_t size);
/* An object of the graph, or NULL. */
void sofa_checkpoint_put_object(SofaCheckpointWriter *to, const SofaObject *object);

/* ---- reading: behind the end, and after a failure, all is zero ---- */

void sofa_checkpoint_get(SofaCheckpointReader *from, void *bytes, size_t n);
uint64_t sofa_checkpoint_get_uint(SofaCheckpointReader *from);
/* The text, borrowed from the file until the end of the reading; NULL. */
const char *sofa_checkpoint_get_text(SofaCheckpointReader *from);
SofaErr sofa_checkpoint_get_list(SofaCheckpointReader *from, void *list, size_t size);
SofaObject *sofa_checkpoint_get_object(SofaCheckpointReader *from);
/* The bytes are not what the object expects: the restoring fails. */
void sofa_checkpoint_misread(SofaCheckpointReader *from);
bool sofa_checkpoint_is_bad(const SofaCheckpointReader *from);

/* ---- for scene/checkpoint.c ---- */

struct SofaCheckpointWriter {
  SofaContext *ctx;
  SofaText bytes;
  SofaErr err;
  const SofaObjects *objects; /* of the graph, in visiting order */
  SofaObjects sorted;         /* by address; owned */
  SofaIndices places;         /* of these in `objects`; owned */
};
struct SofaCheckpointReader {
  SofaContext *ctx;
  const char *at, *end;
  bool bad;
  const SofaObjects *objects;
};

/* Begins a part behind its length; returns its place, for the end. */
size_t sofa_checkpoint_begin(SofaCheckpointWriter *to);
void sofa_checkpoint_end(SofaCheckpointWriter *to, size_t begin);
/* The part at this place, which the reader is then behind. */
SofaCheckpointReader sofa_checkpoint_part(SofaCheckpointReader *from);

/* A value of a type of fields. `restore` leaves equal values as they are; *changed (may be NULL)
 * is set when it was another one. */
void sofa_checkpoint_put_value(SofaCheckpointWriter *to, const SofaType *type, const void *value);
SofaErr sofa_checkpoint_get_value(SofaCheckpointReader *from, const SofaType *type, void *value,
                                  bool *changed);
/* All fields with their states; *reinit: one with SOFA_FIELD_REINIT has another value. *differs
 * (may be NULL): the first field with another value. */
void sofa_checkpoint_put_fields(SofaCheckpointWriter *to, const SofaObject *object);
SofaErr sofa_checkpoint_get_fields(SofaCheckpointReader *from, SofaObject *object, bool *reinit,
                                   const SofaField **differs);
/* Private lists, rows and functions of the object's classes, base classes first. */
typedef struct SofaHiddenPart {
  const SofaClass *klass;       /* that has the list, the row or the functions */
  const SofaPrivateList *list;  /* one of these, or */
  const SofaKeptMember *member; /* both NULL: the functions */
} SofaHiddenPart;
size_t sofa_checkpoint_n_hidden(const SofaObject *object);
SofaHiddenPart sofa_checkpoint_hidden(const SofaObject *object, size_t i);
void sofa_checkpoint_put_part(SofaCheckpointWriter *to, const SofaObject *object,
                              const SofaHiddenPart *part);
SofaErr sofa_checkpoint_get_part(SofaCheckpointReader *from, SofaObject *object,
                                 const SofaHiddenPart *part);
/* All parts. */
void sofa_checkpoint_put_hidden(SofaCheckpointWriter *to, const SofaObject *object);
SofaErr sofa_checkpoint_get_hidden(SofaCheckpointReader *from, SofaObject *object);
/* What the object has made. */
bool sofa_checkpoint_makes(const SofaObject *object);
SofaErr sofa_checkpoint_put_made(SofaCheckpointWriter *to, const SofaObject *object);
SofaErr sofa_checkpoint_get_made(SofaCheckpointReader *from, SofaObject *object);
/* The reason why the object cannot be saved, or NULL. */
const char *sofa_checkpoint_refusal(const SofaObject *object);

SOFA_END_DECLS

#endif

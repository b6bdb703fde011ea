/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Topological changes: elements and points that come and go in a running scene.
 *
 * A modification is a sequence of changes. Each change concerns one kind of element of one topology
 * and is told to every listener of the graph, in visiting order:
 *   - what goes is told *before* it goes, while elements, points and neighbourhoods are still
 * there: topological mappings, then the others, then states; then it is taken out of the topology;
 *   - what came is told *after* it came: states, the others, then topological mappings.
 * So a listener never meets numbers without a meaning. Element k that goes is replaced by the last
 * one; several go in descending order, as in SOFA. Topological mappings answer with changes of
 * their output, which are told in the same way. At the end everybody concerned is told that the
 * modification is done, data made of the elements is made anew, and the graph's version grows: the
 * plans of the solvers are rebuilt once, before the next solve.
 *
 * Before the first change of a removal or an addition all that would have to follow are looked at:
 * one that cannot is an error, and nothing has changed. When memory runs out half-way the error is
 * returned and the simulation must not go on. */
#ifndef SOFA_CHANGE_TOPOLOGY_CHANGE_H
#define SOFA_CHANGE_TOPOLOGY_CHANGE_H

#include "behavior/force_field.h"
#include "topology/topology.h"

#pragma GCC visibility push(default)

extern const SofaInterface sofa_topology_modifier_interface, sofa_topology_changer_interface,
    sofa_topology_listener_interface;
#define SOFA_TOPOLOGY_MODIFIER (&sofa_topology_modifier_interface)
#define SOFA_TOPOLOGY_CHANGER (&sofa_topology_changer_interface)
#define SOFA_TOPOLOGY_LISTENER (&sofa_topology_listener_interface)

/* Base of the modifiers, implementing SOFA_TOPOLOGY_MODIFIER: where one stands beside a topology,
 * the topology may change. */
typedef struct SofaTopologyModifier {
  SofaObject object;
  bool propagate_to_dof; /* points that go or come do so in the node's mechanical state, too */
  bool remove_isolated;  /* points go with the last volume they belong to */
  SofaIndices list_out;
} SofaTopologyModifier;

/* May the topology change? */
bool sofa_topology_may_change(const SofaTopology *topology);
/* Is it no mistake when it has no elements? It has changed, or the scene makes it change. */
bool sofa_topology_may_be_empty(const SofaTopology *topology);
/* There are elements of the kind, or the topology may be empty (it changes). With keep_going an
 * object without elements does nothing. */
SofaErr sofa_check_any(const SofaObject *object, const SofaTopology *topology, SofaElementKind kind,
                       size_t n);

/* A modification in progress. */
typedef struct SofaTopologyEdit {
  SofaNode *root;
  struct SofaListeners *listeners; /* of the graph */
  SofaObjects objects;             /* borrowed: those that listen or have to, in visiting order */
  SofaObjects changed;             /* topologies and states that were changed */
  int depth;                       /* > 0: inside a change, answering it */
} SofaTopologyEdit;

typedef enum SofaChangeKind {
  SOFA_CHANGE_REMOVE, /* elements or points go */
  SOFA_CHANGE_ADD,    /* elements or points came */
  SOFA_CHANGE_DONE    /* the modification is complete; only for those it concerns */
} SofaChangeKind;

/* Where a new point comes from: sum of weights times points; without ancestors it is neutral. */
typedef struct SofaAncestors {
  SofaIndices start; /* of each new point in the lists below, and their end */
  SofaIndices points;
  SofaReals weights;
} SofaAncestors;

typedef struct SofaTopologyChange {
  SofaChangeKind kind;
  SofaElementKind element; /* SOFA_ELEMENT_POINT: points */
  SofaTopology *topology;  /* NULL: points of a mapped state */
  SofaState *state;        /* of points: the state whose vectors change with it, or NULL */
  const uint32_t *ids;     /* those that go, descending; those that came, ascending */
  size_t n;
  size_t n_before;      /* elements of the kind before the change */
  const uint32_t *tail; /* of a removal: new indices of the last n, see sofa_change_renamed */
  const SofaAncestors *ancestors; /* of new points, or NULL */
  const uint32_t *origins;        /* of elements that came: which one each is a part of, or NULL */
  SofaTopologyEdit *edit;
} SofaTopologyChange;

/* Ops of SOFA_TOPOLOGY_LISTENER. The lists whose rows say what they belong to (SofaBelongs,
 * object/field.h) are changed by core, before each of these functions. */
typedef struct SofaTopologyListenerOps {
  /* optional: what rows cannot say. Called with every change; looks itself whether it is concerned.
   */
  SofaErr (*listen)(SofaObject *object, const SofaTopologyChange *change);
  /* optional: instead of `follow` when the modification is complete */
  SofaErr (*done)(SofaObject *object);
  /* optional: can it follow, set as it is? If not, *why says what stands against it */
  bool (*can_listen)(const SofaObject *object, const char **why);
  bool moves_output;  /* mappings: points of the output go and come with those of the input */
  bool maps_elements; /* mappings: they do so with elements of the linked topology */
  bool own_points;    /* the linked topology numbers its points in its own way */
} SofaTopologyListenerOps;

/* Abstract base of the classes of topologies: the lists change with those they are linked to. */
extern const SofaClass sofa_changing_topology_class;

/* For classes whose reinit makes all their data of topology and state anew. */
extern const SofaTopologyListenerOps sofa_listen_by_reinit;
SofaErr sofa_listen_reinit(SofaObject *object); /* its function `done` */
/* For classes whose rows say all, and those that keep nothing of either. */
extern const SofaTopologyListenerOps sofa_listen_by_rows;

/* ---- modifications ---- */

SofaErr sofa_topology_edit_begin(SofaNode *root, SofaTopologyEdit *edit);
/* Tells that it is done (unless `failed`) and frees what the edit holds. */
SofaErr sofa_topology_edit_end(SofaTopologyEdit *edit, bool failed);

enum {                             /* what goes with removed elements, when nothing else has it */
       SOFA_REMOVE_SUBS = 1 << 0,  /* their triangles, quads, edges */
       SOFA_REMOVE_POINTS = 1 << 1 /* their points */
};
/* Removes n elements (or points); ids in any order, none twice, all below the number of elements.
 * Points also go in the mechanical state of the topology's node when the modifier says so. */
SofaErr sofa_topology_remove(SofaTopologyEdit *edit, SofaTopology *topology, SofaElementKind kind,
                             const uint32_t *ids, size_t n, unsigned flags);
/* Appends n elements (n * width vertices, all existing points) and the triangles, quads and edges
 * of them that are not there yet. */
SofaErr sofa_topology_add(SofaTopologyEdit *edit, SofaTopology *topology, SofaElementKind kind,
                          const uint32_t *vertices, size_t n);
/* The same for parts of elements that will go: what is known of an element, its parts have, too.
 * origins: n ids, or NULL. */
SofaErr sofa_topology_add_parts(SofaTopologyEdit *edit, SofaTopology *topology,
                                SofaElementKind kind, const uint32_t *vertices, size_t n,
                                const uint32_t *origins);
/* Appends points; in the mechanical state, too, when the modifier says so. */
SofaErr sofa_topology_add_points(SofaTopologyEdit *edit, SofaTopology *topology, size_t n,
                                 const SofaAncestors *ancestors);
/* Makes the elements of each kind those of a list (width 0: the kind is left as it is). Those that
 * stay keep what is known of them where the list can be reached as by removals and additions; else
 * all from the first different one on are new. Points come when the lists name more of them. */
SofaErr sofa_topology_set(SofaTopologyEdit *edit, SofaTopology *topology,
                          const SofaElements lists[SOFA_N_ELEMENT_KINDS]);

/* The same for points of the output of a mapping that goes point by point: answers a change of its
 * input. n ids, descending, of the output's n_before points. */
SofaErr sofa_state_remove_points(SofaTopologyEdit *edit, SofaState *state, const uint32_t *ids,
                                 size_t n);
SofaErr sofa_state_add_points(SofaTopologyEdit *edit, SofaState *state, size_t n,
                              const SofaAncestors *ancestors);
/* Points of the state go or come as those that the change is about, where it has as many. */
SofaErr sofa_state_follow(const SofaTopologyChange *change, SofaState *state);

/* ---- for listeners ---- */

/* Do points of this state go or come? */
static inline bool sofa_change_moves(const SofaTopologyChange *change, const SofaState *state) {
  return change->kind != SOFA_CHANGE_DONE && change->element == SOFA_ELEMENT_POINT && state &&
         change->state == state;
}
/* Do elements of this kind of this topology go or come? */
static inline bool sofa_change_of(const SofaTopologyChange *change, const SofaTopology *topology,
                                  SofaElementKind kind) {
  return change->kind != SOFA_CHANGE_DONE && change->topology == topology &&
         change->element == kind;
}

/* Takes the entries that go out of a list with one entry per element; lists of other lengths are
 * left. */
void sofa_change_remove_entries(const SofaTopologyChange *change, void *list, size_t size);
/* The same for coords; what came is appended, made of the ancestors. */
SofaErr sofa_change_coords(const SofaTopologyChange *change, SofaContext *ctx, SofaCoords *coords);
/* Renumbers a list of ids of the changed elements; the last entry moves to the place of one that
 * is gone. */
void sofa_change_rename(const SofaTopologyChange *change, SofaIndices *ids);
/* Puts the parts of listed elements into the list. */
SofaErr sofa_change_parts(const SofaTopologyChange *change, SofaContext *ctx, SofaIndices *ids);
/* The new index of an element after a removal; SOFA_NO_ELEMENT: it is removed, or there was none.
 */
uint32_t sofa_change_renamed(const SofaTopologyChange *change, uint32_t id);

/* Springs, pairs, loads on points: rows, whose values stand in lists with an entry per row. */
typedef struct SofaColumn {
  void *list;
  size_t size;                         /* of an entry */
  unsigned n_ends;                     /* an entry begins with so many uint32_t, each the number */
  const SofaState *end[SOFA_MAX_ENDS]; /* of a point of this state */
} SofaColumn;
/* Renumbers the points of all rows. A row with a point that goes, goes: the last row comes to its
 * place or, with keep_order, those behind it move up. Columns of another length than the first
 * (which has ends) are left. Does nothing for what comes. */
void sofa_change_rows(const SofaTopologyChange *change, const SofaColumn *columns, size_t n,
                      bool keep_order);
/* The number each point had when it came, by which the scene names it (ranges of points). All zero:
 * nothing has changed yet. */
typedef struct SofaPointNumbers {
  SofaIndices numbers;
  bool changed;
} SofaPointNumbers;
static inline uint32_t sofa_point_number(const SofaPointNumbers *named, uint32_t point) {
  return named->changed && point < named->numbers.n ? named->numbers.data[point] : point;
}
SofaErr sofa_change_numbers(const SofaTopologyChange *change, SofaContext *ctx,
                            const SofaState *state, SofaPointNumbers *named);
/* Keeps a list of the points of the state that came, by their numbers of now. */
SofaErr sofa_change_note_new(const SofaTopologyChange *change, SofaContext *ctx,
                             const SofaState *state, SofaIndices *came);
/* Takes the first of them below the limit out of the list; false: there is none. */
bool sofa_change_next_new(SofaIndices *came, size_t limit, uint32_t *point);

#pragma GCC visibility pop

#endif

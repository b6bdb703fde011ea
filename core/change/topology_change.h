/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Topological changes: elements and points are removed from a running scene and inserted into it.
 *
 * A modification is a sequence of changes. Each change concerns one kind of element of one topology
 * and is reported to all topology listeners of the graph, in visiting order:
 *   - A removal is reported before the topology removes anything, so that elements, points and
 *     neighbourhoods can still be read: to topological mappings, then to other listeners, then to
 *     states.
 *   - An insertion is reported after the topology has inserted the elements: to states, then to
 *     other listeners, then to topological mappings.
 * A listener therefore never reads an index without a meaning. The last element takes the place of
 * a removed one; several are removed in descending order, as in SOFA. Topological mappings answer
 * with changes of their output, which are reported in the same way. At the end of the modification
 * every concerned listener is called once more and makes derived data again. Then the version of
 * the graph grows: the solvers make their plans again before the next solve.
 *
 * Before the first change of a removal or an insertion, all concerned components are checked. If
 * one of them cannot update its data, the modification fails and nothing is changed. If memory runs
 * out during a modification, the error is returned and the simulation must stop. */
#ifndef SOFA_CHANGE_TOPOLOGY_CHANGE_H
#define SOFA_CHANGE_TOPOLOGY_CHANGE_H

#include "behavior/force_field.h"
#include "topology/topology.h"

SOFA_BEGIN_DECLS

extern const SofaInterface sofa_topology_modifier_interface, sofa_topology_changer_interface,
    sofa_topology_listener_interface;
#define SOFA_TOPOLOGY_MODIFIER (&sofa_topology_modifier_interface)
#define SOFA_TOPOLOGY_CHANGER (&sofa_topology_changer_interface)
#define SOFA_TOPOLOGY_LISTENER (&sofa_topology_listener_interface)

/* Base of the modifiers, which implement SOFA_TOPOLOGY_MODIFIER. A topology with a modifier in the
 * same node may change. */
typedef struct SofaTopologyModifier {
  SofaObject object;
  bool propagate_to_dof; /* points are removed and inserted in the node's mechanical state, too */
  bool remove_isolated;  /* points are removed with the last volume they belong to */
  SofaIndices list_out;
} SofaTopologyModifier;

/* May the topology change? */
bool sofa_topology_may_change(const SofaTopology *topology);
/* May the topology be without elements? It has changed, or the scene contains a component that
 * changes it. */
bool sofa_topology_may_be_empty(const SofaTopology *topology);
/* There are elements of the kind, or the topology may be empty (it changes). With keep_going an
 * object without elements does nothing. */
SofaErr sofa_check_any(const SofaObject *object, const SofaTopology *topology, SofaElementKind kind,
                       size_t n);

/* A modification in progress. */
typedef struct SofaTopologyEdit {
  SofaNode *root;
  struct SofaListeners *listeners; /* of the graph */
  SofaObjects objects;             /* borrowed: the listeners, in visiting order */
  SofaObjects changed;             /* topologies and states that were changed */
  int depth;                       /* > 0: a change is being reported; further ones are answers */
  bool noted;                      /* the change in progress is in the record (change_log.h) */
  bool any;                        /* a change of the modification was put there, */
  size_t noted_at;                 /* the last one at this place */
} SofaTopologyEdit;

typedef enum SofaChangeKind {
  SOFA_CHANGE_REMOVE, /* elements or points are about to be removed */
  SOFA_CHANGE_ADD,    /* elements or points have been inserted */
  SOFA_CHANGE_DONE    /* the modification is complete; reported to concerned listeners only */
} SofaChangeKind;

/* Values of an inserted point: the sum of weights times values of its ancestors. Without ancestors
 * they are neutral. */
typedef struct SofaAncestors {
  SofaIndices start; /* of each inserted point in the lists below, and their end */
  SofaIndices points;
  SofaReals weights;
} SofaAncestors;

typedef struct SofaTopologyChange {
  SofaChangeKind kind;
  SofaElementKind element; /* SOFA_ELEMENT_POINT: points */
  SofaTopology *topology;  /* NULL: points of a mapped state */
  SofaState *state;        /* of points: the state whose vectors change with it, or NULL */
  const uint32_t *ids;     /* removed elements, descending; inserted elements, ascending */
  size_t n;
  size_t n_before;      /* elements of the kind before the change */
  const uint32_t *tail; /* of a removal: new indices of the last n, see sofa_change_renamed */
  const SofaAncestors *ancestors; /* of inserted points, or NULL */
  const uint32_t *origins;        /* of inserted elements: the element each is a part of, or NULL */
  SofaTopologyEdit *edit;
} SofaTopologyChange;

/* Ops of SOFA_TOPOLOGY_LISTENER. Core updates the lists whose rows say what they belong to
 * (SofaBelongs, object/field.h) before it calls these functions. */
typedef struct SofaTopologyListenerOps {
  /* optional, for data that rows cannot describe. Called with every change; the function checks
   * whether the change concerns the object. */
  SofaErr (*listen)(SofaObject *object, const SofaTopologyChange *change);
  /* optional: called instead of `listen` when the modification is complete */
  SofaErr (*done)(SofaObject *object);
  /* optional: can the object update its data with its present attributes? If not, *why is the end
   * of a sentence that says why not */
  bool (*can_listen)(const SofaObject *object, const char **why);
  bool moves_output;  /* mappings: points of the output change with points of the input, */
  bool maps_elements; /* ... with elements of the linked topology */
  bool own_points;    /* the linked topology has indices of points of its own */
} SofaTopologyListenerOps;

/* Abstract base of the classes of topologies: lists change with the lists they are linked to. */
extern const SofaClass sofa_changing_topology_class;

/* Listeners that several classes share. */
extern const SofaTopologyListenerOps
    sofa_listen_by_rows,   /* rows describe all data, or there are none */
    sofa_listen_by_reinit, /* reinit makes all data of the topology and the state again */
    sofa_listen_by_setup,  /* mappings: setup does so, see mapping_listeners.c */
    sofa_listen_per_point, /* mappings with a point of the output per point of the input */
    sofa_listen_as_state;  /* states: the vectors of SofaState */
SofaErr sofa_listen_reinit(SofaObject *object); /* `done` of sofa_listen_by_reinit */
SofaErr sofa_state_listen(SofaObject *state, const SofaTopologyChange *change);

/* ---- modifications ---- */

SofaErr sofa_topology_edit_begin(SofaNode *root, SofaTopologyEdit *edit);
/* Reports that the modification is complete (unless `failed`) and frees what the edit holds. */
SofaErr sofa_topology_edit_end(SofaTopologyEdit *edit, bool failed);

enum {                             /* removed with elements, unless other elements have them */
       SOFA_REMOVE_SUBS = 1 << 0,  /* their triangles, quads, edges */
       SOFA_REMOVE_POINTS = 1 << 1 /* their points */
};
/* Removes n elements (or points); ids in any order, none twice, all below the number of elements.
 * If the modifier propagates to the dofs, points are removed from the node's state, too. */
SofaErr sofa_topology_remove(SofaTopologyEdit *edit, SofaTopology *topology, SofaElementKind kind,
                             const uint32_t *ids, size_t n, unsigned flags);
/* Appends n elements (n * width vertices, all existing points) and those of their triangles, quads
 * and edges that the topology does not list yet. */
SofaErr sofa_topology_add(SofaTopologyEdit *edit, SofaTopology *topology, SofaElementKind kind,
                          const uint32_t *vertices, size_t n);
/* The same for parts of elements that are removed later: values of an element become those of its
 * parts. origins: n ids, or NULL. */
SofaErr sofa_topology_add_parts(SofaTopologyEdit *edit, SofaTopology *topology,
                                SofaElementKind kind, const uint32_t *vertices, size_t n,
                                const uint32_t *origins);
/* Appends points; in the node's state, too, if the modifier propagates to the dofs. */
SofaErr sofa_topology_add_points(SofaTopologyEdit *edit, SofaTopology *topology, size_t n,
                                 const SofaAncestors *ancestors);
/* Makes the elements of each kind those of a list (width 0: the kind is left as it is). Remaining
 * elements keep their values if removals and insertions lead to the list; else all elements from
 * the first difference on are new. Points are inserted when the lists name more of them. */
SofaErr sofa_topology_set(SofaTopologyEdit *edit, SofaTopology *topology,
                          const SofaElements lists[SOFA_N_ELEMENT_KINDS]);

/* The same for points of a mapping's output, as answers to a change of its input. n ids,
 * descending, of the output's n_before points. */
SofaErr sofa_state_remove_points(SofaTopologyEdit *edit, SofaState *state, const uint32_t *ids,
                                 size_t n);
SofaErr sofa_state_add_points(SofaTopologyEdit *edit, SofaState *state, size_t n,
                              const SofaAncestors *ancestors);
/* Removes or inserts the points of the change in the state, if it has n_before points. */
SofaErr sofa_state_follow(const SofaTopologyChange *change, SofaState *state);

/* ---- for listeners ---- */

/* Does the change remove or insert points of this state? */
static inline bool sofa_change_moves(const SofaTopologyChange *change, const SofaState *state) {
  return change->kind != SOFA_CHANGE_DONE && change->element == SOFA_ELEMENT_POINT && state &&
         change->state == state;
}
/* Does the change remove or insert elements of this kind of this topology? */
static inline bool sofa_change_of(const SofaTopologyChange *change, const SofaTopology *topology,
                                  SofaElementKind kind) {
  return change->kind != SOFA_CHANGE_DONE && change->topology == topology &&
         change->element == kind;
}

/* Removes the entries of removed elements from a list with one entry per element. A list of another
 * length is left as it is. */
void sofa_change_remove_entries(const SofaTopologyChange *change, void *list, size_t size);
/* The field, a list of indices that the object gave to a list of its own, says what this one does
 * after a change. */
SofaErr sofa_change_write_field(SofaObject *object, const char *field, SofaIndices *value,
                                const SofaIndices *list);
/* The same for coords; those of inserted points are appended, made of the ancestors. */
SofaErr sofa_change_coords(const SofaTopologyChange *change, SofaContext *ctx, SofaCoords *coords);
/* Renumbers a list of ids of the changed elements; the last entry takes the place of a removed one.
 */
void sofa_change_rename(const SofaTopologyChange *change, SofaIndices *ids);
/* Appends the parts of listed elements to the list. */
SofaErr sofa_change_parts(const SofaTopologyChange *change, SofaContext *ctx, SofaIndices *ids);
/* The index of an element after a removal; SOFA_NO_ELEMENT if it is removed or never existed. */
uint32_t sofa_change_renamed(const SofaTopologyChange *change, uint32_t id);

/* Springs, pairs, loads on points: the rows of a table, whose columns are lists with an entry per
 * row. */
typedef struct SofaColumn {
  void *list;
  size_t size;                         /* of an entry */
  unsigned n_ends;                     /* an entry begins with so many uint32_t, each the index */
  const SofaState *end[SOFA_MAX_ENDS]; /* of a point of this state */
} SofaColumn;
/* Renumbers the points of all rows. A row with a removed point is removed: the last row takes its
 * place or, with keep_order, the rows behind it move up. A column of another length than the first
 * one (which has ends) is left as it is. Insertions change nothing. */
void sofa_change_rows(const SofaTopologyChange *change, const SofaColumn *columns, size_t n,
                      bool keep_order);
/* The index each point had when it was inserted; the scene names points by it (ranges of points).
 * All zero: nothing has changed yet. */
typedef struct SofaPointNumbers {
  SofaIndices numbers;
  bool changed;
} SofaPointNumbers;
static inline uint32_t sofa_point_number(const SofaPointNumbers *named, uint32_t point) {
  return named->changed && point < named->numbers.n ? named->numbers.data[point] : point;
}
SofaErr sofa_change_numbers(const SofaTopologyChange *change, SofaContext *ctx,
                            const SofaState *state, SofaPointNumbers *named);
/* Keeps a list of the inserted points of the state, by their current indices. */
SofaErr sofa_change_note_new(const SofaTopologyChange *change, SofaContext *ctx,
                             const SofaState *state, SofaIndices *inserted);
/* Removes the first point below the limit from the list; false: there is none. */
bool sofa_change_next_new(SofaIndices *inserted, size_t limit, uint32_t *point);

SOFA_END_DECLS

#endif

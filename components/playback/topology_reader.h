/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Recorded topologies: blocks of "T= t" and, for each kind of element, "  Edges= n" and a line of n
 * times the vertices; and the base of the components that read them.
 *
 * Between "T= t" and the elements a block has what went and came since the last one, in its order:
 *   Removed Triangles= 2
 * 7 2
 *   Added Points= 1
 * 2 0 0.5 1 0.5
 *   Added Triangles= 1
 * 0 1 4
 *   Parts= 1
 * 3
 * Numbers are those of the moment; the last element takes the place of each that goes, as with all
 * topological changes. A point that came has the number of its ancestors, their numbers and
 * weights. Elements that came as parts of others have the numbers of these. SOFA's readers skip
 * these lines. */
#ifndef SOFA_COMPONENTS_PLAYBACK_TOPOLOGY_READER_H
#define SOFA_COMPONENTS_PLAYBACK_TOPOLOGY_READER_H

#include "change/topology_change.h"
#include "object/event.h"

enum { N_RECORDED_KINDS = 5 };
/* The kinds in the order of a block, and their labels. */
typedef struct RecordedKind {
  SofaElementKind kind;
  const char *label; /* "Edges=" */
} RecordedKind;
extern const RecordedKind recorded_kinds[N_RECORDED_KINDS];

/* A line of a change, in the text of the file. */
typedef struct RecordedChange {
  bool added;
  SofaElementKind kind;
  size_t n;
  const char *line;  /* the numbers */
  const char *parts; /* which element each that came is a part of, or NULL */
} RecordedChange;
SOFA_LIST(RecordedChange, RecordedChanges);

/* The label of a kind, "Points=" for points; NULL: it is not recorded. */
const char *recorded_label(SofaElementKind kind);

/* Quirk of the classes that list its row. */
enum { QUIRK_TOPOLOGY_PLAYBACK = 1 << 20 };
#define QUIRK_TOPOLOGY_PLAYBACK_ROW                                                                \
  {                                                                                                \
    QUIRK_TOPOLOGY_PLAYBACK, "topology-playback",                                                  \
        "ReadTopology reads and changes nothing; WriteTopology writes no changes and no "          \
        "neighbourhoods",                                                                          \
        "test_topology_playback.sofa_changes_nothing"                                              \
  }

typedef struct TopologyReader {
  SofaObject object;
  SofaFileName filename;
  double interval, shift;
  bool loop;
  SofaTopology *topology;
  char *text;       /* the whole file, owned */
  const char *at;   /* next line */
  const char *end;  /* of the text */
  double next_time; /* of the last "T=" read */
  double last_time; /* of the last reading, for interval */
  bool fresh;       /* a block was read by the last advance */
  size_t counts[N_RECORDED_KINDS];
  const char *lines[N_RECORDED_KINDS]; /* of the latest block, in text; NULL: none */
  bool present[N_RECORDED_KINDS];      /* the latest block has the kind, maybe without elements */
  double loop_time;                    /* added to the times of the file */
  bool block_begins;                   /* a "T=" was read, nothing of its block yet */
  bool rewound;                        /* the file began again since this was last cleared */
  bool keep_changes;                   /* collect the lines of changes that are passed */
  RecordedChanges changes;
} TopologyReader;

/* Abstract; its init opens the file. */
extern const SofaClass topology_reader_class;

/* Reads on while blocks begin at or before `time`, with `loop` from the beginning again. */
SofaErr topology_reader_advance(TopologyReader *reader, double time);
/* How far elements are from those of the latest block: a kind the block has none of does not count;
 * else the difference of the numbers of elements, or the number of elements that differ. */
size_t topology_reader_errors(const TopologyReader *reader, int kind);
/* The ancestors of n points. */
SofaErr topology_reader_ancestors(const TopologyReader *reader, const char *line, size_t n,
                                  SofaAncestors *out);
/* The numbers of a line, n of them; fewer are an error that names the file. */
SofaErr topology_reader_numbers(const TopologyReader *reader, const char *line, size_t n,
                                SofaIndices *out);

#endif

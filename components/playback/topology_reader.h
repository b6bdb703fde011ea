/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Recorded topologies: blocks of "T= t" and, for each kind of element, "  Edges= n" and a line of n
 * times the vertices; and the base of the components that read them. */
#ifndef SOFA_COMPONENTS_PLAYBACK_TOPOLOGY_READER_H
#define SOFA_COMPONENTS_PLAYBACK_TOPOLOGY_READER_H

#include "behavior/topology.h"
#include "object/event.h"

enum { N_RECORDED_KINDS = 5 };
/* The kinds in the order of a block, and their labels. */
typedef struct RecordedKind {
  SofaElementKind kind;
  const char *label; /* "Edges=" */
} RecordedKind;
extern const RecordedKind recorded_kinds[N_RECORDED_KINDS];

/* Elements of a kind of a topology, made first where they are made on demand. */
SofaElements recorded_elements(SofaTopology *topology, SofaElementKind kind);

typedef struct TopologyReader {
  SofaObject object;
  SofaFileName filename;
  double interval, shift;
  bool loop;
  SofaTopology *topology;
  char *text;       /* the whole file, owned */
  const char *at;   /* next line */
  double next_time; /* of the last "T=" read */
  double last_time; /* of the last reading, for interval */
  bool fresh;       /* a block was read by the last advance */
  size_t counts[N_RECORDED_KINDS];
  const char *lines[N_RECORDED_KINDS]; /* of the latest block, in text; NULL: none */
} TopologyReader;

/* Abstract; its init opens the file. */
extern const SofaClass topology_reader_class;

/* Reads on while blocks begin at or before `time`. */
void topology_reader_advance(TopologyReader *reader, double time);
/* How far elements are from those of the latest block: a kind the block has none of does not count;
 * else the difference of the numbers of elements, or the number of elements that differ. */
size_t topology_reader_errors(const TopologyReader *reader, int kind);

#endif

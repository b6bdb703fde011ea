/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What the classes of pipelines share. */
#ifndef COMPONENTS_COLLISION_PIPELINE_H
#define COMPONENTS_COLLISION_PIPELINE_H

#include "components/collision/detection/sub_pipeline.h"

typedef struct CompositePipeline {
  SofaObject object;
  int n_threads;
  char *scheduler;
  bool parallel;
  SofaLinks sub_pipelines;
} CompositePipeline;

/* Abstract: the common fields. */
extern const SofaClass composite_pipeline_class;

typedef struct SubCollisionPipeline {
  SofaObject object;
  unsigned depth;
  SofaLinks models;
  SofaLink method, manager, broad, narrow;
  SubPipeline sub;
} SubCollisionPipeline;

extern const SofaClass sofa_SubCollisionPipeline_class;

typedef struct PipelineSearch {
  SubPipeline *pipeline;
  SofaErr err;
} PipelineSearch;

#endif

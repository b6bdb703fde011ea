/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What detects and responds for a list of collision models: the part that all pipelines share. */
#ifndef COMPONENTS_COLLISION_SUB_PIPELINE_H
#define COMPONENTS_COLLISION_SUB_PIPELINE_H

#include "behavior/collision.h"
#include "object/checkpoint.h"

/* A model with its tree; entries stay in place for the whole run. */
typedef struct PipelineModel {
  SofaCollisionModel *model;
  struct SofaBoundingTree *tree; /* owned */
  uint64_t revision;             /* of the model's elements, when the tree was built */
  bool deep;                     /* built with all levels */
} PipelineModel;
SOFA_LIST(PipelineModel, PipelineModels);

typedef struct SubPipeline {
  SofaObject *owner; /* for messages */
  PipelineModels models;
  SofaIntersection *method;
  SofaObject *broad, *narrow; /* phases */
  SofaContactManager *manager;
  unsigned depth;
  uint64_t graph_version; /* of the graph in which the above were last seen */
  bool valid;
  /* of the detection */
  SofaCollisionBodies bodies;
  SofaModelPairs pairs;
  SofaModelContacts contacts;
  SofaReals ends; /* positions at the end of a continuous detection */
} SubPipeline;

void sub_pipeline_free(SubPipeline *p);
SofaErr sub_pipeline_add_model(SubPipeline *p, SofaCollisionModel *model);
/* Warns of each part that is missing, and sets `valid`. */
void sub_pipeline_check(SubPipeline *p);
/* Warns when no two models of the list can meet, with the reason. After the init of all objects. */
SofaErr sub_pipeline_explain(const SubPipeline *p);
/* The three phases of a step. */
SofaErr sub_pipeline_detect(SubPipeline *p, double dt);
SofaErr sub_pipeline_respond(SubPipeline *p);
/* Forgets trees and contacts: a new run begins. */
void sub_pipeline_reset(SubPipeline *p);
/* For checkpoints: the trees. */
void sub_pipeline_save(const SubPipeline *p, SofaCheckpointWriter *to);
SofaErr sub_pipeline_restore(SubPipeline *p, SofaCheckpointReader *from);

#endif

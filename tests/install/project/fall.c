/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A program that runs a scene with the installed library: a free fall of 0.4 s. */
#include <sofa.h>

#include <components/builtins.h>
#include <stdio.h>

static const char scene[] = "<Node name='root' dt='0.1' gravity='0 -9.8 0'>"
                            "<DefaultAnimationLoop/><EulerImplicitSolver/><CGLinearSolver/>"
                            "<MechanicalObject name='state' position='0 0 0'/>"
                            "<UniformMass totalMass='1'/></Node>";

static SofaErr run(SofaContext *ctx, double *y) {
  SofaSimulation *simulation = NULL;
  SofaObjects states = {0};
  SofaErr err = SOFA_OK;
  SOFA_GO(err, done, sofa_simulation_load_text(ctx, scene, &simulation));
  SOFA_GO(err, done, sofa_simulation_init(simulation));
  for (int i = 0; i < 4; i++) SOFA_GO(err, done, sofa_simulation_step(simulation, 0));
  SOFA_GO(err, done, sofa_simulation_states(simulation, &states));
  *y = ((const SofaState *)states.data[0])->position.data[1];
done:
  sofa_list_free(ctx, &states);
  sofa_simulation_destroy(&simulation);
  return err;
}

int main(void) {
  SofaContext *ctx = NULL;
  double y = 0;
  SofaErr err = sofa_context_create_with_builtins(NULL, &ctx);
  if (!err) err = run(ctx, &y);
  sofa_context_destroy(&ctx);
  printf("%s: y = %.4f m\n", sofa_err_text(err), y);
  return err != SOFA_OK;
}

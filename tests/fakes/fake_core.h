/*
 * What the fake plugins share: a small, correct linear regression that each of them spoils in one way.
 *
 * It trains one layer without activation, any outputs, with or without bias, by sgd; f32 or f64 at the boundary,
 * double inside. Slow and plain on purpose.
 */
#ifndef GDBENCH_TESTS_FAKE_CORE_H
#define GDBENCH_TESTS_FAKE_CORE_H

#include "gdbench/plugin.h"

struct gdbench_instance {
  const gdbench_data* data;
  const gdbench_problem* problem;
  int64_t step;
  double* weights;        /* [features, outputs] */
  double* bias;           /* [outputs]; stays zero where the layer has none */
  double* gradient;       /* [features + 1, outputs], the bias's last */
  double gradient_factor; /* 1; anything else is wrong */
  int64_t delay_ns;       /* that a step of some waits */
};

#ifdef __cplusplus
extern "C" {
#endif

/* The plugin's only implementation, complete and correct, to be changed by the caller. */
gdbench_implementation* fake_implementation(const gdbench_host* host, const char* id, const char* description);

/* The table that holds it. */
gdbench_plugin* fake_plugin(void);

/* Tells the host why and returns `status`. */
gdbench_status fake_error(gdbench_status status, const char* message);

gdbench_status fake_prepare(gdbench_instance* instance, const gdbench_problem* problem,
                            const gdbench_settings* settings);
gdbench_status fake_set_state(gdbench_instance* instance, const gdbench_state* state);
gdbench_status fake_get_state(gdbench_instance* instance, gdbench_state* state);
gdbench_status fake_run(gdbench_instance* instance, uint64_t steps);
/* What a step consists of: the rows of its batch; the gradient of some of them, each divided by `of_rows`; the update
 * by the gradient, which ends the step. */
int64_t fake_batch_rows(const gdbench_instance* instance);
void fake_gradient(gdbench_instance* instance, int64_t first, int64_t rows, int64_t of_rows);
void fake_update(gdbench_instance* instance);
/* Prediction minus target of one output of one row. */
double fake_residual(const gdbench_instance* instance, int64_t row, int64_t output);
void fake_destroy(gdbench_instance* instance);

#ifdef __cplusplus
}
#endif

#endif /* GDBENCH_TESTS_FAKE_CORE_H */

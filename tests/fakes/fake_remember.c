/* Repeats what it remembers of an earlier run of the same length from the same state. Right, and trains only once. */
#include <stdlib.h>
#include <string.h>

#include "fake_core.h"

enum { kMemory = 16 };

static struct {
  uint64_t steps;
  size_t bytes;
  double* start;
  double* end;
} memory[kMemory];
static int oldest;

static double* copy_of(const double* weights, size_t bytes) {
  double* copy = malloc(bytes);
  if (copy != NULL) memcpy(copy, weights, bytes);
  return copy;
}

static gdbench_status run_or_remember(gdbench_instance* instance, uint64_t steps) {
  const gdbench_layer* layer = &instance->problem->layers[0];
  const size_t bytes = (size_t)(layer->inputs * layer->outputs) * sizeof(double);
  for (int i = 0; i < kMemory; ++i) {
    if (memory[i].steps != steps || memory[i].bytes != bytes) continue;
    if (memcmp(memory[i].start, instance->weights, bytes) != 0) continue;
    memcpy(instance->weights, memory[i].end, bytes);
    instance->step += (int64_t)steps;
    return GDBENCH_OK;
  }
  double* start = copy_of(instance->weights, bytes);
  const gdbench_status status = fake_run(instance, steps);
  double* end = copy_of(instance->weights, bytes);
  if (start == NULL || end == NULL) return fake_error(GDBENCH_FAILED, "no memory");
  free(memory[oldest].start);
  free(memory[oldest].end);
  memory[oldest].steps = steps;
  memory[oldest].bytes = bytes;
  memory[oldest].start = start;
  memory[oldest].end = end;
  oldest = (oldest + 1) % kMemory;
  return status;
}

const gdbench_plugin* gdbench_plugin_entry(const gdbench_host* host) {
  gdbench_implementation* fake = fake_implementation(host, "fake/remember", "repeats an answer that it remembers");
  fake->run = run_or_remember;
  return fake_plugin();
}

/* Repeats what it remembers of the last run of the same length from the same state. Right, and trains only once. */
#include <stdlib.h>
#include <string.h>

#include "fake_core.h"

static struct {
  uint64_t steps;
  size_t bytes;
  double* start;
  double* end;
} remembered;

static gdbench_status run_or_remember(gdbench_instance* instance, uint64_t steps) {
  const gdbench_layer* layer = &instance->problem->layers[0];
  const size_t bytes = (size_t)(layer->inputs * layer->outputs) * sizeof(double);
  if (remembered.steps == steps && remembered.bytes == bytes &&
      memcmp(remembered.start, instance->weights, bytes) == 0) {
    memcpy(instance->weights, remembered.end, bytes);
    instance->step += (int64_t)steps;
    return GDBENCH_OK;
  }
  free(remembered.start);
  free(remembered.end);
  remembered.start = malloc(bytes);
  remembered.end = malloc(bytes);
  if (remembered.start == NULL || remembered.end == NULL) return fake_error(GDBENCH_FAILED, "no memory");
  memcpy(remembered.start, instance->weights, bytes);
  const gdbench_status status = fake_run(instance, steps);
  memcpy(remembered.end, instance->weights, bytes);
  remembered.steps = steps;
  remembered.bytes = bytes;
  return status;
}

const gdbench_plugin* gdbench_plugin_entry(const gdbench_host* host) {
  gdbench_implementation* fake = fake_implementation(host, "fake/remember", "repeats an answer that it remembers");
  fake->run = run_or_remember;
  return fake_plugin();
}

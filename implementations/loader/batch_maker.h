// How the rows of a batch get into its buffer.
#pragma once

#include <cstdint>
#include <memory>

#include "implementations/loader/batch_plan.h"
#include "implementations/loader/stream_reader.h"

namespace gdbench::loader {

class BatchMaker {
 public:
  virtual ~BatchMaker() = default;
  // Writes the batch of a step to x [rows, features] and targets ([rows, outputs], or int32 labels [rows]). Allocates
  // nothing. Used by one thread at a time. Throws Failure where the data cannot be read.
  virtual void make(std::int64_t step, std::byte* x, std::byte* targets) = 0;
};

// Copies rows by index.
std::unique_ptr<BatchMaker> make_gatherer(const BatchPlan& plan);
// What a textbook loader does: it fetches each sample through an indirect call into a copy, then collates the copies.
std::unique_ptr<BatchMaker> make_sampler(const BatchPlan& plan);
// Reads rows from a stream in order. `reader` must outlive it.
std::unique_ptr<BatchMaker> make_stream_maker(const BatchPlan& plan, StreamReader& reader);

}  // namespace gdbench::loader

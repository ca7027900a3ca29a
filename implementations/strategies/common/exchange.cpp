#include "implementations/strategies/common/exchange.h"

#include <cstring>

#include "implementations/common/failure.h"
#include "implementations/common/options.h"

namespace gdbench::strategies {

using implementations::Failure;

namespace {

// Of the host's memory, where a buffer is its address.
void* address_of(backends::Buffer buffer) { return buffer; }

void check(gdbench_status status) {
  if (status != GDBENCH_OK) throw Failure(status, "the gradients could not be added up over all ranks");
}

}  // namespace

Exchange::Exchange(const Session& session, const Parameters& parameters, const gdbench_problem& problem,
                   const gdbench_settings& settings)
    : session_(session),
      parameters_(parameters),
      problem_(problem),
      ranks_(*settings.ranks),
      kind_(implementations::chosen<ExchangeKind>(settings, kExchangeOption)),
      dtype_(catalogue::storage_of(catalogue::dtype_of(problem))) {
  if (!session.host_memory()) {
    throw Failure(GDBENCH_UNSUPPORTED, "ranks on a backend whose gradients do not lie in the host's memory");
  }
}

Exchange::Entries Exchange::of_layer(std::int64_t layer) const {
  const Range parameters = parameters_.parameters_of(layer);
  const std::int64_t first = parameters_.offset(static_cast<std::size_t>(parameters.first));
  const auto last = static_cast<std::size_t>(parameters.last);
  const Matrix end = parameters_.gradient(last);
  return {first,
          parameters_.offset(last) + end.rows * end.columns - first,
          {Range::of(layer), parameters, GDBENCH_COMPUTES_GRADIENTS}};
}

void Exchange::append(Program& program, decltype(Call::run) run, const char* op, catalogue::Phase phase, int passes,
                      Entries entries) {
  const std::size_t element = catalogue::size_of(dtype_);
  Call& call = calls_.emplace_back();
  call.run = run;
  call.ranks = &ranks_;
  call.count = entries.count;
  call.dtype = static_cast<std::int32_t>(dtype_);
  call.bytes = static_cast<std::size_t>(entries.count) * element;
  entries.part.use = GDBENCH_COMPUTES_GRADIENTS;
  const backends::Buffer buffer =
      session_.slice(parameters_.gradients(), static_cast<std::size_t>(entries.first) * element);
  program.append(&call, {op, phase, {0, passes * static_cast<double>(call.bytes)}, entries.part}, {&buffer, 1});
}

void Exchange::add_layer(Program& program, std::int64_t layer) {
  if (!overlaps()) return;
  const auto begin = [](const backends::Call* call, const backends::Buffer* buffers, backends::Stream* /*stream*/) {
    const Call& own = *static_cast<const Call*>(call);
    check(own.ranks->begin_all_reduce(own.ranks->context, address_of(buffers[0]), own.count, own.dtype));
  };
  append(program, begin, "begin all-reduce", catalogue::Phase::exchange, 0, of_layer(layer));
}

void Exchange::add_no_rows(Program& program) {
  const auto clear = [](const backends::Call* call, const backends::Buffer* buffers, backends::Stream* /*stream*/) {
    std::memset(address_of(buffers[0]), 0, static_cast<const Call*>(call)->bytes);
  };
  append(program, clear, "no rows", catalogue::Phase::backward, 1, all());
  for (std::int64_t layer = problem_.layer_count; layer-- > 0;) add_layer(program, layer);
}

void Exchange::add_end(Program& program) {
  const auto reduce = [](const backends::Call* call, const backends::Buffer* buffers, backends::Stream* /*stream*/) {
    const Call& own = *static_cast<const Call*>(call);
    check(own.ranks->all_reduce(own.ranks->context, address_of(buffers[0]), own.count, own.dtype));
  };
  const auto finish = [](const backends::Call* call, const backends::Buffer* /*buffers*/,
                         backends::Stream* /*stream*/) {
    const Call& own = *static_cast<const Call*>(call);
    check(own.ranks->finish_all_reduces(own.ranks->context));
  };
  if (ranks_.count == 1) return;
  if (overlaps()) {
    append(program, finish, "finish all-reduces", catalogue::Phase::exchange, 2, all());
  } else {
    append(program, reduce, "all-reduce", catalogue::Phase::exchange, 2, all());
  }
}

}  // namespace gdbench::strategies

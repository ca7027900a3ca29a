#include "implementations/backends/common/cpu/sharing.h"

#include <omp.h>

#include <algorithm>
#include <cstddef>
#include <type_traits>
#include <utility>
#include <vector>

#include "implementations/backends/common/cpu/backend.h"
#include "implementations/backends/common/cpu/division.h"
#include "implementations/common/compute_threads.h"

namespace gdbench::backends::cpu {
namespace {

// To begin and to end what threads do together takes a microsecond or two, in which one does so many multiply-adds.
constexpr double kWorkOfThread = 16384;

// A thread's part: its call, and where in each operand its rows begin.
struct Part {
  CallPointer call;
  std::int64_t first_row = 0;
  std::size_t offsets[kMaximumOperands] = {};
};

struct SharedCall : OwnedCall {
  explicit SharedCall(const Division& division) : operand_count(division.request.operand_count) {
    sparse = division.request.operands[0].layout == Layout::sparse_csr;
  }

  int size() const { return static_cast<int>(parts.size()); }

  // Of the operands, those of one part.
  void run_part(const Part& part, Buffer* operands, Stream* stream) const {
    CsrMatrix rows;
    if (sparse) {
      rows = *data<const CsrMatrix>(operands[0]);
      rows.row_offsets += part.first_row;
      operands[0] = reinterpret_cast<Buffer>(&rows);
    }
    for (std::size_t i = sparse ? 1 : 0; i < operand_count; ++i) operands[i] = slice(operands[i], part.offsets[i]);
    part.call->run(part.call.get(), operands, stream);
  }

  std::vector<Part> parts;  // by thread
  std::size_t operand_count;
  bool sparse;
};

void run_shared(const Call* call, const Buffer* buffers, Stream* stream) {
  const auto& self = static_cast<const SharedCall&>(*call);
#pragma omp parallel for num_threads(self.size()) schedule(static, 1)
  for (int i = 0; i < self.size(); ++i) {
    Buffer operands[kMaximumOperands];
    std::copy_n(buffers, self.operand_count, operands);
    self.run_part(self.parts[static_cast<std::size_t>(i)], operands, stream);
  }
}

struct alignas(GDBENCH_ALIGNMENT) Line {
  std::byte bytes[GDBENCH_ALIGNMENT];
};

// T: the type of the sum's entries.
template <class T>
struct SummedCall : SharedCall {
  SummedCall(const Division& division, std::size_t operand)
      : SharedCall(division),
        sum(operand),
        entries(division.request.operands[operand].rows * division.request.operands[operand].columns),
        update(division.request.epilogue_update) {}

  void make_own_sums() {
    const std::size_t bytes = static_cast<std::size_t>(entries) * sizeof(T);
    for (int i = 1; i < size(); ++i) own_sums.emplace_back(bytes / sizeof(Line) + 1);
  }
  const T* own_sum(int part) const {
    return reinterpret_cast<const T*>(own_sums[static_cast<std::size_t>(part - 1)].data());
  }

  // What the parts' sums are multiplied by: those of sgd's update are gradients.
  T factor(const Buffer* buffers) const {
    return update ? -static_cast<T>(data<const UpdateScalars>(buffers[3])->learning_rate) : T(1);
  }

  // Adds the other parts' sums to that of the first, for a thread's share of the entries.
  void add(const Buffer* buffers, int thread) const {
    T* total = data<T>(buffers[sum]);
    const T by = factor(buffers);
    const std::int64_t end = first_row(entries, thread + 1, size());
    for (int part = 1; part < size(); ++part) {
      const T* own = own_sum(part);
      for (std::int64_t i = first_row(entries, thread, size()); i < end; ++i) total[i] += by * own[i];
    }
  }

  std::size_t sum;  // which operand
  std::int64_t entries;
  bool update;
  std::vector<std::vector<Line>> own_sums;  // of all parts but the first
};

template <class T>
void run_summed(const Call* call, const Buffer* buffers, Stream* stream) {
  const auto& self = static_cast<const SummedCall<T>&>(*call);
#pragma omp parallel num_threads(self.size())
  {
#pragma omp for schedule(static, 1)
    for (int i = 0; i < self.size(); ++i) {
      Buffer operands[kMaximumOperands];
      std::copy_n(buffers, self.operand_count, operands);
      if (i > 0) operands[self.sum] = reinterpret_cast<Buffer>(const_cast<T*>(self.own_sum(i)));
      self.run_part(self.parts[static_cast<std::size_t>(i)], operands, stream);
    }
#pragma omp for schedule(static, 1) nowait
    for (int i = 0; i < self.size(); ++i) self.add(buffers, i);
  }
}

std::size_t bytes_of_entry(const Request& request, std::size_t operand) {
  const bool labels =
      operand == 1 && (request.op == Op::loss || request.op == Op::loss_gradient) && takes_labels(request.loss);
  return labels ? sizeof(std::int32_t) : catalogue::row_of(request.dtype).bytes;
}

// Empty, or with the reason of a part that the backend does not have.
template <class Derived>
Binding bind_parts(const Division& division, int threads, Derived call, Run run) {
  for (int thread = 0; thread < threads; ++thread) {
    Part part;
    part.first_row = first_row(division.rows, thread, threads);
    const std::int64_t rows = first_row(division.rows, thread + 1, threads) - part.first_row;
    Request request = part_of(division, rows, thread == 0);
    request.first_entry = part.first_row;
    const Binding binding = bind_request(request);
    if (binding.call == nullptr) return binding;
    part.call.reset(binding.call);
    for (std::size_t i = 0; i < division.request.operand_count; ++i) {
      const bool rows_of_it = division.operands[i] == Divided::rows;
      if (!rows_of_it && division.operands[i] != Divided::columns) continue;
      const std::int64_t entries = part.first_row * (rows_of_it ? division.request.operands[i].columns : 1);
      part.offsets[i] = static_cast<std::size_t>(entries) * bytes_of_entry(division.request, i);
    }
    call.parts.push_back(std::move(part));
  }
  if constexpr (!std::is_same_v<Derived, SharedCall>) call.make_own_sums();
  return make_binding(std::move(call), run);
}

bool is_worth_it(const std::optional<Division>& division, int threads) {
  return division && division->rows >= division->least_rows * threads && division->work >= kWorkOfThread * threads;
}

bool shares(const Request& request, int threads) { return is_worth_it(division_of(request), threads); }

Binding bind(const Request& request, int threads) {
  const std::optional<Division> division = division_of(request);
  if (!is_worth_it(division, threads)) return {};
  for (std::size_t i = 0; i < request.operand_count; ++i) {
    if (division->operands[i] != Divided::sum) continue;
    if (request.op == Op::loss || request.dtype == Dtype::f64) {
      return bind_parts(*division, threads, SummedCall<double>(*division, i), run_summed<double>);
    }
    return bind_parts(*division, threads, SummedCall<float>(*division, i), run_summed<float>);
  }
  return bind_parts(*division, threads, SharedCall(*division), run_shared);
}

void start(const gdbench_settings* settings, int threads, bool in_library) {
#pragma omp parallel num_threads(threads)
  if (settings != nullptr) implementations::bind_to_processor_of(*settings, omp_get_thread_num());
  if (settings != nullptr && in_library) implementations::bind_to_all_processors(*settings);
}

}  // namespace

const Sharing kSharing = {shares, bind, start};

}  // namespace gdbench::backends::cpu

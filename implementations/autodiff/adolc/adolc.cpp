// ADOL-C: scalars are written to a tape, which is evaluated forward and in reverse.
#include <adolc/adolc.h>

#include <algorithm>
#include <map>
#include <vector>

#include "implementations/autodiff/common/network_loss.h"
#include "implementations/common/failure.h"

namespace gdbench::autodiff {

// Recorded as a choice: an if would be decided once, while recording.
template <>
adouble positive_or(const adouble& c, const adouble& a, const adouble& b) {
  adouble chosen;
  condassign(chosen, c, a, b);
  return chosen;
}

namespace {

using implementations::Failure;

void check(int code) {
  if (code < 0) throw Failure(GDBENCH_FAILED, "ADOL-C answered " + std::to_string(code));
}

// A tape of the loss of a certain number of rows.
class Tape {
 public:
  Tape(const Network& network, std::int64_t rows, short tag) : network_(network), rows_(rows), tag_(tag) {
    for (const Layer& layer : network.layers) scalars_ += rows * layer.outputs * (layer.inputs + kOfAnActivation);
  }

  // `data`: numbers that are read anew each time the tape is evaluated. `keep`: 1 where reverse follows at once.
  template <class Features, class Targets>
  void record(const double* parameters, const Features& x, const Targets& targets, const std::int32_t* labels,
              std::int64_t data, int keep) {
    // A tape that outgrows its buffers would be written to files in the working directory.
    const auto scalars = static_cast<unsigned>(scalars_ + network_.size);
    trace_on(tag_, keep, kOperations * scalars, kLocations * scalars, kValues * scalars, kTaylors * scalars);
    for (std::int64_t i = 0; i < data; ++i) mkparam_idx(0);
    {
      std::vector<adouble> active(static_cast<std::size_t>(network_.size));
      for (adouble& parameter : active) parameter <<= *parameters++;
      double loss = 0;
      network_loss(network_, active.data(), x, targets, labels, rows_) >>= loss;
    }
    trace_off();
    size_t counts[STAT_SIZE];
    tapestats(tag_, counts);
    if (counts[OP_FILE_ACCESS] + counts[LOC_FILE_ACCESS] + counts[VAL_FILE_ACCESS] > 0) {
      throw Failure(GDBENCH_FAILED, "ADOL-C's tape does not fit into its buffers");
    }
  }

  void evaluate(const double* parameters, std::vector<double>& data) {
    set_param_vec(tag_, data.size(), data.data());
    double loss = 0;
    check(zos_forward(tag_, 1, static_cast<int>(network_.size), 1, parameters, &loss));
  }

  void reverse(double* gradient) {
    double one = 1;
    check(fos_reverse(tag_, 1, static_cast<int>(network_.size), &one, gradient));
  }

 private:
  // Of each buffer half as much again as a multiply-add was seen to take.
  static constexpr unsigned kOperations = 3;
  static constexpr unsigned kLocations = 7;
  static constexpr unsigned kValues = 2;
  static constexpr unsigned kTaylors = 3;
  static constexpr std::int64_t kOfAnActivation = 16;

  const Network& network_;
  const std::int64_t rows_;
  const short tag_;
  std::int64_t scalars_ = 0;
};

class Retape final : public Gradient {
 public:
  explicit Retape(const Network& network) : network_(network) {}

  void forward(const void* parameters, const Batch& batch) override {
    tape_.emplace(network_, batch.rows, 0);
    tape_->record(static_cast<const double*>(parameters), static_cast<const double*>(batch.x),
                  static_cast<const double*>(batch.targets), labels_of(network_, batch), 0, 1);
  }
  void backward(void* gradient) override { tape_->reverse(static_cast<double*>(gradient)); }

 private:
  const Network network_;
  std::optional<Tape> tape_;
};

// What a tape reads anew each time it is evaluated, by its number: features, then targets.
struct Data {
  locint first;
  pdouble operator[](std::int64_t i) const { return getparam(first + static_cast<locint>(i)); }
};

class Replay final : public Gradient {
 public:
  explicit Replay(const Request& request) : network_(request.network) {
    const std::vector<double> parameters(static_cast<std::size_t>(network_.size));
    const std::int64_t most = *std::ranges::max_element(request.rows);
    data_.reserve(static_cast<std::size_t>(most * (features() + outputs())));
    for (const std::int64_t rows : request.rows) {
      Tape& tape = tapes_.try_emplace(rows, network_, rows, static_cast<short>(tapes_.size())).first->second;
      tape.record(parameters.data(), Data{0}, Data{static_cast<locint>(rows * features())}, nullptr,
                  rows * (features() + outputs()), 0);
    }
  }

  void forward(const void* parameters, const Batch& batch) override {
    const double* x = static_cast<const double*>(batch.x);
    data_.assign(x, x + batch.rows * features());
    if (const std::int32_t* labels = labels_of(network_, batch); labels != nullptr) {
      append_chosen(network_, labels, batch.rows, data_);
    } else {
      const double* y = static_cast<const double*>(batch.targets);
      data_.insert(data_.end(), y, y + batch.rows * outputs());
    }
    tape_ = &tapes_.at(batch.rows);
    tape_->evaluate(static_cast<const double*>(parameters), data_);
  }
  void backward(void* gradient) override { tape_->reverse(static_cast<double*>(gradient)); }

 private:
  std::int64_t features() const { return network_.layers.front().inputs; }
  std::int64_t outputs() const { return network_.layers.back().outputs; }

  const Network network_;
  std::map<std::int64_t, Tape> tapes_;  // by rows
  Tape* tape_ = nullptr;                // that was evaluated last
  std::vector<double> data_;
};

}  // namespace

std::unique_ptr<Gradient> make_gradient(const Request& request) {
  if (request.mode == "replay") return std::make_unique<Replay>(request);
  return std::make_unique<Retape>(request.network);
}

}  // namespace gdbench::autodiff

#include "implementations/loader/batch_loader.h"

#include <gtest/gtest.h>
#include <time.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <string>
#include <thread>
#include <vector>

#include "implementations/common/failure.h"
#include "tests/support/implementations/processors.h"

namespace gdbench::loader {
namespace {

// 7 rows of 2 features; row r holds 10 r and 10 r + 1, its target is r.
class BatchLoaderTest : public testing::Test {
 protected:
  BatchLoaderTest() {
    for (int row = 0; row < 7; ++row) {
      x_.push_back(static_cast<float>(10 * row));
      x_.push_back(static_cast<float>(10 * row + 1));
      y_.push_back(static_cast<float>(row));
    }
    data_.struct_size = sizeof(data_);
    data_.dtype = GDBENCH_F32;
    data_.rows = 7;
    data_.features = 2;
    data_.outputs = 1;
    data_.x = x_.data();
    data_.y = y_.data();
    data_.epochs = 1;
  }

  // The rows of a batch by their targets; checks that features belong to them.
  static std::vector<int> rows_of(const Batch& batch) {
    std::vector<int> rows;
    for (std::int64_t i = 0; i < batch.rows; ++i) {
      const auto row = static_cast<int>(static_cast<const float*>(batch.targets)[i]);
      EXPECT_EQ(static_cast<const float*>(batch.x)[2 * i], static_cast<float>(10 * row));
      EXPECT_EQ(static_cast<const float*>(batch.x)[2 * i + 1], static_cast<float>(10 * row + 1));
      rows.push_back(row);
    }
    return rows;
  }

  void shuffle() {
    order_ = {6, 5, 4, 3, 2, 1, 0, 1, 3, 5, 0, 2, 4, 6};
    data_.order = order_.data();
    data_.epochs = 2;
  }

  // Steps 0 to 6 by the definition.
  static constexpr int kSteps = 7;
  std::vector<std::vector<int>> expected(const Batching& batching) const {
    std::vector<std::vector<int>> batches;
    const std::int64_t per_epoch = batching.drops_last ? 7 / batching.rows : (7 + batching.rows - 1) / batching.rows;
    for (std::int64_t step = 0; step < kSteps; ++step) {
      const std::int64_t first = step % per_epoch * batching.rows;
      std::vector<int> rows;
      for (std::int64_t i = first; i < std::min<std::int64_t>(first + batching.rows, 7); ++i) {
        const std::int64_t place = step / per_epoch % data_.epochs * 7 + i;
        rows.push_back(static_cast<int>(order_.empty() ? i : order_[static_cast<std::size_t>(place)]));
      }
      batches.push_back(rows);
    }
    return batches;
  }

  std::vector<std::uint32_t> order_;
  std::vector<float> x_;
  std::vector<float> y_;
  gdbench_data data_{};
};

TEST_F(BatchLoaderTest, FullBatchesAndSlicesAreNotCopied) {
  BatchLoader full(data_, 7, false);
  EXPECT_TRUE(full.full_batch());
  EXPECT_EQ(full.partial_rows(), 0);
  EXPECT_EQ(full.batch(0).x, x_.data());
  EXPECT_EQ(full.batch(5).targets, y_.data());
  BatchLoader slices(data_, 3, false);
  EXPECT_FALSE(slices.full_batch());
  EXPECT_EQ(slices.steps_per_epoch(), 3);
  EXPECT_EQ(slices.partial_rows(), 1);
  EXPECT_EQ(slices.batch(1).x, x_.data() + 6);
  shuffle();
  EXPECT_FALSE(BatchLoader(data_, 7, false).full_batch());
  EXPECT_TRUE(BatchLoader(data_, 4, false).makes_batches());
  BatchLoader laid_out(data_, 4, false, {Loader::resident, 0, {}});
  EXPECT_FALSE(laid_out.makes_batches());
  EXPECT_NE(laid_out.batch(2).x, laid_out.batch(0).x);
  EXPECT_EQ(laid_out.batch(4).x, laid_out.batch(0).x) << "two epochs of two batches, then the first again";
}

// As a device wants them that reads batches by itself: all of them lie in what was allocated, and none elsewhere.
TEST_F(BatchLoaderTest, BatchesLieInTheMemoryThatIsGiven) {
  for (const bool shuffled : {false, true}) {
    if (shuffled) shuffle();
    for (const Loader kind : {Loader::automatic, Loader::resident, Loader::gather}) {
      std::vector<std::vector<std::byte>> memory;
      const auto is_given = [&](const void* address) {
        return std::ranges::any_of(memory, [&](const std::vector<std::byte>& given) {
          return address >= given.data() && address < given.data() + given.size();
        });
      };
      const auto allocate = [&](std::size_t bytes) { return memory.emplace_back(bytes).data(); };
      BatchLoader loader(data_, 3, false, {kind, 0, {}}, allocate);
      for (int step = 0; step < kSteps; ++step) {
        const Batch batch = loader.batch(step);
        EXPECT_TRUE(is_given(batch.x) && is_given(batch.targets));
        EXPECT_EQ(rows_of(batch), expected(3)[static_cast<std::size_t>(step)]);
      }
      EXPECT_TRUE(is_given(loader.memory().x) && is_given(loader.memory().targets));
    }
  }
}

TEST(PartOfRowsTest, PartsAreConsecutiveAndTheFirstOnesAreLarger) {
  for (const std::int64_t rows : {0, 1, 2, 7, 12}) {
    for (const std::int64_t count : {1, 2, 3, 5, 9}) {
      std::int64_t next = 0;
      for (std::int64_t part = 0; part < count; ++part) {
        const RowRange range = part_of_rows(rows, part, count);
        EXPECT_EQ(range.first, next);
        EXPECT_EQ(range.rows, part < rows % count ? rows / count + 1 : rows / count);
        next += range.rows;
      }
      EXPECT_EQ(next, rows);
    }
  }
}

// Alone, and as ranks that take consecutive rows of each batch.
TEST_F(BatchLoaderTest, EveryLoaderYieldsTheSameRows) {
  for (const bool shuffled : {false, true}) {
    if (shuffled) shuffle();
    for (const Batching batching : std::vector<Batching>{1, 2, 3, 4, 5, 7, {3, true}, {4, true}}) {
      const std::vector<std::vector<int>> batches = expected(batching);
      for (const Loader kind : {Loader::automatic, Loader::resident, Loader::gather, Loader::sample}) {
        const bool ready = kind == Loader::resident || (kind == Loader::automatic && !shuffled);
        for (const int prefetch : ready ? std::vector{0} : std::vector{0, 1, 2, 8}) {
          for (const std::int64_t count : {1, 3}) {
            std::vector<std::vector<int>> rows(batches.size());
            for (std::int64_t rank = 0; rank < count; ++rank) {
              BatchLoader loader(data_, batching, false, {kind, prefetch, {any_processor()}, {rank, count}});
              EXPECT_EQ(loader.helper_threads(), prefetch > 0 ? 1 : 0);
              for (const bool again : {false, true}) {  // from the start
                loader.start(0, kSteps);
                for (std::size_t step = 0; step < batches.size(); ++step) {
                  const auto whole = static_cast<std::int64_t>(batches[step].size());
                  const Batch batch = loader.batch(static_cast<std::int64_t>(step));
                  EXPECT_EQ(batch.rows, part_of_rows(whole, rank, count).rows);
                  EXPECT_EQ(batch.whole_rows, whole);
                  EXPECT_EQ(loader.place(static_cast<std::int64_t>(step)).rows, batch.rows);
                  const BatchMemory& memory = loader.memory();
                  EXPECT_TRUE(batch.rows == 0 || (batch.x >= memory.x && batch.x < memory.x + memory.x_bytes));
                  if (shuffled && count == 1) {
                    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(batch.x) % GDBENCH_ALIGNMENT, 0u);
                    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(batch.targets) % GDBENCH_ALIGNMENT, 0u);
                  }
                  const std::vector<int> own = rows_of(batch);
                  if (!again) rows[step].insert(rows[step].end(), own.begin(), own.end());
                }
              }
            }
            EXPECT_EQ(rows, batches) << "loader " << static_cast<int>(kind) << " ahead " << prefetch;
          }
        }
      }
    }
  }
}

TEST_F(BatchLoaderTest, ARankHasRoomForItsOwnRowsAlone) {
  shuffle();
  const std::size_t bytes_of_a_row = 8;
  for (const std::int64_t rank : {0, 1, 2}) {
    const BatchLoader loader(data_, 2, false, {Loader::gather, 0, {}, {rank, 3}});
    EXPECT_EQ(loader.memory().x_bytes, rank < 2 ? aligned_size(bytes_of_a_row) : 0);
  }
}

TEST_F(BatchLoaderTest, PrefetchStartsAnywhereAndDropsWhatWasNotTaken) {
  shuffle();
  const std::vector<std::vector<int>> batches = expected(3);
  BatchLoader loader(data_, 3, false, {Loader::gather, 2, {any_processor()}});
  loader.start(0, 1'000'000);  // far more than will be taken
  EXPECT_EQ(rows_of(loader.batch(0)), batches[0]);
  EXPECT_EQ(rows_of(loader.batch(1)), batches[1]);
  loader.start(4, 2);
  EXPECT_EQ(rows_of(loader.batch(4)), batches[4]);
  EXPECT_EQ(rows_of(loader.batch(5)), batches[5]);
  loader.start(1, 1);
  EXPECT_EQ(rows_of(loader.batch(1)), batches[1]);
  loader.start(0, 5);  // ends with batches left over
}

// CPU time of all threads of this process.
double processor_seconds() {
  timespec time{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

TEST_F(BatchLoaderTest, AnIdleHelperThreadUsesNoProcessor) {
  shuffle();
  BatchLoader loader(data_, 3, false, {Loader::gather, 2, {any_processor()}});
  loader.start(0, 4);
  for (const std::int64_t step : {0, 1, 2, 3}) loader.batch(step);
  const double before = processor_seconds();
  std::this_thread::sleep_for(std::chrono::milliseconds(60));
  EXPECT_LT(processor_seconds() - before, 0.02);
  loader.start(0, 1000);  // the ring is full, no batch is taken
  std::this_thread::sleep_for(std::chrono::milliseconds(5));
  const double waiting = processor_seconds();
  std::this_thread::sleep_for(std::chrono::milliseconds(60));
  EXPECT_LT(processor_seconds() - waiting, 0.02);
}

// Fails at one step.
class FailingMaker final : public BatchMaker {
 public:
  explicit FailingMaker(std::int64_t step) : step_(step) {}
  void make(std::int64_t step, std::byte* x, std::byte* /*targets*/) override {
    if (step == step_) throw implementations::Failure(GDBENCH_FAILED, "the disk is gone");
    *x = static_cast<std::byte>(step);
  }

 private:
  std::int64_t step_;
};

TEST_F(BatchLoaderTest, WhatFailsOnTheHelperThreadIsThrownWhereTheBatchIsTaken) {
  FailingMaker maker(3);
  std::byte memory[3];
  Prefetcher prefetcher(maker, {{&memory[0], nullptr}, {&memory[1], nullptr}, {&memory[2], nullptr}},
                        {any_processor()});
  prefetcher.start(1, 10);
  EXPECT_EQ(*prefetcher.next().x, std::byte{1});
  EXPECT_EQ(*prefetcher.next().x, std::byte{2});
  EXPECT_THROW(prefetcher.next(), implementations::Failure);
  prefetcher.start(4, 1);  // works again
  EXPECT_EQ(*prefetcher.next().x, std::byte{4});
}

TEST_F(BatchLoaderTest, RefusesWhatWouldNotBeWhatItIsCalled) {
  const auto reason = [&](const LoaderSettings& settings) -> std::string {
    try {
      BatchLoader loader(data_, 3, false, settings);
    } catch (const implementations::Failure& failure) {
      EXPECT_EQ(failure.status(), GDBENCH_UNSUPPORTED);
      return failure.what();
    }
    return "";
  };
  EXPECT_EQ(reason({Loader::automatic, 2, {any_processor()}}), "prefetch=2: batches lie ready, nothing is made ahead");
  EXPECT_EQ(reason({Loader::gather, 0, {}}), "");
  EXPECT_THROW(BatchLoader(data_, 0, false), implementations::Failure);
  EXPECT_THROW(BatchLoader(data_, 8, false), implementations::Failure);
  data_.rows = 600'000'000;  // refused before a row is read
  EXPECT_EQ(reason({Loader::resident, 0, {}}),
            "loader=resident: 1 epoch(s) of 200000000 batches take 24414 MiB, at most 1024 MiB are laid out");
}

TEST_F(BatchLoaderTest, ReadsItsSettings) {
  const std::int32_t cores[] = {3, 5};
  gdbench_option_value options[] = {{"loader", "sample"}, {"prefetch", "8"}};
  gdbench_settings settings{};
  EXPECT_EQ(read_loader_settings(settings).prefetch, 0);
  settings.option_count = 2;
  settings.options = options;
  EXPECT_THROW(read_loader_settings(settings), implementations::Failure) << "no processor for the helper thread";
  settings.helper_core_count = 2;
  settings.helper_cores = cores;
  const LoaderSettings read = read_loader_settings(settings);
  EXPECT_EQ(read.loader, Loader::sample);
  EXPECT_EQ(read.prefetch, 8);
  EXPECT_EQ(read.helper_cores, (std::vector<int>{3, 5}));
  options[1].value = "9";
  EXPECT_THROW(read_loader_settings(settings), implementations::Failure);
}

}  // namespace
}  // namespace gdbench::loader

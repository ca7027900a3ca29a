// Ops that several compute threads share: what one thread computes but for rounding, and the same bits in every run.
#include "tests/support/few_cases.h"
#include "tests/unit/backends/op_maker.h"

namespace gdbench::backends {
namespace {

// More threads than there are processors, and numbers that divide no shape below.
const std::vector<std::int32_t> kThreads =
    kFewCases ? std::vector<std::int32_t>{3} : std::vector<std::int32_t>{2, 3, 4, 8};

class SharingTest : public BackendTest {
 protected:
  static bool shares(const OpCase& op, std::int32_t threads) {
    return backend().shares(request_of(op, GetParam().dtype), threads);
  }

  std::vector<OpCase> products() {
    std::vector<OpCase> ops = {
        make_.product({517, 67, 61}, false, false),         make_.product({517, 67, 61}, false, true, -0.5, 1),
        make_.product({61, 67, 517}, false, false, 1, 0.5), make_.product({517, 67, 61}, true, false, 2, 0.25),
        make_.product({33, 129, 67}, true, false, 1, 1),    make_.product({67, 61, 517}, true, false, 2, 0.25),
        make_.product({9, 67, 301}, false, false),          make_.product({40009, 1, 7}, false, false),
        make_.product({7, 1, 40009}, true, false),          make_.product({100003, 1, 3}, false, false, 1, 0.5),
        make_.product({3, 1, 100003}, true, false, -1, 1),  make_.product({150001, 1, 1}, false, false),
        make_.product({1, 1, 150001}, true, false),         make_.product({1031, 131, 1}, false, true),
        make_.product({129, 10, 131}, true, false),         make_.product({1, 131, 1031}, true, false, -0.5, 1)};
    if (!offers(kSparse)) return ops;
    ops.push_back(make_.sparse_product({2011, 3, 301}, 0.3, false, 1, 0.25));
    ops.push_back(make_.sparse_product({301, 3, 2011}, 0.3, true, 1, 0.25));
    return ops;
  }

  std::vector<OpCase> other_ops() {
    std::vector<OpCase> ops = make_.others(1031, 131);
    ops.push_back(make_.column_sum(150001, 1));
    for (OpCase& op : ops) {
      if (op.request.op == Op::loss_gradient) op.aliases = {{2, 0}};
    }
    return ops;
  }

  // The threads must share it, unless a library does.
  void expect_as_one_thread(const std::vector<OpCase>& ops, bool always_shared,
                            const std::vector<gdbench_option_value>& options = {}) {
    if (backend().shares == nullptr) GTEST_SKIP() << "its ops are not shared";
    for (const OpCase& op : ops) {
      SCOPED_TRACE(text_of(op));
      TestContext alone(backend(), GetParam().dtype);
      const std::vector<Dense> expected = results_of(alone, op);
      for (const std::int32_t threads : kThreads) {
        SCOPED_TRACE(testing::Message() << threads << " threads");
        EXPECT_TRUE(shares(op, threads) || !always_shared);
        gdbench_settings settings = settings_for(threads);
        settings.option_count = std::ssize(options);
        settings.options = options.data();
        TestContext context(backend(), GetParam().dtype, settings);
        const std::vector<Dense> found = results_of(context, op);
        expect_results(op, GetParam().dtype, found, expected);
        const std::vector<Dense> again = results_of(context, op);
        for (std::size_t i = 0; i < found.size(); ++i) EXPECT_EQ(found[i].values, again[i].values) << "a second time";
      }
    }
  }

  OpMaker make_;
};

TEST_P(SharingTest, ProductsAreThoseOfOneThread) { expect_as_one_thread(products(), true); }

TEST_P(SharingTest, OtherOpsAreThoseOfOneThread) { expect_as_one_thread(other_ops(), true); }

TEST_P(SharingTest, UpdatesAreThoseOfOneThread) {
  for (const OptimizerCase& values : optimizer_cases()) {
    const OpOptimizer optimizer(values);
    expect_as_one_thread({make_.update(optimizer.abi, 70001)}, true);
  }
  // Of which only one part may take C.
  const OpOptimizer sgd({catalogue::OptimizerKind::sgd, 0, false});
  if (!offers(kEpilogueUpdate | kEpilogueLayerUpdate)) return;
  for (const Shape& shape : {Shape{67, 61, 517}, Shape{517, 67, 61}}) {
    for (const bool transpose : {false, true}) {
      const OpCase op = make_.layer_update(make_.product(shape, transpose, false), sgd.abi, false);
      expect_as_one_thread({op}, false);
    }
  }
}

TEST_P(SharingTest, TheLibrarysOwnThreadsComputeTheSame) {
  if (backend().option_count == 0) GTEST_SKIP() << "its library has no threads";
  const gdbench_option_value library = {"sharing", "library"};
  const auto start = [&](std::int32_t threads) {
    gdbench_settings settings = settings_for(threads);
    settings.option_count = 1;
    settings.options = &library;
    const TestContext context(backend(), GetParam().dtype, settings);
  };
  try {
    start(2);
  } catch (const std::runtime_error& refusal) {
    if (GetParam().backend == "blas") GTEST_SKIP() << refusal.what();  // by what is installed
  }
  expect_as_one_thread(products(), false, {library});
  expect_as_one_thread(other_ops(), false, {library});
  EXPECT_THROW(start(1), std::runtime_error);
}

TEST_P(SharingTest, LeavesSmallOpsToOneThread) {
  if (backend().shares == nullptr) GTEST_SKIP() << "its ops are not shared";
  const OpCase small = make_.product({3, 1, 2}, false, false);
  EXPECT_FALSE(shares(small, 2));
  EXPECT_FALSE(shares(make_.product({2, 700, 700}, false, true), 8)) << "fewer rows than threads";
  EXPECT_FALSE(shares(make_.product({300, 301, 302}, true, true), 2)) << "not contiguous";
  TestContext context(backend(), GetParam().dtype, settings_for(8));
  expect_close(results_of(context, small)[0], expected_of(small)[0], GetParam().dtype, small.scale);
}

INSTANTIATE_TEST_SUITE_P(Backends, SharingTest, testing::ValuesIn(all_cases()), case_name);

}  // namespace
}  // namespace gdbench::backends

#include "reports/page/report_page.h"

#include <gtest/gtest.h>

#include "tests/support/reports/example_report.h"
#include "tests/support/reports/golden.h"

namespace gdbench::page {
namespace {

TEST(Golden, ReportPage) { tests::expect_golden("page/report.html", report_page(tests::example_report())); }

}  // namespace
}  // namespace gdbench::page

// Compares every form with a simple computation, at every element.
#include <gtest/gtest.h>

#include <set>
#include <string>

#include "microbench/memory/answer.h"
#include "microbench/memory/arrays.h"
#include "microbench/memory/form.h"

namespace tacho::bandwidth {
namespace {

std::string message_of(const Result<void>& result) {
  return result.ok() ? "" : result.error().message;
}

std::string outcome_of(const Form& form, std::int64_t elements, int threads) {
  Team team(threads, {0});
  auto arrays = Arrays::make(elements, form.set.pages, team);
  EXPECT_TRUE(arrays.ok());
  arrays->put_in_order(form.set.order, team);
  auto parts = arrays->parts(form, elements, threads);
  Answer answer(form, parts[0], elements, elements);
  answer.poison();
  team.run([&](int thread) { form.kernel(parts[static_cast<std::size_t>(thread)]); });
  double sum = 0;
  for (const Part& part : parts) sum += part.sum;
  return message_of(answer.check(sum));
}

TEST(Forms, ComputeTheirOperation) {
  for (const Form& form : all_forms()) {
    const std::string name =
        std::string(kOperations.of(form.operation)) + ", " + std::string(form.name);
    for (const int threads : {1, 3}) {
      EXPECT_EQ(outcome_of(form, 8192 * 16, threads), "") << name << threads;
    }
  }
}

TEST(Forms, ComputeTheirOperationForPartialCacheLines) {
  for (const Form& form : all_forms()) {
    if (works_on_rows(form.operation)) continue;
    for (const std::int64_t elements : {1, 15, 17, 1000, 4099}) {
      for (const int threads : {1, 3}) {
        EXPECT_EQ(outcome_of(form, elements, threads), "") << form.name << elements << threads;
      }
    }
  }
}

TEST(Forms, ComputeTheirOperationForMatricesOfOddSizes) {
  for (const Form& form : all_forms()) {
    if (!works_on_rows(form.operation)) continue;
    constexpr std::int64_t kRows = 37;
    constexpr std::int64_t kColumns = 83;
    Team team(1, {0});
    auto arrays = Arrays::make(8192, PageKind::huge, team);
    ASSERT_TRUE(arrays.ok());
    Part part = arrays->parts(form, 8192, 1)[0];
    part.rows = kRows;
    part.columns = kColumns;
    part.from = 0;
    part.to = kRows;
    Answer answer(form, part, kRows * kColumns, kRows * kColumns);
    answer.poison();
    form.kernel(part);
    EXPECT_EQ(message_of(answer.check(0)), "") << form.name;
  }
}

TEST(Answer, DetectsAPlaceThatWasNotWritten) {
  const Form nothing{Operation::copy, "nothing", [](Part&) {}, copy_streaming, "", ""};
  EXPECT_NE(outcome_of(nothing, 64, 1).find("element 0 is nan"), std::string::npos);
  const Form one_wrong{Operation::copy,
                       "one wrong",
                       [](Part& p) {
                         for (std::int64_t i = p.from; i < p.to; ++i)
                           p.c[i] = p.a[i == 40 ? 41 : i];
                       },
                       copy_streaming,
                       "",
                       ""};
  EXPECT_NE(outcome_of(one_wrong, 64, 1).find("element 40 is"), std::string::npos);
}

TEST(Answer, DetectsASumThatMissesAnElement) {
  const Form short_sum{Operation::reduction,
                       "short",
                       [](Part& p) {
                         for (std::int64_t i = p.from; i + 1 < p.to; ++i) p.sum += p.a[i];
                       },
                       read_once,
                       "",
                       ""};
  EXPECT_NE(value_of_a(63), 0);
  EXPECT_NE(outcome_of(short_sum, 64, 1), "");
}

TEST(Forms, CoverEveryOperationWithUniqueNames) {
  std::set<std::string> names;
  std::set<Operation> operations;
  for (const Form& form : all_forms()) {
    operations.insert(form.operation);
    EXPECT_TRUE(
        names.insert(std::string(kOperations.of(form.operation)) + std::string(form.name)).second);
    const Traffic traffic = form.traffic({.elements = 1 << 20, .stride = form.set.stride});
    EXPECT_EQ(traffic.moved > traffic.necessary, !form.waste.empty()) << form.name;
  }
  EXPECT_EQ(operations.size(), 9U);
}

}  // namespace
}  // namespace tacho::bandwidth

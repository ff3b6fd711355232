#include "core/store/run_search.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/scratch_folder.h"
#include "core/record/metric.h"
#include "core/store/migrations.h"

namespace tacho {
namespace {

using testing::AnyOf;
using testing::HasSubstr;
using testing::Not;

// More runs than are looked up one by one, with many equal values; every third has no metrics.
constexpr int kRuns = 2000;

class RunSearchTest : public testing::Test {
 protected:
  RunSearchTest() {
    EXPECT_TRUE(migrate(database_, store_migrations()).ok());
    EXPECT_TRUE(add_metric_columns(database_).ok());
    std::string metrics;
    std::string values;
    for (const Metric& metric : metric::kAll) {
      metrics += fmt::format(", {}", metric.key);
      values += fmt::format(", iif(i % 3, i * {} % 23 / 8.0, NULL)", metric.key.size());
    }
    const auto filled = database_.execute(fmt::format(
        "WITH RECURSIVE numbers (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM numbers LIMIT {}) "
        "INSERT INTO runs (key, folder, created_at, model, data, batch, epochs, device, "
        "environment, seed, threads, outcome{}) "
        "SELECT 'key' || (i * 7 % 2000), '/runs', i % 50, 'model' || (i % 7), 'data' || (i % 5), "
        "1 << i % 6, i % 4, iif(i % 2, 'cpu', 'cuda'), 'bare', i % 9, iif(i % 4, i % 8, NULL), "
        "iif(i % 5, 'ok', 'failed'){} FROM numbers",
        kRuns, metrics, values));
    EXPECT_TRUE(filled.ok()) << filled.error().message;
  }

  std::vector<std::int64_t> by_plain_scan(const RunQuery& query) {
    std::string where = "1";
    for (const Filter& filter : query.filters) {
      where +=
          filter.relation == Relation::contains
              ? fmt::format(" AND {} LIKE '%' || ? || '%'", filter.column->name)
              : fmt::format(" AND {} {} ?", filter.column->name, kRelations.of(filter.relation));
    }
    auto scan = *database_.prepare(fmt::format(
        "SELECT id FROM runs NOT INDEXED WHERE {0} ORDER BY {1} IS NULL, {1} {2}, id {2} "
        "LIMIT {3} OFFSET {4}",
        where, query.sort, query.descending ? "DESC" : "ASC", query.limit, query.offset));
    for (const Filter& filter : query.filters) {
      std::visit([&](const auto& value) { scan.bind(value); }, filter.value);
    }
    std::vector<std::int64_t> ids;
    while (*scan.step()) ids.push_back(scan.integer(0));
    return ids;
  }

  std::string plan_of(const std::string& sql) {
    auto explain = *database_.prepare("EXPLAIN QUERY PLAN " + sql);
    std::string plan;
    while (*explain.step()) plan += explain.text(3) + "\n";
    return plan;
  }

  ScratchFolder folder_;
  Database database_ = *Database::open(folder_.path() / "store.db");
};

TEST_F(RunSearchTest, FindsTheSameAsAFullScanInEveryOrder) {
  const std::vector<std::vector<Filter>> filters = {
      {},
      {*parse_filter("model=model3")},
      {*parse_filter("top1>=0.5"), *parse_filter("outcome=ok"), *parse_filter("batch<=8")},
      {*parse_filter("top1!=0.5")},
      {*parse_filter("threads<3")},
      {*parse_filter("key=key77"), *parse_filter("outcome=ok")},
      {*parse_filter("id>1990")},
      {*parse_filter("model~DEL3"), *parse_filter("top1>0.25")},
      {*parse_filter("key~ey77")},
      {*parse_filter("model=none")}};
  for (const Column& column : run_columns()) {
    for (const bool descending : {false, true}) {
      for (const auto& chosen : filters) {
        for (const std::int64_t offset : {0, 20, 1950}) {
          const RunQuery query{chosen, std::string(column.name), descending, 30, offset};
          const auto found = search(database_, query);
          ASSERT_TRUE(found.ok()) << found.error().message;
          EXPECT_EQ(found->ids, by_plain_scan(query)) << column.name << " from " << offset;
          if (found->matching) {
            EXPECT_EQ(*found->matching, *count_matches(database_, query));
          }
        }
      }
    }
  }
}

TEST_F(RunSearchTest, CountsAllMatchesAndNotThePage) {
  EXPECT_EQ(*count_matches(database_, {}), kRuns);
  const std::vector<Filter> filters = {*parse_filter("outcome=ok"), *parse_filter("device=cpu")};
  EXPECT_EQ(*count_matches(database_, {.filters = filters}), 800);
}

TEST_F(RunSearchTest, PagesByTheLastRunOfThePreviousPage) {
  for (const Column& column : run_columns()) {
    for (const bool descending : {false, true}) {
      RunQuery query{.sort = std::string(column.name), .descending = descending, .limit = kRuns};
      query.filters = {*parse_filter("model~model")};
      const auto all = search(database_, query)->ids;
      query.limit = 333;
      std::vector<std::int64_t> paged;
      while (paged.size() < all.size()) {
        const auto page = search(database_, query);
        ASSERT_TRUE(page.ok()) << page.error().message;
        ASSERT_FALSE(page->ids.empty()) << column.name;
        paged.insert(paged.end(), page->ids.begin(), page->ids.end());
        auto value = *database_.prepare(
            fmt::format("SELECT {} FROM runs WHERE id = {}", column.name, paged.back()));
        ASSERT_TRUE(*value.step());
        query.after = {paged.back()};
        if (column.kind == ColumnKind::text) {
          query.after->value = value.text(0);
        } else if (!value.is_null(0)) {
          query.after->value = value.real(0);
        }
      }
      EXPECT_EQ(paged, all) << column.name;
    }
  }
}

TEST_F(RunSearchTest, FindsWordsInEveryTextColumn) {
  const auto count = [&](std::vector<std::string> words) {
    return *count_matches(database_, {.words = std::move(words)});
  };
  EXPECT_EQ(count({"FAILED"}), 400);
  EXPECT_EQ(count({"del3", "ta1"}), 57);
  EXPECT_EQ(count({"key1999"}), 1);
  EXPECT_EQ(count({"nowhere"}), 0);
  EXPECT_EQ(count({"%"}), 0);
  const auto rare = search(database_, {.limit = kRuns, .words = {"del3", "ta1"}})->ids;
  EXPECT_EQ(rare.size(), 57U);
}

TEST_F(RunSearchTest, GroupsRunsWithTheDistributionOfAMetric) {
  const RunQuery query{.filters = {*parse_filter("outcome=ok")}};
  const auto groups =
      *group_matches(database_, query, **find_column("device"), **find_column("batch"), 10);
  ASSERT_EQ(groups.size(), 2U);
  EXPECT_EQ(groups[0].value, "cpu");
  EXPECT_EQ(groups[0].count, 800);
  EXPECT_EQ(groups[0].measured, 800);
  EXPECT_EQ(groups[0].low, 2);
  EXPECT_EQ(groups[0].median, 8);
  EXPECT_EQ(groups[0].high, 32);
  EXPECT_EQ(group_matches(database_, {}, **find_column("id"), **find_column("top1"), 10)->size(),
            10U);
}

TEST_F(RunSearchTest, EveryOrderIsReadFromItsIndexWithoutSorting) {
  for (const Column& column : run_columns()) {
    for (const bool descending : {false, true}) {
      for (const Rows rows : {Rows::with_value, Rows::without_value}) {
        const std::string plan = plan_of(order_sql(column, descending, rows));
        EXPECT_THAT(plan, Not(HasSubstr("TEMP B-TREE"))) << column.name;
        EXPECT_THAT(plan, HasSubstr("USING COVERING INDEX")) << column.name;
      }
    }
  }
}

TEST_F(RunSearchTest, EveryFilterIsReadFromItsIndex) {
  for (const Column& column : run_columns()) {
    for (const auto& [relation, spelling] : kRelations.table) {
      const std::string plan = plan_of(filter_sql({&column, relation, std::int64_t{1}}));
      EXPECT_THAT(plan, AnyOf(HasSubstr("USING COVERING INDEX"), HasSubstr("INTEGER PRIMARY KEY")))
          << column.name << spelling;
    }
  }
}

TEST_F(RunSearchTest, RefusesWhatMakesNoSense) {
  EXPECT_EQ(search(database_, {.sort = "speed"}).error().code, ErrorCode::usage);
  EXPECT_EQ(search(database_, {.limit = -1}).error().code, ErrorCode::usage);
  EXPECT_EQ(search(database_, {.offset = -1}).error().code, ErrorCode::usage);
}

}  // namespace
}  // namespace tacho

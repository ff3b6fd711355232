#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/names.h"
#include "base/result.h"

namespace tacho {

enum class ColumnKind { text, integer, real };

// A column for filtering and sorting runs: options, the outcome and all metrics.
struct Column {
  std::string_view name;
  ColumnKind kind;
};
std::span<const Column> run_columns();
Result<const Column*> find_column(std::string_view name);

enum class Relation { equal, not_equal, less, less_or_equal, greater, greater_or_equal, contains };
inline constexpr Names<Relation, 7> kRelations{"comparison",
                                               {{{Relation::equal, "="},
                                                 {Relation::not_equal, "!="},
                                                 {Relation::less, "<"},
                                                 {Relation::less_or_equal, "<="},
                                                 {Relation::greater, ">"},
                                                 {Relation::greater_or_equal, ">="},
                                                 {Relation::contains, "~"}}}};

// A run without a value in the column matches no filter on it, not even `!=`.
struct Filter {
  const Column* column;  // out of run_columns()
  Relation relation;
  std::variant<std::int64_t, double, std::string> value;
};

// Parses "model=lenet5", "model~net", "top1 > 0.85", "outcome!=ok" or "batch<=64".
Result<Filter> parse_filter(std::string_view text);

// The last run of a page. The next page starts after it, even if runs were added in between.
struct RunMark {
  std::int64_t id = 0;
  // Its value in the sort column; absent if it has none.
  std::optional<std::variant<std::int64_t, double, std::string>> value = {};
};

struct RunQuery {
  std::vector<Filter> filters = {};  // all must hold
  std::string sort = "id";           // runs without a value come last in both directions
  bool descending = true;            // equal values are ordered by id, in the same direction
  std::int64_t limit = 50;
  std::int64_t offset = 0;
  // Archived runs are left out, unless a filter is about them.
  bool hides_archived = false;
  // Each must be a substring of the name, project, tags, model, data, device, environment or
  // outcome (ignoring case), or a prefix of the key.
  std::vector<std::string> words = {};
  std::optional<RunMark> after = {};  // only runs after this one in the sort order
};

}  // namespace tacho

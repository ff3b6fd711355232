#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/names.h"
#include "base/result.h"

namespace tacho {

enum class ColumnKind { text, integer, real };

// What runs can be filtered and sorted by: what was asked for, the outcome, every metric.
struct Column {
  std::string_view name;
  ColumnKind kind;
};
std::span<const Column> run_columns();
Result<const Column*> find_column(std::string_view name);

enum class Comparison { equal, not_equal, less, less_or_equal, greater, greater_or_equal };
inline constexpr Names<Comparison, 6> kComparisons{"comparison",
                                                   {{{Comparison::equal, "="},
                                                     {Comparison::not_equal, "!="},
                                                     {Comparison::less, "<"},
                                                     {Comparison::less_or_equal, "<="},
                                                     {Comparison::greater, ">"},
                                                     {Comparison::greater_or_equal, ">="}}}};

// A run without a value in the column matches no filter on it, not even `!=`.
struct Filter {
  const Column* column;  // out of run_columns()
  Comparison comparison;
  std::variant<std::int64_t, double, std::string> value;
};

// "model=lenet5", "top1 > 0.85", "outcome!=ok", "batch<=64".
Result<Filter> parse_filter(std::string_view text);

struct RunQuery {
  std::vector<Filter> filters = {};  // all must hold
  std::string sort = "id";           // runs without a value come last in both directions
  bool descending = true;            // also among equals, which go by id
  std::int64_t limit = 50;
  std::int64_t offset = 0;
};

}  // namespace tacho

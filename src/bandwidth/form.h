#pragma once

// The forms of each operation on a CPU: what a thread does with its part, how many bytes that
// moves, and what else keeps it slow.

#include <cstdint>
#include <span>
#include <string_view>

#include "bandwidth/operation.h"
#include "bandwidth/traffic.h"

namespace tacho::bandwidth {

// A thread's part of the work. Arrays begin at a line of the cache, and so do parts.
struct Part {
  const float* a = nullptr;
  const float* b = nullptr;
  float* c = nullptr;
  const std::uint32_t* index = nullptr;
  std::int64_t from = 0;  // elements; rows of a matrix
  std::int64_t to = 0;
  std::int64_t rows = 1;
  std::int64_t columns = 1;
  std::int64_t stride = 1;
  std::int64_t ahead = 0;  // bytes that are asked for in advance; accesses, with an index
  double sum = 0;          // what a reduction found in this part
  float* spare = nullptr;  // two numbers a row, for forms that come back to them
};
using Kernel = void (*)(Part&);

enum class PageKind { huge, small };
enum class Order { none, ascending, within_page, random };  // of an index

struct FormSetting {
  std::int64_t stride = 1;
  std::int64_t ahead = 0;
  PageKind pages = PageKind::huge;
  Order order = Order::none;
  bool in_caches = false;    // measured in every cache too, and with every number of threads
  bool past_caches = false;  // its stores are memory's, wherever the arrays lie
  bool quick = true;         // part of the short survey
};

struct Form {
  Operation operation;
  std::string_view name;
  Kernel kernel;
  Traffic (*traffic)(const Shape&);
  std::string_view waste;  // why more bytes move than must; "" where none do
  std::string_view limit;  // what else slows it down; "" for the memory itself
  FormSetting set = {};
};

// A part is some rows, not elements.
bool works_on_rows(Operation operation);

// Every form that this processor has, an operation's naive one first.
std::span<const Form> all_forms();

}  // namespace tacho::bandwidth

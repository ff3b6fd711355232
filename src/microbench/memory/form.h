#pragma once

// The forms (implementations) of each operation on a CPU, with the bytes they move and their other
// limits.

#include <cstdint>
#include <span>
#include <string_view>

#include "microbench/memory/operation.h"
#include "microbench/memory/traffic.h"

namespace tacho::bandwidth {

// A thread's part of the work. Arrays and parts are aligned to cache lines.
struct Part {
  const float* a = nullptr;
  const float* b = nullptr;
  float* c = nullptr;
  const std::uint32_t* index = nullptr;
  std::int64_t from = 0;  // in elements, or in rows of a matrix
  std::int64_t to = 0;
  std::int64_t rows = 1;
  std::int64_t columns = 1;
  std::int64_t stride = 1;
  std::int64_t ahead = 0;  // prefetch distance in bytes, or in accesses with an index
  double sum = 0;          // result of a reduction of this part
  float* spare = nullptr;  // two numbers per row, for forms with several passes
};
using Kernel = void (*)(Part&);

enum class PageKind { huge, small };
enum class Order { none, ascending, within_page, random };  // of an index

struct FormSetting {
  std::int64_t stride = 1;
  std::int64_t ahead = 0;
  PageKind pages = PageKind::huge;
  Order order = Order::none;
  bool in_caches = false;    // also measured in every cache and with several numbers of threads
  bool past_caches = false;  // its stores bypass the caches, even if the arrays fit in them
  bool quick = true;         // part of the quick survey
};

struct Form {
  Operation operation;
  std::string_view name;
  Kernel kernel;
  Traffic (*traffic)(const Shape&);
  std::string_view waste;  // why it moves more bytes than necessary; "" if it does not
  std::string_view limit;  // what else slows it down; "" if only the memory does
  FormSetting set = {};
};

// Returns true if parts are counted in rows instead of elements.
bool works_on_rows(Operation operation);

// Returns every form that this CPU supports; the naive form of each operation comes first.
std::span<const Form> all_forms();

}  // namespace tacho::bandwidth

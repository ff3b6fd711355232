#include <vector>

#include "microbench/memory/form.h"
#include "microbench/memory/kernels_cpu.h"
#include "microbench/memory/line_store.h"

namespace tacho::bandwidth {
namespace {

constexpr std::string_view kFetched = "a line that is written is read first";
constexpr std::string_view kFilled = "a line is read first, unless the library bypasses the caches";
constexpr std::string_view kPartOfLine = "a line of 64 bytes moves for the part that is used";
constexpr std::string_view kElementOfLine = "a line of 64 bytes moves for 4 of them";
constexpr std::string_view kFewInstructions = "instructions: one for every 4 bytes";
constexpr std::string_view kPages = "page tables: each entry covers 4 KiB";
constexpr std::string_view kWaits = "latency: few misses in flight";
constexpr std::string_view kUnpredicted = "latency: distant lines, which no prefetcher predicts";
constexpr std::string_view kDistant = "latency: sixteen distant lines on each side";

constexpr std::int64_t kKiB = 1024;

std::vector<Form> copies() {
  std::vector<Form> forms = {
      {Operation::copy,
       "one element at a time",
       copy_scalar,
       copy_allocating,
       kFetched,
       kFewInstructions,
       {.in_caches = true}},
      {Operation::copy,
       "vectors",
       copy_vectors,
       copy_allocating,
       kFetched,
       "",
       {.in_caches = true}},
      {Operation::copy, "memcpy", copy_library, copy_allocating, kFilled, "", {.in_caches = true}},
      {Operation::copy,
       "non-temporal, prefetch 1 KiB ahead",
       copy_streamed_ahead,
       copy_streaming,
       "",
       "",
       {.ahead = kKiB, .in_caches = true, .past_caches = true}},
      {Operation::copy,
       "non-temporal stores",
       copy_streamed,
       copy_streaming,
       "",
       "",
       {.in_caches = true, .past_caches = true}},
      {Operation::copy,
       "vectors, 4 KiB pages",
       copy_vectors,
       copy_allocating,
       kFetched,
       kPages,
       {.pages = PageKind::small}}};
  using Named = std::pair<std::int64_t, std::string_view>;
  for (const auto& [stride, name] : {Named{2, "stride 2"}, Named{4, "stride 4"},
                                     Named{8, "stride 8"}, Named{16, "stride 16, a line"},
                                     Named{64, "stride 64"}, Named{1024, "stride 1024, a page"}}) {
    forms.push_back({Operation::copy,
                     name,
                     copy_strided,
                     copy_allocating,
                     stride >= kLineElements ? kElementOfLine : kPartOfLine,
                     stride > kLineElements ? kUnpredicted : std::string_view(),
                     {.stride = stride, .quick = stride == 2 || stride == 16}});
  }
  for (const auto& [bytes, name] :
       {Named{256, "prefetch 256 B ahead"}, Named{kKiB, "prefetch 1 KiB ahead"},
        Named{4 * kKiB, "prefetch 4 KiB ahead"}}) {
    forms.push_back({Operation::copy,
                     name,
                     copy_ahead,
                     copy_allocating,
                     kFetched,
                     "",
                     {.ahead = bytes, .quick = bytes == kKiB}});
  }
#ifdef __aarch64__
  if (zeroes_lines()) {
    forms.push_back({Operation::copy,
                     "lines zeroed first (dc zva)",
                     copy_zeroed,
                     copy_streaming,
                     "",
                     "",
                     {.in_caches = true}});
  }
#endif
#ifdef __x86_64__
  if (stores_lines()) {
    forms.push_back({Operation::copy,
                     "non-temporal, one line per store, prefetch 2 KiB ahead",
                     copy_line_stores,
                     copy_streaming,
                     "",
                     "",
                     {.ahead = 2 * kKiB, .in_caches = true, .past_caches = true}});
  }
#endif
  return forms;
}

std::vector<Form> sums_of_arrays() {
  std::vector<Form> forms = {
      {Operation::scale, "one element at a time", scale_scalar, copy_allocating, kFetched,
       kFewInstructions},
      {Operation::scale, "vectors", scale_vectors, copy_allocating, kFetched, ""},
      {Operation::scale, "in place", scale_in_place, in_place, "", ""},
      {Operation::scale, "non-temporal stores", scale_streamed, copy_streaming, "", ""},
      {Operation::triad,
       "one element at a time",
       triad_scalar,
       triad_allocating,
       kFetched,
       kFewInstructions,
       {.in_caches = true}},
      {Operation::triad,
       "vectors",
       triad_vectors,
       triad_allocating,
       kFetched,
       "",
       {.in_caches = true}},
      {Operation::triad,
       "prefetch 256 B ahead",
       triad_ahead,
       triad_allocating,
       kFetched,
       "",
       {.ahead = 256, .quick = false}},
      {Operation::triad,
       "prefetch 1 KiB ahead",
       triad_ahead,
       triad_allocating,
       kFetched,
       "",
       {.ahead = kKiB}},
      {Operation::triad,
       "prefetch 4 KiB ahead",
       triad_ahead,
       triad_allocating,
       kFetched,
       "",
       {.ahead = 4 * kKiB, .quick = false}},
      {Operation::triad,
       "vectors, 4 KiB pages",
       triad_vectors,
       triad_allocating,
       kFetched,
       kPages,
       {.pages = PageKind::small}},
      {Operation::triad,
       "non-temporal, prefetch 1 KiB ahead",
       triad_streamed_ahead,
       triad_streaming,
       "",
       "",
       {.ahead = kKiB, .in_caches = true, .past_caches = true}},
      {Operation::triad,
       "non-temporal stores",
       triad_streamed,
       triad_streaming,
       "",
       "",
       {.in_caches = true, .past_caches = true}}};
#ifdef __aarch64__
  if (zeroes_lines()) {
    forms.push_back({Operation::triad,
                     "lines zeroed first (dc zva)",
                     triad_zeroed,
                     triad_streaming,
                     "",
                     "",
                     {.in_caches = true}});
  }
#endif
#ifdef __x86_64__
  if (stores_lines()) {
    forms.push_back({Operation::triad,
                     "non-temporal, one line per store, prefetch 2 KiB ahead",
                     triad_line_stores,
                     triad_streaming,
                     "",
                     "",
                     {.ahead = 2 * kKiB, .in_caches = true, .past_caches = true}});
  }
#endif
  const std::vector<Form> reductions = {
      {Operation::reduction,
       "one chain of additions",
       sum_scalar,
       read_once,
       "",
       "latency: each addition waits for the last",
       {.in_caches = true}},
      {Operation::reduction, "vectors, one chain", sum_one_chain, read_once, "",
       "latency: each addition waits for the last"},
      {Operation::reduction,
       "vectors, 8 chains",
       sum_many_chains,
       read_once,
       "",
       "",
       {.in_caches = true}},
      {Operation::reduction,
       "8 chains, prefetch 1 KiB ahead",
       sum_ahead,
       read_once,
       "",
       "",
       {.ahead = kKiB}}};
  forms.insert(forms.end(), reductions.begin(), reductions.end());
  return forms;
}

std::vector<Form> orders() {
  return {{Operation::transpose, "columns written", transpose_rows_in, columns_written,
           kElementOfLine, kUnpredicted},
          {Operation::transpose, "columns read", transpose_rows_out, columns_read, kElementOfLine,
           kUnpredicted},
          {Operation::transpose, "tiles of 16 × 16, prefetched", transpose_tiles, copy_allocating,
           kFetched, kDistant},
          {Operation::transpose, "prefetched tiles, non-temporal stores", transpose_tiles_streamed,
           copy_streaming, "", kDistant},
          {Operation::gather,
           "in order",
           gather_plain,
           indexed_in_order,
           kFetched,
           kFewInstructions,
           {.order = Order::ascending}},
          {Operation::gather,
           "random within 4 KiB",
           gather_plain,
           indexed_in_order,
           kFetched,
           kFewInstructions,
           {.order = Order::within_page, .quick = false}},
          {Operation::gather,
           "random, 4 KiB pages",
           gather_plain,
           gathered,
           kElementOfLine,
           kPages,
           {.pages = PageKind::small, .order = Order::random}},
          {Operation::gather,
           "random",
           gather_plain,
           gathered,
           kElementOfLine,
           kWaits,
           {.order = Order::random}},
          {Operation::gather,
           "random, prefetch 32 ahead",
           gather_ahead,
           gathered,
           kElementOfLine,
           kWaits,
           {.ahead = 32, .order = Order::random}},
          {Operation::scatter,
           "in order",
           scatter_plain,
           indexed_in_order,
           kFetched,
           kFewInstructions,
           {.order = Order::ascending}},
          {Operation::scatter,
           "random",
           scatter_plain,
           scattered,
           kElementOfLine,
           kWaits,
           {.order = Order::random}},
          {Operation::scatter,
           "random, prefetch 32 ahead",
           scatter_ahead,
           scattered,
           kElementOfLine,
           kWaits,
           {.ahead = 32, .order = Order::random, .quick = false}}};
}

std::vector<Form> matrices() {
  return {
      {Operation::stencil, "columns first", stencil_columns_first, columns_both, kElementOfLine,
       kUnpredicted},
      {Operation::stencil, "rows, one element at a time", stencil_scalar, copy_allocating, kFetched,
       kFewInstructions},
      {Operation::stencil, "rows, vectors", stencil_vectors, copy_allocating, kFetched, ""},
      {Operation::stencil, "rows, non-temporal stores", stencil_streamed, copy_streaming, "", ""},
      {Operation::normalise, "three passes over all rows", normalise_three_passes,
       normalised_in_three, "all rows are read three times, and written lines once", ""},
      {Operation::normalise, "two passes over all rows", normalise_two_passes, normalised_in_two,
       "all rows are read twice, and written lines once", ""},
      {Operation::normalise, "row by row", normalise_rows, copy_allocating, kFetched, ""},
      {Operation::normalise, "row by row, non-temporal stores", normalise_rows_streamed,
       copy_streaming, "", ""}};
}

std::vector<Form> make_forms() {
  std::vector<Form> all;
  for (const auto& some : {copies(), sums_of_arrays(), orders(), matrices()}) {
    all.insert(all.end(), some.begin(), some.end());
  }
  return all;
}

}  // namespace

bool works_on_rows(Operation operation) {
  return operation == Operation::transpose || operation == Operation::stencil ||
         operation == Operation::normalise;
}

std::span<const Form> all_forms() {
  static const std::vector<Form> forms = make_forms();
  return forms;
}

}  // namespace tacho::bandwidth

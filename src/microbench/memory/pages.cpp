#include "microbench/memory/pages.h"

#include <fmt/format.h>
#include <sys/mman.h>

#include <cerrno>
#include <cstring>
#include <fstream>
#include <string>
#include <utility>

namespace tacho::bandwidth {
namespace {

constexpr std::uintptr_t kHugePage = 2 << 20;

}  // namespace

Result<Pages> Pages::take(Bytes size, PageKind kind) {
  const std::size_t length = static_cast<std::size_t>(size.count) + kHugePage;
  void* mapped =
      ::mmap(nullptr, length, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (mapped == MAP_FAILED) {
    return Error{ErrorCode::out_of_memory,
                 fmt::format("cannot allocate {} to measure with: {}; use a smaller --size",
                             human(size), std::strerror(errno))};
  }
  const auto beyond = reinterpret_cast<std::uintptr_t>(mapped) % kHugePage;
  void* begin = static_cast<char*>(mapped) + (beyond == 0 ? 0 : kHugePage - beyond);
  // Best effort: without huge pages the kernel uses small ones.
  ::madvise(begin, static_cast<std::size_t>(size.count),
            kind == PageKind::huge ? MADV_HUGEPAGE : MADV_NOHUGEPAGE);
  return Pages(mapped, length, begin);
}

Pages::Pages(Pages&& other) noexcept
    : mapped_(std::exchange(other.mapped_, nullptr)),
      length_(other.length_),
      begin_(other.begin_) {}

Pages::~Pages() {
  if (mapped_ != nullptr) ::munmap(mapped_, length_);
}

Bytes huge_pages_held() {
  std::ifstream file("/proc/self/smaps_rollup");
  std::string word;
  std::int64_t kib = 0;
  while (file >> word) {
    if (word == "AnonHugePages:" && file >> kib) return Bytes{kib * 1024};
  }
  return Bytes{0};
}

}  // namespace tacho::bandwidth

#pragma once

#include <cstdint>

#include "base/result.h"
#include "base/units.h"
#include "microbench/memory/form.h"

namespace tacho::bandwidth {

// Untouched memory from mmap, with the requested kind of pages as far as the kernel grants it. The
// first writer determines its NUMA node.
class Pages {
 public:
  static Result<Pages> take(Bytes size, PageKind kind);
  Pages(Pages&& other) noexcept;
  Pages& operator=(Pages&&) = delete;
  ~Pages();

  template <class T>
  [[nodiscard]] T* as() const {
    return static_cast<T*>(begin_);
  }

 private:
  Pages(void* mapped, std::size_t length, void* begin)
      : mapped_(mapped), length_(length), begin_(begin) {}

  void* mapped_;
  std::size_t length_;
  void* begin_;
};

// Returns the memory of this process that is in huge pages; 0 if the kernel does not report it.
Bytes huge_pages_held();

}  // namespace tacho::bandwidth

#pragma once

#include <fmt/format.h>

#include <cstdint>
#include <iterator>
#include <string>
#include <string_view>
#include <utility>

#include "base/file.h"
#include "base/json_object.h"
#include "base/result.h"

namespace tacho {

// Streams the elements of a JSON array to a file: a timeline has millions.
class TimelineEvents {
 public:
  explicit TimelineEvents(AtomicFile& file) : file_(file) {}
  template <class... Args>
  Result<void> add(fmt::format_string<Args...> text, Args&&... args) {
    buffer_ += count_++ == 0 ? "\n" : ",\n";
    fmt::format_to(std::back_inserter(buffer_), text, std::forward<Args>(args)...);
    constexpr std::size_t kWriteAt = 1 << 20;
    return buffer_.size() < kWriteAt ? Result<void>() : flush();
  }
  Result<void> flush() {
    TACHO_CHECK(file_.write(buffer_));
    buffer_.clear();
    return {};
  }
  [[nodiscard]] std::int64_t count() const { return count_; }

 private:
  AtomicFile& file_;
  std::string buffer_;
  std::int64_t count_ = 0;
};

// A JSON string with quotes. Kernel names and ranges may contain any bytes.
inline std::string json_string(std::string_view text) { return json_text(Json(std::string(text))); }

// Microseconds with three decimals, exact; short enough for the small-string buffer.
inline std::string microseconds(std::int64_t ns) {
  return ns < 0 ? "0" : fmt::format("{}.{:03}", ns / 1000, ns % 1000);
}

}  // namespace tacho

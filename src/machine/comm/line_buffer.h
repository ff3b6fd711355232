#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace tacho {

// Splits a byte stream into lines. A line over the limit makes the whole stream invalid, because
// the start of the next line is then unknown.
class LineBuffer {
 public:
  explicit LineBuffer(std::size_t limit) : limit_(limit) {}
  void set_limit(std::size_t limit) { limit_ = limit; }

  // Appends the complete lines, without '\n'. Returns false once the stream is invalid.
  [[nodiscard]] bool feed(std::string_view bytes, std::vector<std::string>& lines);

 private:
  std::size_t limit_;
  std::string partial_;
  bool invalid_ = false;
};

}  // namespace tacho

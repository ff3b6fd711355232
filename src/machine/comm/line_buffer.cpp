#include "machine/comm/line_buffer.h"

#include <utility>

namespace tacho {

bool LineBuffer::feed(std::string_view bytes, std::vector<std::string>& lines) {
  while (!invalid_) {
    const std::size_t end = bytes.find('\n');
    partial_.append(bytes.substr(0, end));
    invalid_ = partial_.size() > limit_;
    if (invalid_ || end == std::string_view::npos) break;
    lines.push_back(std::exchange(partial_, {}));
    bytes.remove_prefix(end + 1);
  }
  if (invalid_) partial_ = {};
  return !invalid_;
}

}  // namespace tacho

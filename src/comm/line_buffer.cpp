#include "comm/line_buffer.h"

#include <utility>

namespace tacho {

bool LineBuffer::feed(std::string_view bytes, std::vector<std::string>& lines) {
  while (!spoiled_) {
    const std::size_t end = bytes.find('\n');
    half_.append(bytes.substr(0, end));
    spoiled_ = half_.size() > limit_;
    if (spoiled_ || end == std::string_view::npos) break;
    lines.push_back(std::exchange(half_, {}));
    bytes.remove_prefix(end + 1);
  }
  if (spoiled_) half_ = {};
  return !spoiled_;
}

}  // namespace tacho

#include "tracing/report/short_name.h"

#include <array>

namespace tacho {
namespace {

constexpr std::array<std::string_view, 6> kNoise = {
    "void ", "(anonymous namespace)::", "<unnamed>::", "at::native::", "at::cuda::", "cutlass::"};

// Index of the parameter list: the first parenthesis outside of templates. The name may be cut off.
std::size_t end_of_name(std::string_view name) {
  int depth = 0;
  for (std::size_t i = 0; i < name.size(); ++i) {
    if (name[i] == '<') ++depth;
    if (name[i] == '>') --depth;
    if (name[i] == '(' && depth == 0) return i;
  }
  return name.size();
}

}  // namespace

std::string short_kernel_name(std::string_view name) {
  std::string text(name);
  for (const std::string_view noise : kNoise) {
    for (std::size_t at = text.find(noise); at != std::string::npos; at = text.find(noise, at)) {
      text.erase(at, noise.size());
    }
  }
  const std::size_t end = end_of_name(text);
  if (end > 0) text.erase(end);
  return text;
}

}  // namespace tacho

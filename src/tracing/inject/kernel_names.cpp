#include "tracing/inject/kernel_names.h"

#include <cxxabi.h>

#include <cstdlib>
#include <memory>

namespace tacho {
namespace {

struct Free {
  void operator()(char* text) const { std::free(text); }  // NOLINT: the demangler's malloc
};

}  // namespace

std::string_view cut_text(std::string_view text, std::size_t limit) {
  if (text.size() <= limit) return text;
  while (limit > 0 && (static_cast<unsigned char>(text[limit]) & 0xC0) == 0x80) --limit;
  return text.substr(0, limit);
}

std::string demangled_kernel_name(const char* mangled) {
  int status = 0;
  const std::unique_ptr<char, Free> plain(abi::__cxa_demangle(mangled, nullptr, nullptr, &status));
  return std::string(cut_text(status == 0 && plain ? plain.get() : mangled, kMaxName));
}

std::uint32_t KernelNames::find(const char* mangled) {
  if (mangled == nullptr) mangled = "(no name)";
  const std::string_view key = mangled;
  if (const auto found = known_.find(key); found != known_.end()) return found->second;
  const std::uint32_t number = encoder_.name(demangled_kernel_name(mangled));
  known_.emplace(key, number);
  return number;
}

}  // namespace tacho

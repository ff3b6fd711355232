#pragma once

#include <string>
#include <string_view>

namespace tacho {

// A kernel's name without what every name has: the return type, torch's namespaces, the list of
// parameters. "void at::native::foo<4, X>(int, X)" becomes "foo<4, X>".
std::string short_kernel_name(std::string_view name);

}  // namespace tacho

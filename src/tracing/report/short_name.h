#pragma once

#include <string>
#include <string_view>

namespace tacho {

// Removes the return type, torch's namespaces and the parameter list from a kernel's name:
// "void at::native::foo<4, X>(int, X)" becomes "foo<4, X>".
std::string short_kernel_name(std::string_view name);

}  // namespace tacho

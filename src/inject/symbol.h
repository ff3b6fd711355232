#pragma once

#include <dlfcn.h>

namespace tacho {

// The library's function of that name, or null and false.
template <class Function>
bool find_symbol(void* library, const char* name, Function& function) {
  function = reinterpret_cast<Function>(::dlsym(library, name));
  return function != nullptr;
}

}  // namespace tacho

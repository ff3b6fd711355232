#pragma once

#include <dlfcn.h>

namespace tacho {

// Sets `function` to the library's symbol of that name. Returns false and sets null if missing.
template <class Function>
bool find_symbol(void* library, const char* name, Function& function) {
  function = reinterpret_cast<Function>(::dlsym(library, name));
  return function != nullptr;
}

}  // namespace tacho

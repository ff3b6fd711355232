#pragma once

#include <string>

namespace tacho {

// The models and what each is, for the end of a command's help.
std::string model_list();

}  // namespace tacho

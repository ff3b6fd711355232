#pragma once

#include <string>

namespace tacho {

// Lists the models, for the footer of a command's help.
std::string model_list();

}  // namespace tacho

#pragma once

#include <string>

namespace tacho {

// The datasets and what each is, for the end of a command's help.
std::string dataset_list();

}  // namespace tacho

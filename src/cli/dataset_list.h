#pragma once

#include <string>

namespace tacho {

// Lists the datasets, for the footer of a command's help.
std::string dataset_list();

}  // namespace tacho

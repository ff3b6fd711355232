#pragma once

#include <string>

namespace tacho {

// Lists the datasets, for the footer of a command's help.
std::string dataset_list();

// Lists what `tacho data prepare` accepts for each dataset.
std::string accepted_sources();

}  // namespace tacho

#pragma once

#include <string>
#include <vector>

#include "inject/cupti_api.h"

namespace tacho {

// Where CUPTI may lie, the likeliest first. `loaded` are the paths of the libraries the process has
// loaded, `library_path` is LD_LIBRARY_PATH; `cuda_major` is the driver's, 0 if not known.
std::vector<std::string> cupti_candidates(const std::vector<std::string>& loaded,
                                          const std::string& library_path, int cuda_major);

std::vector<std::string> loaded_libraries();

// The CUPTI the process has loaded, or one found on this machine. Null functions, and what to do
// about it in `problem`, where there is none.
struct OpenedCupti {
  CuptiApi api;
  std::string path;
  std::string problem;
};
OpenedCupti open_cupti(int cuda_major);

}  // namespace tacho

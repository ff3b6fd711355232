#pragma once

#include <string>
#include <vector>

#include "tracing/inject/cupti_api.h"

namespace tacho {

// Possible paths of CUPTI, most likely first. `loaded` are the paths of the process's libraries,
// `library_path` is LD_LIBRARY_PATH; `cuda_major` is the driver's version, 0 if unknown.
std::vector<std::string> cupti_candidates(const std::vector<std::string>& loaded,
                                          const std::string& library_path, int cuda_major);

std::vector<std::string> loaded_libraries();

// The CUPTI that the process has loaded, or one found on this machine. If there is none that Tacho
// can use, `problem` says what to do.
struct OpenedCupti {
  CuptiApi api;
  std::string path;
  std::string problem;
};
OpenedCupti open_cupti(int cuda_major);

}  // namespace tacho

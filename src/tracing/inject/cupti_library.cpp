#include "tracing/inject/cupti_library.h"

#include <dlfcn.h>
#include <glob.h>
#include <link.h>

#include <algorithm>
#include <cstdlib>
#include <string_view>

#include "tracing/inject/symbol.h"

namespace tacho {
namespace {

using std::string_literals::operator""s;

constexpr std::string_view kMissing =
    "no libcupti.so.12 or libcupti.so.13 was found next to the program's CUDA libraries, in "
    "LD_LIBRARY_PATH or in /usr/local/cuda; install the one for your CUDA version with 'pip "
    "install nvidia-cuda-cupti' (CUDA 13), 'pip install nvidia-cuda-cupti-cu12' (CUDA 12) or, from "
    "NVIDIA's repository, 'apt install cuda-cupti-13-0', or add its folder to LD_LIBRARY_PATH";

std::vector<std::string> sonames(int cuda_major) {
  if (cuda_major == 12) return {"libcupti.so.12", "libcupti.so.13"};
  return {"libcupti.so.13", "libcupti.so.12"};
}

std::string folder_of(const std::string& path) { return path.substr(0, path.rfind('/')); }

bool is_cuda_library(const std::string& path) {
  const std::string name = path.substr(path.rfind('/') + 1);
  return name.starts_with("libcudart") || name.starts_with("libcublas") ||
         name.starts_with("libcudnn") || name.starts_with("libnvrtc") ||
         name.starts_with("libnccl") || name.starts_with("libcufft") ||
         name.starts_with("libcusparse");
}

void append_once(std::vector<std::string>& list, std::string item) {
  if (std::find(list.begin(), list.end(), item) == list.end()) list.push_back(std::move(item));
}

// pip installs each library of CUDA 12 into a separate folder, …/nvidia/cublas/lib, and all of
// CUDA 13 into one, …/nvidia/cu13/lib.
void append_pip_folders(std::vector<std::string>& folders, const std::string& near) {
  const std::size_t at = near.rfind("/nvidia/");
  if (at == std::string::npos) return;
  const std::string root = near.substr(0, at) + "/nvidia/";
  append_once(folders, root + "cu13/lib");
  append_once(folders, root + "cuda_cupti/lib");
}

void append_library_path(std::vector<std::string>& folders, const std::string& library_path) {
  std::size_t begin = 0;
  while (begin <= library_path.size()) {
    const std::size_t end = std::min(library_path.find(':', begin), library_path.size());
    if (end > begin) append_once(folders, library_path.substr(begin, end - begin));
    begin = end + 1;
  }
}

void append_installed(std::vector<std::string>& folders) {
  for (const char* pattern : {"/usr/local/cuda", "/usr/local/cuda-1[23]*", "/opt/cuda"}) {
    glob_t found{};
    if (::glob(pattern, 0, nullptr, &found) == 0) {
      for (std::size_t i = found.gl_pathc; i-- > 0;) {
        const std::string root = found.gl_pathv[i];
        append_once(folders, root + "/extras/CUPTI/lib64");
        append_once(folders, root + "/lib64");
        append_once(folders, root + "/lib");
      }
    }
    ::globfree(&found);
  }
}

bool find_functions(void* library, CuptiApi& api) {
  find_symbol(library, "cuptiActivitySetAttribute", api.set_attribute);
  find_symbol(library, "cuptiSetThreadIdType", api.set_thread_id_type);
  find_symbol(library, "cuptiActivityEnableRuntimeApi", api.enable_runtime_call);
  find_symbol(library, "cuptiActivityEnableDriverApi", api.enable_driver_call);
  find_symbol(library, "cuptiActivityFlushPeriod", api.flush_period);
  find_symbol(library, "InitializeInjectionNvtx2", api.initialize_nvtx);
  return find_symbol(library, "cuptiGetVersion", api.get_version) &&
         find_symbol(library, "cuptiGetTimestamp", api.get_timestamp) &&
         find_symbol(library, "cuptiActivityRegisterCallbacks", api.register_callbacks) &&
         find_symbol(library, "cuptiActivityEnable", api.enable) &&
         find_symbol(library, "cuptiActivityDisable", api.disable) &&
         find_symbol(library, "cuptiActivityGetNextRecord", api.next_record) &&
         find_symbol(library, "cuptiActivityGetNumDroppedRecords", api.dropped_records) &&
         find_symbol(library, "cuptiActivityFlushAll", api.flush_all) &&
         find_symbol(library, "cuptiGetCallbackName", api.callback_name) &&
         find_symbol(library, "cuptiGetResultString", api.result_text);
}

}  // namespace

std::vector<std::string> loaded_libraries() {
  std::vector<std::string> paths;
  ::dl_iterate_phdr(
      [](dl_phdr_info* info, std::size_t, void* list) {
        const std::string path = info->dlpi_name == nullptr ? "" : info->dlpi_name;
        if (!path.empty()) static_cast<std::vector<std::string>*>(list)->push_back(path);
        return 0;
      },
      &paths);
  return paths;
}

std::vector<std::string> cupti_candidates(const std::vector<std::string>& loaded,
                                          const std::string& library_path, int cuda_major) {
  std::vector<std::string> folders;
  for (const std::string& path : loaded) {
    if (path.find('/') == std::string::npos || !is_cuda_library(path)) continue;
    const std::string folder = folder_of(path);
    append_once(folders, folder);
    append_once(folders, folder + "/../extras/CUPTI/lib64");
    append_pip_folders(folders, folder);
  }
  append_library_path(folders, library_path);
  append_installed(folders);

  std::vector<std::string> candidates;
  for (const std::string& soname : sonames(cuda_major)) {
    for (const std::string& folder : folders) candidates.push_back(folder + "/" + soname);
    candidates.push_back(soname);  // the loader's search path
  }
  return candidates;
}

OpenedCupti open_cupti(int cuda_major) {
  OpenedCupti opened;
  void* library = nullptr;
  // A second CUPTI in the process would record nothing, or break both.
  for (const std::string& path : loaded_libraries()) {
    if (path.find("/libcupti.so") == std::string::npos) continue;
    library = ::dlopen(path.c_str(), RTLD_LAZY | RTLD_NOLOAD);
    opened.path = path;
    if (library != nullptr) break;
  }
  if (library == nullptr) {
    const char* library_path = std::getenv("LD_LIBRARY_PATH");
    for (const std::string& path : cupti_candidates(
             loaded_libraries(), library_path == nullptr ? "" : library_path, cuda_major)) {
      library = ::dlopen(path.c_str(), RTLD_LAZY);
      opened.path = path;
      if (library != nullptr) break;
    }
  }
  if (library == nullptr) {
    opened.problem = kMissing;
  } else if (!find_functions(library, opened.api)) {
    opened.problem = opened.path + " is not a CUPTI of CUDA 12 or 13: functions are missing; "s +
                     "install the nvidia-cuda-cupti for your CUDA version";
  }
  return opened;
}

}  // namespace tacho

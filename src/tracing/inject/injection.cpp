// Entry points that the CUDA driver and NVTX call in every traced process. CUDA_INJECTION64_PATH
// and NVTX_INJECTION64_PATH name this library, TACHO_TRACE_FOLDER the folder of the trace. Nothing
// here may break the program or print; errors go to a problem file.

#include <pthread.h>

#include <atomic>
#include <cstdlib>
#include <exception>
#include <string>

#include "tracing/inject/cupti_library.h"
#include "tracing/inject/gpu_facts.h"
#include "tracing/inject/trace_output.h"
#include "tracing/inject/tracer.h"

namespace tacho {
namespace {

// One per process, because the callbacks of CUPTI, fork and exit have no context argument. Never
// deleted, because CUPTI's threads may call it until the process ends.
Tracer* the_tracer = nullptr;
// NVTX may be initialised before or after CUDA.
std::atomic<bool> nvtx_is_used = false;

void request_buffer(std::uint8_t** buffer, std::size_t* size, std::size_t* max_records) {
  the_tracer->request_buffer(buffer, size, max_records);
}

void complete_buffer(void*, std::uint32_t, std::uint8_t* buffer, std::size_t, std::size_t valid) {
  the_tracer->complete_buffer(buffer, valid);
}

void begin_tracing(const std::string& folder) {
  const DriverApi driver = loaded_driver();
  const OpenedCupti cupti = open_cupti(static_cast<int>(driver_version(driver) / 1000));
  if (!cupti.problem.empty()) {
    write_problem(folder, cupti.problem);
    return;
  }
  the_tracer = new Tracer(cupti.api, driver, folder);  // NOLINT: never deleted, see above
  const std::string problem = the_tracer->start(request_buffer, complete_buffer);
  if (!problem.empty()) {
    write_problem(folder, problem);
    return;
  }
  if (nvtx_is_used) the_tracer->trace_ranges();
  ::pthread_atfork(nullptr, nullptr, [] { the_tracer->forget(); });
  std::atexit([] { the_tracer->finish(); });
}

}  // namespace
}  // namespace tacho

extern "C" __attribute__((visibility("default"))) int InitializeInjection() {
  const char* folder = std::getenv("TACHO_TRACE_FOLDER");
  if (folder == nullptr || *folder == '\0' || tacho::the_tracer != nullptr) return 1;
  try {
    tacho::begin_tracing(folder);
  } catch (const std::exception& problem) {
    tacho::write_problem(folder, std::string("tracing did not start: ") + problem.what());
  }
  return 1;
}

// Passes NVTX's initialisation on to CUPTI, which turns ranges into activity records.
extern "C" __attribute__((visibility("default"))) int InitializeInjectionNvtx2(
    void* get_export_table) {
  try {
    const tacho::DriverApi driver = tacho::loaded_driver();
    const tacho::OpenedCupti cupti =
        tacho::open_cupti(static_cast<int>(tacho::driver_version(driver) / 1000));
    if (cupti.api.initialize_nvtx == nullptr) return 0;
    tacho::nvtx_is_used = true;
    if (tacho::the_tracer != nullptr) tacho::the_tracer->trace_ranges();
    return cupti.api.initialize_nvtx(get_export_table);
  } catch (const std::exception&) {
    return 0;
  }
}

#include "training/train/idle_team.h"

#include <ATen/Parallel.h>
#include <dlfcn.h>

#include <algorithm>
#include <cstdlib>
#include <system_error>

namespace tacho {

std::unique_ptr<IdleTeam> IdleTeam::start() {
  if (std::getenv("OMP_WAIT_POLICY") != nullptr || std::getenv("GOMP_SPINCOUNT") != nullptr) {
    return nullptr;
  }
  // The function that a compiler calls for "#pragma omp parallel". LLVM's and Intel's libraries
  // have it too, but wait differently.
  const auto parallel = reinterpret_cast<Parallel>(::dlsym(RTLD_DEFAULT, "GOMP_parallel"));
  if (parallel == nullptr || ::dlsym(RTLD_DEFAULT, "kmp_set_blocktime") != nullptr) return nullptr;
  const auto processors = reinterpret_cast<int (*)()>(::dlsym(RTLD_DEFAULT, "omp_get_num_procs"));
  if (processors == nullptr) return nullptr;
  // Together with torch's threads one more than there are processors. No more than necessary: if a
  // thread cannot be created, the library ends the process.
  const int threads = std::max(2, processors() - at::get_num_threads() + 2);
  try {
    return std::unique_ptr<IdleTeam>(new IdleTeam(parallel, static_cast<unsigned>(threads)));
  } catch (const std::system_error&) {
    return nullptr;  // the system's limit on threads is reached
  }
}

IdleTeam::IdleTeam(Parallel parallel, unsigned threads) {
  leader_ = std::jthread([this, parallel, threads] {
    parallel([](void* team) { static_cast<IdleTeam*>(team)->sleep(); }, this, threads, 0);
  });
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [this] { return asleep_ > 0; });
}

IdleTeam::~IdleTeam() {
  {
    const std::lock_guard lock(mutex_);
    over_ = true;
  }
  changed_.notify_all();
}

void IdleTeam::sleep() {
  std::unique_lock lock(mutex_);
  ++asleep_;
  changed_.notify_all();
  changed_.wait(lock, [this] { return over_; });
}

}  // namespace tacho

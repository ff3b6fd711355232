#include "inject/tracer.h"

#include <pthread.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <csignal>
#include <exception>
#include <thread>
#include <utility>

#include "inject/process_facts.h"

namespace tacho {
namespace {

using Clock = std::chrono::steady_clock;

constexpr auto kFlushInterval = std::chrono::milliseconds(500);
constexpr auto kPatienceAtExit = std::chrono::seconds(20);
constexpr std::size_t kChunkSize = std::size_t{256} << 10;
constexpr std::uint32_t kOldestCupti = 19;  // CUDA 12.0

constexpr std::array kActivities = {ActivityKind::concurrent_kernel,
                                    ActivityKind::copy,
                                    ActivityKind::peer_copy,
                                    ActivityKind::set,
                                    ActivityKind::sync,
                                    ActivityKind::marker};

// Signals are the program's: none of its handlers may run on our thread.
class SignalsBlocked {
 public:
  SignalsBlocked() {
    sigset_t all;
    ::sigfillset(&all);
    ::pthread_sigmask(SIG_SETMASK, &all, &before_);
  }
  ~SignalsBlocked() { ::pthread_sigmask(SIG_SETMASK, &before_, nullptr); }
  SignalsBlocked(const SignalsBlocked&) = delete;
  SignalsBlocked& operator=(const SignalsBlocked&) = delete;

 private:
  sigset_t before_{};
};

const char* advice_for(CuptiResult result) {
  switch (result) {
    case kCuptiInsufficientPrivileges:
    case kCuptiVirtualDeviceInsufficientPrivileges:
      return "the driver lets only administrators trace: run as root (in a container with "
             "--cap-add=SYS_ADMIN), or load the nvidia module with "
             "NVreg_RestrictProfilingToAdminUsers=0";
    case kCuptiMultipleSubscribers:
    case kCuptiOldProfilerActive:
      return "another profiler is active in this process: run without it";
    case kCuptiNotCompatible:
      return "this CUPTI does not fit the driver: install the nvidia-cuda-cupti of the CUDA "
             "version that nvidia-smi shows";
    default:
      return "run without --trace, or tell the developers of Tacho";
  }
}

}  // namespace

Tracer::Tracer(const CuptiApi& api, const DriverApi& driver, std::string folder)
    : api_(api), driver_(driver), folder_(std::move(folder)), process_(::getpid()) {}

std::string Tracer::start(RequestBuffer request, CompleteBuffer complete) {
  std::uint32_t version = 0;
  if (api_.get_version(&version) != kCuptiSuccess || version < kOldestCupti) {
    return "this CUPTI (version " + std::to_string(version) +
           ") is older than CUDA 12.0, which Tacho cannot trace; use a program built with CUDA 12 "
           "or later";
  }
  if (std::string problem = output_.open(folder_); !problem.empty()) return problem;
  if (std::string problem = output_.write(GpuTraceEncoder::header()); !problem.empty()) {
    return problem;
  }
  const std::string program = command_line_of_this_process();
  encoder_ = std::make_unique<GpuTraceEncoder>(
      TracedProcess{.process = static_cast<std::uint32_t>(process_),
                    .program = program,
                    .cupti_version = version,
                    .driver_version = driver_version(driver_),
                    .to_unix_ns = cupti_to_unix_ns(api_)});
  activities_ = std::make_unique<ActivityEncoder>(
      api_, *encoder_, [this](std::uint32_t index) { return describe_gpu(driver_, index); });
  write_chunk();

  std::uint8_t zeroed = 1;
  std::size_t size = sizeof zeroed;
  if (api_.set_attribute != nullptr) {
    api_.set_attribute(kAttributeZeroedBuffers, &size, &zeroed);
  }
  if (api_.set_thread_id_type != nullptr) api_.set_thread_id_type(kSystemThreadIds);
  active_ = true;
  if (const CuptiResult result = api_.register_callbacks(request, complete);
      result != kCuptiSuccess) {
    active_ = false;
    return refusal("register", result);
  }
  if (std::string problem = enable_activities(); !problem.empty()) {
    active_ = false;
    return problem;
  }
  return start_thread();
}

std::string Tracer::enable_activities() {
  for (const ActivityKind kind : kActivities) {
    const CuptiResult result = api_.enable(static_cast<std::uint32_t>(kind));
    if (result != kCuptiSuccess) return refusal("trace", result);
  }
  for (const CallDomain domain : {CallDomain::runtime, CallDomain::driver}) {
    const CuptiResult result = enable_calls(api_, domain);
    if (result != kCuptiSuccess) return refusal("trace calls", result);
  }
  // A question whether an event has happened is a record only if the answer was yes.
  if (api_.enable_all_sync_records != nullptr) api_.enable_all_sync_records(0);
  return "";
}

std::string Tracer::start_thread() {
  const SignalsBlocked blocked;
  try {
    std::thread thread([this] { run(); });
    thread.detach();  // finish() waits for it; a program that ends otherwise does not
  } catch (const std::exception& problem) {
    active_ = false;
    return std::string("no thread could be started: ") + problem.what();
  }
  return "";
}

void Tracer::request_buffer(std::uint8_t** buffer, std::size_t* size, std::size_t* max_records) {
  *max_records = 0;
  *buffer = active_ ? buffers_.take_empty() : nullptr;
  *size = *buffer == nullptr ? 0 : BufferPool::kBufferSize;
}

void Tracer::complete_buffer(std::uint8_t* buffer, std::size_t valid_size) {
  if (active_ && buffer != nullptr) buffers_.put_filled({buffer, valid_size});
}

void Tracer::run() noexcept {
  ::pthread_setname_np(::pthread_self(), "tacho-trace");
  try {
    run_until_stopped();
  } catch (const std::exception& problem) {
    give_up(std::string("tracing stopped: ") + problem.what());
  }
  const std::lock_guard lock(mutex_);
  ended_ = true;
  ended_changed_.notify_all();
}

void Tracer::run_until_stopped() {
  auto next_flush = Clock::now() + kFlushInterval;
  while (active_ && !stopping_) {
    if (auto filled = buffers_.take_filled(next_flush)) {
      encode(*filled);
    }
    if (Clock::now() >= next_flush) {
      api_.flush_all(kFlushComplete);
      drain();
      note_dropped();
      write_chunk();
      next_flush = Clock::now() + kFlushInterval;
    }
  }
  if (!active_) return;
  drain();
  note_dropped();
  encoder_->add_end();
  write_chunk();
}

void Tracer::drain() {
  while (active_) {
    const auto filled = buffers_.take_filled(Clock::now());
    if (!filled) return;
    encode(*filled);
  }
}

void Tracer::encode(BufferPool::Filled filled) {
  const bool understood = activities_->encode_buffer(filled.bytes, filled.valid_size);
  buffers_.put_empty(filled.bytes);
  if (!understood) {
    give_up(
        "this release of CUPTI writes its records in a way that this Tacho does not know; update "
        "Tacho, or use the CUPTI of CUDA 12.0 to 13.0");
  } else if (encoder_->pending_bytes() >= kChunkSize) {
    write_chunk();
  }
}

void Tracer::note_dropped() {
  std::size_t dropped = 0;
  if (api_.dropped_records(nullptr, 0, &dropped) == kCuptiSuccess && dropped > 0) {
    encoder_->add_dropped(dropped);
  }
}

void Tracer::write_chunk() {
  const std::string problem = output_.write(encoder_->take_chunk());
  if (!problem.empty()) give_up("the trace ends early: " + problem);
}

void Tracer::give_up(const std::string& why) {
  if (!active_.exchange(false)) return;
  for (const ActivityKind kind : kActivities) api_.disable(static_cast<std::uint32_t>(kind));
  api_.disable(static_cast<std::uint32_t>(ActivityKind::runtime_call));
  api_.disable(static_cast<std::uint32_t>(ActivityKind::driver_call));
  write_problem(folder_, why);
}

void Tracer::finish() {
  if (!active_ || ::getpid() != process_ || stopping_) return;
  api_.flush_all(kFlushForced);
  stopping_ = true;
  buffers_.stop_waiting();
  std::unique_lock lock(mutex_);
  ended_changed_.wait_for(lock, kPatienceAtExit, [&] { return ended_; });
}

std::string Tracer::refusal(const std::string& doing, CuptiResult result) const {
  const char* text = nullptr;
  api_.result_text(result, &text);
  return "CUPTI refused to " + doing + " (" + (text == nullptr ? "?" : text) + ", " +
         std::to_string(result) + "): " + advice_for(result);
}

}  // namespace tacho

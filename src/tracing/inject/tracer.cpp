#include "tracing/inject/tracer.h"

#include <pthread.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <exception>
#include <thread>
#include <utility>

#include "base/signals.h"
#include "tracing/inject/cupti_setup.h"
#include "tracing/inject/process_facts.h"

namespace tacho {
namespace {

using Clock = std::chrono::steady_clock;

constexpr auto kFlushInterval = std::chrono::milliseconds(500);
constexpr auto kPatienceAtExit = std::chrono::seconds(20);
// A buffer is sized for the records of half an interval, at the rate of the previous interval.
constexpr std::size_t kFewestRecords = 256;
constexpr std::size_t kIntervalsToBuffers = 2;
// A burst, as at the start of a program, would use up all buffers if each held few records, and
// lose records. Buffers beyond this number are filled completely.
constexpr std::size_t kMostShortBuffers = 16;
constexpr std::size_t kNoLimit = 0;  // CUPTI's value for it
constexpr std::size_t kChunkSize = std::size_t{256} << 10;

}  // namespace

Tracer::Tracer(const CuptiApi& api, const DriverApi& driver, std::string folder)
    : api_(api),
      driver_(driver),
      folder_(std::move(folder)),
      process_(::getpid()),
      records_per_buffer_(kFewestRecords) {}

std::string Tracer::start(RequestBuffer request, CompleteBuffer complete) {
  if (std::string problem = open_trace(); !problem.empty()) return problem;
  active_ = true;  // CUPTI may ask for buffers from now on
  std::string problem = begin_activities(api_, request, complete);
  if (problem.empty()) problem = start_thread();
  if (!problem.empty()) {
    active_ = false;
    output_.discard();
  }
  return problem;
}

std::string Tracer::open_trace() {
  std::uint32_t version = 0;
  api_.get_version(&version);
  if (std::string problem = version_problem(version); !problem.empty()) return problem;
  if (std::string problem = output_.open(folder_); !problem.empty()) return problem;
  const std::string program = command_line_of_this_process();
  encoder_ = std::make_unique<GpuTraceEncoder>(
      TracedProcess{.process = static_cast<std::uint32_t>(process_),
                    .program = program,
                    .cupti_version = version,
                    .driver_version = driver_version(driver_),
                    .to_unix_ns = cupti_to_unix_ns(api_)});
  activities_ = std::make_unique<ActivityEncoder>(
      api_, *encoder_, [this](std::uint32_t index) { return describe_gpu(driver_, index); });
  return output_.write(GpuTraceEncoder::header() + encoder_->take_chunk());
}

std::string Tracer::start_thread() {
  const SignalsBlocked blocked;
  try {
    std::thread thread([this] { run(); });
    thread.detach();  // finish() waits for it
  } catch (const std::exception& problem) {
    end_activities(api_);
    return std::string("cannot start a thread: ") + problem.what();
  }
  return "";
}

void Tracer::trace_ranges() {
  if (active_) api_.enable(static_cast<std::uint32_t>(ActivityKind::marker));
}

void Tracer::request_buffer(std::uint8_t** buffer, std::size_t* size, std::size_t* max_records) {
  *max_records = buffers_.in_use() < kMostShortBuffers ? records_per_buffer_.load() : kNoLimit;
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
    give_up(std::string("the trace ends early: ") + problem.what());
  }
  const std::lock_guard lock(mutex_);
  ended_ = true;
  ended_changed_.notify_all();
}

void Tracer::run_until_stopped() {
  auto next_flush = Clock::now() + kFlushInterval;
  while (active_ && !stopping_) {
    if (const auto filled = buffers_.take_filled(next_flush)) encode(*filled);
    if (Clock::now() < next_flush || stopping_) continue;
    api_.flush_all(kFlushComplete);
    drain();
    adapt_buffers();
    note_dropped();
    write_pending();
    next_flush = Clock::now() + kFlushInterval;
  }
  drain();
  if (!active_) return;
  note_dropped();
  encoder_->add_end();
  write_pending();
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
  buffers_.put_empty(filled);
  if (!understood) {
    give_up(
        "this release of CUPTI has a record layout that this Tacho does not know; update Tacho, or "
        "use the CUPTI of CUDA 12.0 to 13.0");
  } else if (encoder_->pending_bytes() >= kChunkSize) {
    write_pending();
  }
}

void Tracer::adapt_buffers() {
  const std::uint64_t records = activities_->records();
  records_per_buffer_ = std::max<std::size_t>(
      kFewestRecords, (records - std::exchange(records_seen_, records)) / kIntervalsToBuffers);
}

void Tracer::note_dropped() {
  std::size_t dropped = 0;
  if (api_.dropped_records(nullptr, 0, &dropped) == kCuptiSuccess && dropped > 0) {
    encoder_->add_dropped(dropped);
  }
}

void Tracer::write_pending() {
  const std::string problem = output_.write(encoder_->take_chunk());
  if (!problem.empty()) give_up("the trace ends early: " + problem);
}

void Tracer::give_up(const std::string& why) {
  if (!active_.exchange(false)) return;
  end_activities(api_);
  write_problem(folder_, why);
}

void Tracer::finish() {
  if (!active_ || ::getpid() != process_ || stopping_) return;
  api_.flush_all(kFlushForced);
  stopping_ = true;
  buffers_.stop_waiting();
  std::unique_lock lock(mutex_);
  ended_changed_.wait_for(lock, kPatienceAtExit, [&] { return ended_; });
  active_ = false;
}

}  // namespace tacho

#pragma once

#include <sys/types.h>

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>

#include "tracing/inject/activity_encoder.h"
#include "tracing/inject/buffer_pool.h"
#include "tracing/inject/cupti_api.h"
#include "tracing/inject/gpu_facts.h"
#include "tracing/inject/trace_output.h"
#include "tracing/tracefile/gpu_trace_encoder.h"

namespace tacho {

// Traces its process from start() to finish(). A background thread writes the buffers that CUPTI
// fills and flushes CUPTI every half second, so a killed process loses about the last second. Any
// error ends the tracing and writes a problem file; the program continues.
class Tracer {
 public:
  Tracer(const CuptiApi& api, const DriverApi& driver, std::string folder);

  // Returns "" or the reason for a failure. `request` and `complete` must call this object's
  // request_buffer() and complete_buffer().
  std::string start(RequestBuffer request, CompleteBuffer complete);

  // Traces NVTX ranges from now on. Separate, so that programs without NVTX do not pay for it.
  void trace_ranges();

  // CUPTI calls these on any thread.
  void request_buffer(std::uint8_t** buffer, std::size_t* size, std::size_t* max_records);
  void complete_buffer(std::uint8_t* buffer, std::size_t valid_size);

  // Writes the remaining records and the end mark. Does nothing in a forked child.
  void finish();
  // For a child after fork, which has no tracer thread and must not write to the parent's file.
  void forget() { active_ = false; }

 private:
  std::string open_trace();
  std::string start_thread();
  void run() noexcept;
  void run_until_stopped();
  void drain();
  void encode(BufferPool::Filled filled);
  void adapt_buffers();
  void note_dropped();
  void write_pending();
  void give_up(const std::string& why);

  const CuptiApi api_;
  const DriverApi driver_;
  const std::string folder_;
  const pid_t process_;
  std::atomic<bool> active_ = false;
  std::atomic<bool> stopping_ = false;

  BufferPool buffers_;
  // CUPTI keeps a buffer until it is full and all its records are complete. This limit makes
  // buffers of a program with few kernels full sooner, so that it loses little if it is killed.
  std::atomic<std::size_t> records_per_buffer_;
  std::uint64_t records_seen_ = 0;
  TraceOutput output_;
  // Used only by the background thread once it runs.
  std::unique_ptr<GpuTraceEncoder> encoder_;
  std::unique_ptr<ActivityEncoder> activities_;

  std::mutex mutex_;
  std::condition_variable ended_changed_;
  bool ended_ = false;
};

}  // namespace tacho

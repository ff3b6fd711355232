#pragma once

#include <sys/types.h>

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>

#include "inject/activity_encoder.h"
#include "inject/buffer_pool.h"
#include "inject/cupti_api.h"
#include "inject/gpu_facts.h"
#include "inject/trace_output.h"
#include "tracefile/gpu_trace_encoder.h"

namespace tacho {

// Traces the process it lives in, from start() to finish(). A thread of its own writes what CUPTI
// fills and asks it every half second for what is complete, so a process that is killed loses about
// the last second. Whatever goes wrong ends the tracing, leaves a problem file and lets the program
// run on.
class Tracer {
 public:
  Tracer(const CuptiApi& api, const DriverApi& driver, std::string folder);

  // "" or why not. `request` and `complete` are C functions that call this object's.
  std::string start(RequestBuffer request, CompleteBuffer complete);

  // From now on NVTX's ranges are traced too. Apart, because a program without any need not pay.
  void trace_ranges();

  // CUPTI calls these on any thread.
  void request_buffer(std::uint8_t** buffer, std::size_t* size, std::size_t* max_records);
  void complete_buffer(std::uint8_t* buffer, std::size_t valid_size);

  // Writes what is still to come and the end mark. Does nothing in a process forked off this one.
  void finish();
  // In a child after fork: the thread is not there, and the file is the parent's.
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
  // CUPTI keeps a buffer until it is full and every record in it complete. So that a program with
  // few kernels loses no more than a busy one when it is killed, a buffer is full after this many.
  std::atomic<std::size_t> records_a_buffer_;
  std::uint64_t records_seen_ = 0;
  TraceOutput output_;
  // The thread's own once it runs.
  std::unique_ptr<GpuTraceEncoder> encoder_;
  std::unique_ptr<ActivityEncoder> activities_;

  std::mutex mutex_;
  std::condition_variable ended_changed_;
  bool ended_ = false;
};

}  // namespace tacho

#pragma once

#include <atomic>
#include <boost/asio/io_context.hpp>
#include <boost/asio/thread_pool.hpp>
#include <cstdint>
#include <list>

#include "http/message.h"
#include "http/server.h"

namespace tacho::http {

class Connection;

// What all connections share. All but the counters and `workers` belongs to the thread that runs
// `io`.
struct Hub {
  Hub(const Limits& the_limits, Handler the_handler, LaterHandler the_later, int worker_count)
      : limits(the_limits),
        handler(std::move(the_handler)),
        later(std::move(the_later)),
        workers(static_cast<std::size_t>(worker_count)) {}

  const Limits limits;
  const Handler handler;
  const LaterHandler later;  // instead of `handler`, where there is one
  std::list<Connection*> all;
  std::list<Connection*> waiting;  // for a whole request; the longest first
  bool stopping = false;

  std::atomic<std::uint64_t> open = 0;
  std::atomic<std::uint64_t> accepted = 0;
  std::atomic<std::uint64_t> evicted = 0;
  std::atomic<std::uint64_t> malformed = 0;
  std::atomic<std::uint64_t> timed_out = 0;
  std::atomic<std::uint64_t> streams = 0;
  std::atomic<std::uint64_t> requests = 0;  // being answered

  // Last, so that what is left in their queues goes while the lists above are still there.
  boost::asio::io_context io{1};
  boost::asio::thread_pool workers;
};

}  // namespace tacho::http

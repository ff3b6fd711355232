#pragma once

#include <atomic>
#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/thread_pool.hpp>
#include <cstdint>
#include <list>

#include "serving/http/body_budget.h"
#include "serving/http/message.h"
#include "serving/http/server.h"

namespace tacho::http {

class Connection;

// State shared by all connections. All but the counters and `workers` belongs to the thread that
// runs `io`.
struct Hub {
  Hub(const ServerOptions& options, AsyncHandler the_handler, bool calls_on_workers)
      : limits(options.limits),
        screen(options.screen),
        watch_clients(options.watch_clients),
        handler(std::move(the_handler)),
        on_workers(calls_on_workers),
        bodies(options.limits.all_bodies_bytes),
        workers(static_cast<std::size_t>(options.workers)) {}

  const Limits limits;
  const Screen screen;
  const bool watch_clients;
  const AsyncHandler handler;
  const bool on_workers;  // false: handlers run on the thread that runs `io`
  std::list<Connection*> all;
  std::list<Connection*> waiting;  // for a complete request; longest first
  bool stopping = false;
  BodyBudget bodies;

  std::atomic<std::uint64_t> open = 0;
  std::atomic<std::uint64_t> accepted = 0;
  std::atomic<std::uint64_t> evicted = 0;
  std::atomic<std::uint64_t> malformed = 0;
  std::atomic<std::uint64_t> timed_out = 0;
  std::atomic<std::uint64_t> streams = 0;
  std::atomic<std::uint64_t> requests = 0;  // being answered

  // Last, so that their queues are destroyed while the lists above still exist.
  boost::asio::io_context io{1};
  boost::asio::thread_pool workers;
  boost::asio::steady_timer trim{io};  // until memory is returned to the system
};

}  // namespace tacho::http

#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>

#include "base/result.h"
#include "serving/http/message.h"

namespace boost::asio {
class io_context;
}

namespace tacho::http {

// Limits per server, so that a few clients cannot use up its resources.
struct Limits {
  std::size_t header_bytes = 16 << 10;
  std::size_t body_bytes = 1 << 20;
  std::size_t all_bodies_bytes = 128 << 20;  // of all requests being read or answered
  std::size_t connections = 1024;
  std::size_t requests = 256;                 // being answered or queued
  std::size_t streams = 256;                  // sources being sent
  std::chrono::milliseconds idle{60'000};     // between two requests
  std::chrono::milliseconds request{15'000};  // from a request's first byte to its last
  std::chrono::milliseconds send{30'000};     // for an answer, or a piece of a source
  std::chrono::milliseconds poll{200};        // between two polls of a live source
  std::chrono::milliseconds heartbeat{15'000};
  std::chrono::milliseconds grace{5'000};  // for requests being answered when the server stops
};

struct ServerOptions {
  std::string address = "127.0.0.1";  // an IP address of this machine
  std::uint16_t port = 8000;          // 0: any free port
  int workers = 4;                    // threads that run handlers
  Limits limits = {};
  // Called before a body is read, on the I/O thread: a refused request costs no memory.
  Screen screen = {};
  // Sets Request::is_gone. A client that only closes its sending side counts as disconnected.
  bool watch_clients = false;
};

struct ServerCounts {
  std::uint64_t connections = 0;  // open now
  std::uint64_t accepted = 0;     // ever
  std::uint64_t evicted = 0;      // closed to make room for another
  std::uint64_t malformed = 0;    // requests that could not be parsed
  std::uint64_t timed_out = 0;
  std::uint64_t streams = 0;     // open now
  std::uint64_t body_bytes = 0;  // held by requests being read or answered
};

// HTTP/1.1 with keep-alive and pipelining. One thread does all I/O, `workers` threads run
// `handler`, so a handler may block.
//
// At the limit of connections, the one that has waited longest for its request is closed: idle
// clients cannot keep active ones out.
class Server {
 public:
  static Result<std::unique_ptr<Server>> start(const ServerOptions& options, Handler handler);
  // For asynchronous answers. The handler is called on a worker or, with Caller::io, on the I/O
  // thread, where it must not block. A reply may be called until the server is destroyed.
  enum class Caller { worker, io };
  static Result<std::unique_ptr<Server>> start(const ServerOptions& options, AsyncHandler handler,
                                               Caller caller = Caller::io);
  Server(const Server&) = delete;
  Server& operator=(const Server&) = delete;
  ~Server();

  [[nodiscard]] std::uint16_t port() const;
  [[nodiscard]] ServerCounts counts() const;
  // Runs on the single I/O thread; state that an asynchronous handler shares with it needs no lock.
  boost::asio::io_context& io();
  // Stops accepting connections, ends live sources, and answers within the grace period all
  // requests that have arrived, also those not yet read.
  void stop();

 private:
  class Impl;
  static Result<std::unique_ptr<Server>> start(const ServerOptions& options,
                                               std::unique_ptr<Impl> impl);
  explicit Server(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace tacho::http

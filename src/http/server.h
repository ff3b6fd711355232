#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>

#include "base/result.h"
#include "http/message.h"

namespace boost::asio {
class io_context;
}

namespace tacho::http {

// What one client may take of the server, so that others still get something.
struct Limits {
  std::size_t header_bytes = 16 << 10;
  std::size_t body_bytes = 1 << 20;
  std::size_t all_bodies_bytes = 128 << 20;  // of all requests that are read or answered
  std::size_t connections = 1024;
  std::size_t requests = 256;                 // being answered or waiting for that
  std::size_t streams = 256;                  // sources being sent
  std::chrono::milliseconds idle{60'000};     // between two requests
  std::chrono::milliseconds request{15'000};  // from a request's first byte to its last
  std::chrono::milliseconds send{30'000};     // for an answer, or a piece of a source
  std::chrono::milliseconds poll{200};        // between two looks at a live source
  std::chrono::milliseconds heartbeat{15'000};
  std::chrono::milliseconds grace{5'000};  // for requests being answered when the server stops
};

struct ServerOptions {
  std::string address = "127.0.0.1";  // of this machine, in numbers
  std::uint16_t port = 8000;          // 0: any that is free
  int workers = 4;                    // threads that run handlers
  Limits limits = {};
  // Asked before a body is read, on the thread that moves bytes: what it refuses costs no memory.
  Screen screen = {};
};

struct ServerCounts {
  std::uint64_t connections = 0;  // open now
  std::uint64_t accepted = 0;     // ever
  std::uint64_t evicted = 0;      // closed to make room for another
  std::uint64_t malformed = 0;    // requests that were none
  std::uint64_t timed_out = 0;
  std::uint64_t streams = 0;     // open now
  std::uint64_t body_bytes = 0;  // held now by the requests that are read or answered
};

// HTTP/1.1 with keep-alive and pipelining. One thread moves bytes, `workers` threads run `handler`,
// so a handler may take its time.
//
// Where there are too many connections, the one that has waited longest for its request makes
// room: clients that say nothing cannot keep out those that do.
class Server {
 public:
  static Result<std::unique_ptr<Server>> start(const ServerOptions& options, Handler handler);
  // For answers that may come later. Called on a worker, or, where `Caller` says so, on the thread
  // that moves bytes: then it must not take its time. A reply may be called until the server is
  // destroyed.
  enum class Caller { worker, io };
  static Result<std::unique_ptr<Server>> start(const ServerOptions& options, LaterHandler handler,
                                               Caller caller = Caller::io);
  Server(const Server&) = delete;
  Server& operator=(const Server&) = delete;
  // As stop().
  ~Server();

  [[nodiscard]] std::uint16_t port() const;
  [[nodiscard]] ServerCounts counts() const;
  // Run by the one thread that moves bytes; what a later handler shares with it needs no lock.
  boost::asio::io_context& io();
  // Takes no more connections, ends live sources, lets requests be answered within the grace: also
  // those that have come, but were not read yet.
  void stop();

 private:
  class Impl;
  static Result<std::unique_ptr<Server>> start(const ServerOptions& options,
                                               std::unique_ptr<Impl> impl);
  explicit Server(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace tacho::http

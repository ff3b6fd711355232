#include "serving/http/server.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/resource.h>

#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>
#include <mutex>
#include <thread>

#include "serving/http/connection.h"
#include "serving/http/hub.h"

namespace tacho::http {
namespace {

namespace asio = boost::asio;
using asio::ip::tcp;

// Each connection is an open file, and the default limit on open files is low.
void allow_open_files(std::size_t connections) {
  constexpr rlim_t kOthers = 256;
  rlimit limit{};
  if (::getrlimit(RLIMIT_NOFILE, &limit) != 0) return;
  const rlim_t wanted = std::min<rlim_t>(connections + kOthers, limit.rlim_max);
  if (limit.rlim_cur >= wanted) return;
  limit.rlim_cur = wanted;
  ::setrlimit(RLIMIT_NOFILE, &limit);
}

// Asio's sockets would stay open in child processes, which would keep the port.
void close_on_exec(int socket) { ::fcntl(socket, F_SETFD, FD_CLOEXEC); }

Error cannot_listen(const ServerOptions& options, const boost::system::error_code& failure) {
  const std::string_view fix = failure == asio::error::address_in_use
                                   ? "; another program uses it, choose another port with --port"
                               : failure == asio::error::access_denied
                                   ? "; ports below 1024 need root, choose another port with --port"
                                   : "";
  return {ErrorCode::unavailable, fmt::format("cannot listen on {} port {}: {}{}", options.address,
                                              options.port, failure.message(), fix)};
}

}  // namespace

class Server::Impl {
 public:
  Impl(const ServerOptions& options, AsyncHandler handler, Caller caller)
      : hub_(options, std::move(handler), caller == Caller::worker),
        acceptor_(hub_.io),
        pause_(hub_.io) {}

  Result<void> listen(const ServerOptions& options) {
    boost::system::error_code failure;
    const auto address = asio::ip::make_address(
        options.address == "localhost" ? "127.0.0.1" : options.address, failure);
    if (failure) {
      return Error{ErrorCode::usage,
                   fmt::format("'{}' is not an IP address; use one of this machine, "
                               "such as 127.0.0.1 or ::1",
                               options.address)};
    }
    const tcp::endpoint endpoint(address, options.port);
    acceptor_.open(endpoint.protocol(), failure);
    if (!failure) close_on_exec(acceptor_.native_handle());
    if (!failure) acceptor_.set_option(tcp::acceptor::reuse_address(true), failure);
    if (!failure) acceptor_.bind(endpoint, failure);
    if (!failure) acceptor_.listen(tcp::acceptor::max_listen_connections, failure);
    if (failure) return cannot_listen(options, failure);
    port_ = acceptor_.local_endpoint().port();
    accept();
    thread_ = std::jthread([this] { hub_.io.run(); });
    return {};
  }

  void stop() {
    const std::lock_guard lock(stopping_);
    if (!thread_.joinable()) return;
    asio::post(hub_.io, [this] { begin_stop(); });
    thread_.join();
    hub_.workers.stop();  // queued requests have no client any more
    hub_.workers.join();
  }

  asio::io_context& io() { return hub_.io; }
  [[nodiscard]] std::uint16_t port() const { return port_; }
  [[nodiscard]] ServerCounts counts() const {
    return {hub_.open,      hub_.accepted, hub_.evicted,       hub_.malformed,
            hub_.timed_out, hub_.streams,  hub_.bodies.bytes()};
  }

 private:
  void accept() {
    acceptor_.async_accept(hub_.io, [this](boost::system::error_code failure, tcp::socket socket) {
      if (hub_.stopping) return;
      if (failure) return accept_later();
      take(std::move(socket));
      accept();
    });
  }

  void take(tcp::socket socket) {
    ++hub_.accepted;
    close_on_exec(socket.native_handle());
    boost::system::error_code ignored;
    socket.set_option(tcp::no_delay(true), ignored);
    const bool room = hub_.open < hub_.limits.connections || make_room();
    if (room) std::make_shared<Connection>(std::move(socket), hub_)->begin();
  }

  // Connections that the system has already accepted would be cut off with the acceptor.
  void accept_pending() {
    boost::system::error_code failure;
    acceptor_.non_blocking(true, failure);
    while (!failure) {
      tcp::socket socket(hub_.io);
      acceptor_.accept(socket, failure);
      if (!failure) take(std::move(socket));
    }
  }

  // The system is out of files or memory: closes a connection and tries again later.
  void accept_later() {
    make_room();
    pause_.expires_after(std::chrono::milliseconds(50));
    pause_.async_wait([this](boost::system::error_code) {
      if (!hub_.stopping) accept();
    });
  }

  bool make_room() {
    ++hub_.evicted;
    if (hub_.waiting.empty()) return false;
    hub_.waiting.front()->close();
    return true;
  }

  void begin_stop() {
    accept_pending();
    hub_.stopping = true;
    boost::system::error_code ignored;
    acceptor_.close(ignored);
    const std::list<Connection*> all = hub_.all;
    for (Connection* connection : all) connection->close_soon();
    deadline_ = std::chrono::steady_clock::now() + hub_.limits.grace;
    await_end();
  }

  void await_end() {
    if (hub_.open == 0 || std::chrono::steady_clock::now() > deadline_) return hub_.io.stop();
    pause_.expires_after(std::chrono::milliseconds(10));
    pause_.async_wait([this](boost::system::error_code) { await_end(); });
  }

  Hub hub_;
  tcp::acceptor acceptor_;
  asio::steady_timer pause_;
  std::chrono::steady_clock::time_point deadline_;
  std::uint16_t port_ = 0;
  std::mutex stopping_;
  std::jthread thread_;
};

Server::Server(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Server::~Server() { stop(); }
std::uint16_t Server::port() const { return impl_->port(); }
ServerCounts Server::counts() const { return impl_->counts(); }
void Server::stop() { impl_->stop(); }
asio::io_context& Server::io() { return impl_->io(); }

Result<std::unique_ptr<Server>> Server::start(const ServerOptions& options,
                                              std::unique_ptr<Impl> impl) {
  allow_open_files(options.limits.connections);
  TACHO_CHECK(impl->listen(options));
  return std::unique_ptr<Server>(new Server(std::move(impl)));
}

Result<std::unique_ptr<Server>> Server::start(const ServerOptions& options, Handler handler) {
  auto at_once = [handler = std::move(handler)](const Request& request, const Reply& reply) {
    reply(handler(request));
  };
  return start(options, std::move(at_once), Caller::worker);
}

Result<std::unique_ptr<Server>> Server::start(const ServerOptions& options, AsyncHandler handler,
                                              Caller caller) {
  return start(options, std::make_unique<Impl>(options, std::move(handler), caller));
}

}  // namespace tacho::http

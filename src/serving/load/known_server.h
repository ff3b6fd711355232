#pragma once

#include <atomic>
#include <boost/asio.hpp>
#include <boost/beast/core.hpp>
#include <boost/beast/http.hpp>
#include <functional>
#include <memory>
#include <string>
#include <thread>

#include "serving/load/client.h"

namespace tacho::load {

// An HTTP server for tests whose answers take exactly the given time, any number of them
// concurrently.
class KnownServer {
 public:
  struct Reply {
    std::chrono::nanoseconds after{};
    int status = 200;
    std::string body = "{}";
    bool close = false;    // closes the connection after the answer
    bool vanish = false;   // closes the connection instead of answering
    bool endless = false;  // no length: closing the connection ends the answer
  };
  // Called for every request, in order, with its number, from 0, and its body.
  using Script = std::function<Reply(std::size_t number, const std::string& body)>;

  explicit KnownServer(Script script)
      : script_(std::move(script)), acceptor_(io_, {boost::asio::ip::address_v4::loopback(), 0}) {
    accept();
    thread_ = std::jthread([this] { io_.run(); });
  }
  ~KnownServer() {
    io_.stop();
    thread_.join();
  }
  KnownServer(const KnownServer&) = delete;
  KnownServer& operator=(const KnownServer&) = delete;

  [[nodiscard]] std::uint16_t port() const { return acceptor_.local_endpoint().port(); }
  [[nodiscard]] std::size_t requests() const { return requests_; }
  [[nodiscard]] std::size_t accepted() const { return accepted_; }
  [[nodiscard]] Target target() const { return {.host = "127.0.0.1", .port = port(), .path = "/"}; }

 private:
  struct Session : std::enable_shared_from_this<Session> {
    Session(boost::asio::ip::tcp::socket socket, KnownServer& server)
        : stream(std::move(socket)), timer(stream.get_executor()), owner(server) {}

    void read() {
      request = {};
      boost::beast::http::async_read(
          stream, buffer, request,
          [self = shared_from_this()](boost::system::error_code error, std::size_t) {
            if (!error) self->answer();
          });
    }
    void answer() {
      reply = owner.script_(owner.requests_++, request.body());
      if (reply.vanish) return stream.close();
      timer.expires_after(reply.after);
      timer.async_wait([self = shared_from_this()](boost::system::error_code) { self->write(); });
    }
    void write() {
      response = {};
      response.result(static_cast<unsigned>(reply.status));
      response.body() = reply.body;
      response.keep_alive(!reply.close);
      if (!reply.endless) response.prepare_payload();
      boost::beast::http::async_write(
          stream, response,
          [self = shared_from_this()](boost::system::error_code error, std::size_t) {
            if (error || self->reply.close || self->reply.endless) return self->stream.close();
            self->read();
          });
    }

    boost::asio::ip::tcp::socket stream;
    boost::asio::steady_timer timer;
    KnownServer& owner;
    boost::beast::flat_buffer buffer;
    boost::beast::http::request<boost::beast::http::string_body> request;
    boost::beast::http::response<boost::beast::http::string_body> response;
    Reply reply;
  };

  void accept() {
    acceptor_.async_accept([this](boost::system::error_code error, auto socket) {
      if (error) return;
      ++accepted_;
      socket.set_option(boost::asio::ip::tcp::no_delay(true));
      std::make_shared<Session>(std::move(socket), *this)->read();
      accept();
    });
  }

  Script script_;
  boost::asio::io_context io_{1};
  boost::asio::ip::tcp::acceptor acceptor_;
  std::atomic<std::size_t> requests_ = 0;
  std::atomic<std::size_t> accepted_ = 0;
  std::jthread thread_;
};

}  // namespace tacho::load

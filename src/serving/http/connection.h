#pragma once

#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/core/tcp_stream.hpp>
#include <boost/beast/http/empty_body.hpp>
#include <boost/beast/http/message.hpp>
#include <boost/beast/http/parser.hpp>
#include <boost/beast/http/serializer.hpp>
#include <boost/beast/http/string_body.hpp>
#include <chrono>
#include <list>
#include <memory>
#include <optional>
#include <string>

#include "serving/http/hub.h"

namespace tacho::http {

// One client connection. Everything but the handlers runs on the thread of `Hub::io`, so there is
// nothing to lock. A connection lives as long as one of its operations is pending.
class Connection : public std::enable_shared_from_this<Connection> {
 public:
  Connection(boost::asio::ip::tcp::socket socket, Hub& hub);
  ~Connection();
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;

  void begin() { await_request(); }
  // Pending operations end with an error.
  void close();
  // Closes once the current answer is sent; immediately if there is none.
  void close_soon();

 private:
  using Failure = boost::system::error_code;

  bool request_has_begun();

  // Reading a request.
  void await_request();
  void read_header();
  void on_header(Failure failure);
  std::optional<Response> take_header();
  std::optional<Response> screened() const;
  void read_body();
  void on_body(Failure failure);
  void on_request();
  void on_unreadable(Failure failure);
  void dispatch();
  void watch_client();

  // Sending the answer.
  void send(Response response);
  void refuse(Response response);
  template <class Body>
  void fill_header(boost::beast::http::response<Body>& message, const Response& response) const;
  void send_whole(Response response);
  void send_header_only(const Response& response);
  void on_sent(Failure failure);
  void end();
  void drain();

  // Streaming an answer from a source.
  void begin_source(const Response& response);
  void watch_for_close();
  void ask_source();
  void on_piece(std::optional<std::string> piece);
  void send_piece(std::string piece);
  void rest_then_ask();
  void wake();
  void end_source();

  void start_waiting();
  void stop_waiting();
  void release_body();

  Hub& hub_;
  std::list<Connection*>::iterator in_all_;
  std::optional<std::list<Connection*>::iterator> in_waiting_;
  boost::beast::tcp_stream stream_;
  boost::beast::flat_buffer buffer_;
  boost::asio::steady_timer pause_;
  std::optional<boost::beast::http::request_parser<boost::beast::http::string_body>> parser_;
  Request request_;             // without its body until that is read
  std::size_t body_bytes_ = 0;  // taken from the hub's budget
  boost::beast::http::response<boost::beast::http::string_body> whole_;
  boost::beast::http::response<boost::beast::http::empty_body> header_;
  std::optional<boost::beast::http::response_serializer<boost::beast::http::empty_body>> writer_;
  std::shared_ptr<BodySource> source_;  // shared with the worker that reads it
  std::string piece_;
  std::chrono::steady_clock::time_point last_piece_;
  std::size_t drained_ = 0;
  unsigned version_ = 11;
  bool keep_ = false;
  bool is_head_ = false;
  bool live_ = false;
  bool finite_ = false;
  bool woken_ = false;  // since the source was last asked
  bool watching_ = false;
  bool answering_ = false;
};

}  // namespace tacho::http

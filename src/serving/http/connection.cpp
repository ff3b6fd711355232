#include "serving/http/connection.h"

#include <malloc.h>

#include <boost/asio/dispatch.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/write.hpp>
#include <boost/beast/http/read.hpp>
#include <boost/beast/http/write.hpp>

#include "serving/http/http_date.h"
#include "serving/http/problem.h"
#include "serving/http/url.h"

namespace tacho::http {

namespace beast = boost::beast;
namespace asio = boost::asio;

namespace {

constexpr std::size_t kReadAhead = 4096;
constexpr std::size_t kMaxDrained = 8 << 20;
constexpr std::chrono::milliseconds kDrainTime{2000};
constexpr std::chrono::milliseconds kDrainTimeAtTheEnd{100};
constexpr std::chrono::milliseconds kUntilTrim{500};
// Time for the rest of a request that had begun when the server was stopped.
constexpr std::chrono::milliseconds kLastRequest{500};

std::string text_of(beast::string_view view) { return {view.data(), view.size()}; }

// Removes control characters, so that no value can end its header line.
std::string header_value(std::string_view value) {
  std::string out;
  for (const char c : value) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte >= 0x20 && byte != 0x7F) out += c;
  }
  return out;
}

Response too_busy() {
  Response busy = problem(503, "too many requests at the same time; try again later");
  busy.headers.emplace_back("Retry-After", "1");
  return busy;
}

}  // namespace

Connection::Connection(asio::ip::tcp::socket socket, Hub& hub)
    : hub_(hub),
      in_all_(hub.all.insert(hub.all.end(), this)),
      stream_(std::move(socket)),
      buffer_(hub.limits.header_bytes + kReadAhead),
      pause_(hub.io) {
  ++hub_.open;
}

Connection::~Connection() {
  stop_waiting();
  release_body();
  hub_.all.erase(in_all_);
  --hub_.open;
}

void Connection::start_waiting() {
  if (!in_waiting_) in_waiting_ = hub_.waiting.insert(hub_.waiting.end(), this);
}

void Connection::stop_waiting() {
  if (in_waiting_) hub_.waiting.erase(*in_waiting_);
  in_waiting_.reset();
}

void Connection::close() {
  stop_waiting();
  Failure ignored;
  stream_.socket().close(ignored);
  pause_.cancel();
}

void Connection::close_soon() {
  keep_ = false;
  if (answering_ && (!live_ || finite_)) return;
  if (live_ || !request_has_begun()) return close();
  pause_.expires_after(kLastRequest);
  pause_.async_wait([self = shared_from_this()](Failure) {
    if (!self->answering_) self->close();
  });
}

// True if a request has arrived, at least in part, even if nothing of it was read yet.
bool Connection::request_has_begun() {
  Failure failure;
  return buffer_.size() > 0 || (parser_ && parser_->got_some()) ||
         stream_.socket().available(failure) > 0;
}

void Connection::await_request() {
  answering_ = false;
  if (hub_.stopping) return end();
  start_waiting();
  if (buffer_.size() > 0) return read_header();  // pipelined
  if (buffer_.capacity() > kReadAhead) buffer_.shrink_to_fit();
  stream_.expires_after(hub_.limits.idle);
  stream_.async_read_some(buffer_.prepare(kReadAhead),
                          [self = shared_from_this()](Failure failure, std::size_t count) {
                            if (failure) return self->close();
                            self->buffer_.commit(count);
                            self->read_header();
                          });
}

void Connection::read_header() {
  is_head_ = false;
  parser_.emplace();
  parser_->header_limit(static_cast<std::uint32_t>(hub_.limits.header_bytes));
  parser_->body_limit(hub_.limits.body_bytes);
  stream_.expires_after(hub_.limits.request);
  beast::http::async_read_header(
      stream_, buffer_, *parser_,
      [self = shared_from_this()](Failure failure, std::size_t) { self->on_header(failure); });
}

void Connection::on_header(Failure failure) {
  if (failure) return on_unreadable(failure);
  keep_ = parser_->get().keep_alive();
  if (auto malformed = take_header()) {
    ++hub_.malformed;
    return refuse(*std::move(malformed));
  }
  if (parser_->is_done()) return on_request();
  if (auto refused = screened()) return refuse(*std::move(refused));
  if (!beast::iequals(parser_->get()[beast::http::field::expect], "100-continue")) {
    return read_body();
  }
  header_ = {beast::http::status::continue_, version_};
  beast::http::async_write(stream_, header_,
                           [self = shared_from_this()](Failure refused, std::size_t) {
                             if (refused) return self->close();
                             self->read_body();
                           });
}

// Returns an error answer if the header is invalid or ambiguous: a proxy in front may have read it
// differently.
std::optional<Response> Connection::take_header() {
  const auto& message = parser_->get();
  version_ = message.version();
  request_ = {};
  is_head_ = message.method() == beast::http::verb::head;
  for (const auto field : {beast::http::field::host, beast::http::field::content_length}) {
    if (message.count(field) < 2 && message[field].find(',') == beast::string_view::npos) continue;
    return problem(400, "the request has more than one " + text_of(to_string(field)));
  }
  if (message.count(beast::http::field::transfer_encoding) > 0) {
    if (!beast::iequals(message[beast::http::field::transfer_encoding], "chunked")) {
      return problem(501, "the only supported Transfer-Encoding is 'chunked'");
    }
    if (version_ < 11) return problem(400, "HTTP/1.0 has no Transfer-Encoding");
  }
  const auto known = method_of(text_of(message.method_string()));
  if (!known) return problem(501, "this method is not supported");
  auto target = parse_target(text_of(message.target()));
  if (!target.ok()) return problem(400, target.error().message);
  request_.method = *known;
  request_.segments = std::move(target->segments);
  request_.query = std::move(target->query);
  for (const auto& field : message) {
    request_.headers.emplace_back(text_of(field.name_string()), text_of(field.value()));
  }
  return std::nullopt;
}

std::optional<Response> Connection::screened() const {
  if (hub_.requests >= hub_.limits.requests) return too_busy();
  return hub_.screen ? hub_.screen(request_) : std::nullopt;
}

void Connection::read_body() {
  beast::http::async_read_some(
      stream_, buffer_, *parser_,
      [self = shared_from_this()](Failure failure, std::size_t) { self->on_body(failure); });
}

void Connection::on_body(Failure failure) {
  if (failure) return on_unreadable(failure);
  const std::size_t more = parser_->get().body().size() - body_bytes_;
  if (!hub_.bodies.take(more)) return refuse(too_busy());
  body_bytes_ += more;
  if (parser_->is_done()) return on_request();
  read_body();
}

void Connection::release_body() {
  if (body_bytes_ == 0) return;
  hub_.bodies.give_back(std::exchange(body_bytes_, 0));
  if (hub_.stopping || !hub_.bodies.burst_is_over()) return;
  hub_.bodies.forget_burst();
  // The handler may still hold this body. Trimming takes milliseconds, so it runs on a worker.
  hub_.trim.expires_after(kUntilTrim);
  hub_.trim.async_wait([&hub = hub_](Failure stopped) {
    if (!stopped) asio::post(hub.workers, [] { ::malloc_trim(0); });
  });
}

void Connection::on_unreadable(Failure failure) {
  if (failure == beast::error::timeout) {
    ++hub_.timed_out;
    return close();
  }
  const bool is_malformed =
      failure.category() == make_error_code(beast::http::error::bad_method).category();
  if (!is_malformed || failure == beast::http::error::end_of_stream) return close();
  ++hub_.malformed;
  if (failure == beast::http::error::partial_message) return close();
  if (failure == beast::http::error::header_limit ||
      failure == beast::http::error::buffer_overflow) {
    return refuse(problem(431, "the request header is too long"));
  }
  if (failure == beast::http::error::body_limit) {
    return refuse(problem(413, "the request body is too long; the limit is " +
                                   std::to_string(hub_.limits.body_bytes) + " bytes"));
  }
  refuse(problem(400, "this is not an HTTP request: " + failure.message()));
}

void Connection::on_request() {
  stop_waiting();
  answering_ = true;
  if (hub_.requests >= hub_.limits.requests) return send(too_busy());
  request_.body = std::move(parser_->get().body());
  dispatch();
}

// The reply moves the connection out, because it must be destroyed on the thread of `io`: the
// caller of the reply keeps no reference.
void Connection::dispatch() {
  ++hub_.requests;
  if (hub_.watch_clients) watch_client();
  Reply reply([self = shared_from_this()](Response response) mutable {
    Hub& hub = self->hub_;
    asio::dispatch(hub.io, [self = std::move(self), response = std::move(response)]() mutable {
      --self->hub_.requests;
      self->send(std::move(response));
    });
  });
  if (!hub_.on_workers) return hub_.handler(std::exchange(request_, {}), std::move(reply));
  asio::post(hub_.workers, [&hub = hub_, request = std::exchange(request_, {}),
                            reply = std::move(reply)]() mutable {
    hub.handler(std::move(request), std::move(reply));
  });
}

// Waits for the end of what the client sends, until the answer is sent. Nothing is read: it may be
// the next request.
void Connection::watch_client() {
  const auto gone = std::make_shared<std::atomic<bool>>(false);
  request_.is_gone = gone;
  watching_ = true;
  stream_.socket().async_wait(asio::ip::tcp::socket::wait_read,
                              [self = shared_from_this(), gone](Failure failure) {
                                Failure unreadable;
                                if (failure) return;
                                *gone = self->stream_.socket().available(unreadable) == 0;
                              });
}

// Closes without reading the rest of the request.
void Connection::refuse(Response response) {
  stop_waiting();
  answering_ = true;
  keep_ = false;
  send(std::move(response));
}

void Connection::send(Response response) {
  if (hub_.stopping) keep_ = false;
  if (std::exchange(watching_, false)) {
    Failure ignored;
    stream_.socket().cancel(ignored);
  }
  parser_.reset();
  release_body();
  if (response.source && !is_head_) {
    if (hub_.streams < hub_.limits.streams) return begin_source(response);
    response = problem(503, "too many live views; close one and try again");
  }
  if (is_head_ || response.status == 304 || response.status == 204) {
    return send_header_only(response);
  }
  send_whole(std::move(response));
}

template <class Body>
void Connection::fill_header(beast::http::response<Body>& message, const Response& response) const {
  message = {};
  message.version(version_);
  message.result(static_cast<unsigned>(response.status));
  message.reason(
      beast::string_view(reason_of(response.status).data(), reason_of(response.status).size()));
  message.set(beast::http::field::date, http_date_now());
  if (!response.content_type.empty()) {
    message.set(beast::http::field::content_type, header_value(response.content_type));
  }
  for (const auto& [name, value] : response.headers) message.insert(name, header_value(value));
  message.keep_alive(keep_);
}

void Connection::send_whole(Response response) {
  fill_header(whole_, response);
  whole_.body() = std::move(response.body);
  whole_.prepare_payload();
  stream_.expires_after(hub_.limits.send);
  beast::http::async_write(
      stream_, whole_,
      [self = shared_from_this()](Failure failure, std::size_t) { self->on_sent(failure); });
}

void Connection::send_header_only(const Response& response) {
  fill_header(header_, response);
  if (is_head_ && !response.source) header_.content_length(response.body.size());
  writer_.emplace(header_);
  stream_.expires_after(hub_.limits.send);
  beast::http::async_write_header(
      stream_, *writer_,
      [self = shared_from_this()](Failure failure, std::size_t) { self->on_sent(failure); });
}

void Connection::on_sent(Failure failure) {
  std::string().swap(whole_.body());  // an assignment would keep the memory
  if (failure) {
    if (failure == beast::error::timeout) ++hub_.timed_out;
    return close();
  }
  if (keep_) return await_request();
  end();
}

// Drains first: a client that is still sending would lose the answer if its connection were closed.
void Connection::end() {
  stop_waiting();
  answering_ = false;
  Failure ignored;
  stream_.socket().shutdown(asio::ip::tcp::socket::shutdown_send, ignored);
  buffer_.clear();
  stream_.expires_after(hub_.stopping ? kDrainTimeAtTheEnd : kDrainTime);
  drain();
}

void Connection::drain() {
  stream_.async_read_some(buffer_.prepare(kReadAhead),
                          [self = shared_from_this()](Failure failure, std::size_t count) {
                            self->drained_ += count;
                            if (failure || self->drained_ > kMaxDrained) return self->close();
                            self->drain();
                          });
}

}  // namespace tacho::http

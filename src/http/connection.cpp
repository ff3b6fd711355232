#include "http/connection.h"

#include <boost/asio/dispatch.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/write.hpp>
#include <boost/beast/http/read.hpp>
#include <boost/beast/http/write.hpp>

#include "http/http_date.h"
#include "http/problem.h"
#include "http/url.h"

namespace tacho::http {

namespace beast = boost::beast;
namespace asio = boost::asio;

namespace {

constexpr std::size_t kReadAhead = 4096;
constexpr std::size_t kMostDrained = 256 << 10;
constexpr std::chrono::milliseconds kDrainTime{2000};
constexpr std::chrono::milliseconds kDrainTimeAtTheEnd{100};
// For the rest of a request that was under way when the server was told to stop.
constexpr std::chrono::milliseconds kLastRequest{500};

std::string text_of(beast::string_view view) { return {view.data(), view.size()}; }

// A header cannot hold a line's end or another control character, whoever wrote its value.
std::string header_value(std::string_view value) {
  std::string out;
  for (const char c : value) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte >= 0x20 && byte != 0x7F) out += c;
  }
  return out;
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
  if (answering_ && !live_) return;
  if (live_ || !has_begun_to_ask()) return close();
  pause_.expires_after(kLastRequest);
  pause_.async_wait([self = shared_from_this()](Failure) {
    if (!self->answering_) self->close();
  });
}

// A request that has come, wholly or in part, though nobody may have read of it yet.
bool Connection::has_begun_to_ask() {
  Failure failure;
  return buffer_.size() > 0 || (parser_ && parser_->got_some()) ||
         stream_.socket().available(failure) > 0;
}

void Connection::await_request() {
  answering_ = false;
  if (hub_.stopping) return end();
  start_waiting();
  if (buffer_.size() > 0) return read_header();  // the client did not wait for its answer
  stream_.expires_after(hub_.limits.idle);
  stream_.async_read_some(buffer_.prepare(kReadAhead),
                          [self = shared_from_this()](Failure failure, std::size_t count) {
                            if (failure) return self->close();
                            self->buffer_.commit(count);
                            self->read_header();
                          });
}

void Connection::read_header() {
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
  const auto& message = parser_->get();
  version_ = message.version();
  if (!beast::iequals(message[beast::http::field::expect], "100-continue")) return read_body();
  header_ = {beast::http::status::continue_, version_};
  beast::http::async_write(stream_, header_,
                           [self = shared_from_this()](Failure refused, std::size_t) {
                             if (refused) return self->close();
                             self->read_body();
                           });
}

void Connection::read_body() {
  beast::http::async_read(
      stream_, buffer_, *parser_,
      [self = shared_from_this()](Failure failure, std::size_t) { self->on_request(failure); });
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
    return refuse(431, "the request's header is too long");
  }
  if (failure == beast::http::error::body_limit) {
    return refuse(413, "the request's body is too long; at most " +
                           std::to_string(hub_.limits.body_bytes) + " bytes are read");
  }
  refuse(400, "this is not an HTTP request: " + failure.message());
}

void Connection::on_request(Failure failure) {
  if (failure) return on_unreadable(failure);
  stop_waiting();
  answering_ = true;
  keep_ = parser_->get().keep_alive();
  Request request;
  if (auto refused = take_request(request)) {
    ++hub_.malformed;
    return send(*std::move(refused));
  }
  if (hub_.requests >= hub_.limits.requests) {
    Response busy = problem(503, "too many requests at once; try again in a moment");
    busy.headers.emplace_back("Retry-After", "1");
    return send(std::move(busy));
  }
  dispatch(std::move(request));
}

// The answer where the request makes no sense.
std::optional<Response> Connection::take_request(Request& request) const {
  const auto& message = parser_->get();
  const std::string method = text_of(message.method_string());
  const auto known = method_of(method);
  if (!known) return problem(501, "the method is not one that is answered here");
  request.method = *known;
  auto target = parse_target(text_of(message.target()));
  if (!target.ok()) return problem(400, target.error().message);
  request.segments = std::move(target->segments);
  request.query = std::move(target->query);
  for (const auto& field : message) {
    request.headers.emplace_back(text_of(field.name_string()), text_of(field.value()));
  }
  request.body = message.body();
  return std::nullopt;
}

void Connection::dispatch(Request request) {
  is_head_ = request.method == Method::head;
  ++hub_.requests;
  if (hub_.later) return dispatch_later(std::move(request));
  asio::post(hub_.workers, [self = shared_from_this(), request = std::move(request)]() mutable {
    Response response = self->hub_.handler(request);
    // Back to the one thread that owns connections; also their end must come there.
    Hub& hub = self->hub_;
    asio::post(hub.io, [self = std::move(self), response = std::move(response)]() mutable {
      --self->hub_.requests;
      self->send(std::move(response));
    });
  });
}

// The reply gives the connection away, because its end must come on the one thread: whoever calls
// it keeps nothing.
void Connection::dispatch_later(Request request) {
  Reply reply([self = shared_from_this()](Response response) mutable {
    Hub& hub = self->hub_;
    asio::dispatch(hub.io, [self = std::move(self), response = std::move(response)]() mutable {
      --self->hub_.requests;
      self->send(std::move(response));
    });
  });
  hub_.later(std::move(request), std::move(reply));
}

void Connection::refuse(int status, const std::string& detail) {
  stop_waiting();
  answering_ = true;
  keep_ = false;
  is_head_ = false;
  send(problem(status, detail));
}

void Connection::send(Response response) {
  if (hub_.stopping) keep_ = false;
  parser_.reset();
  if (response.source && !is_head_) {
    if (hub_.streams < hub_.limits.streams) return begin_source(response);
    response = problem(503, "too many live views at once; close one");
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
  whole_.body() = {};
  if (failure) {
    if (failure == beast::error::timeout) ++hub_.timed_out;
    return close();
  }
  if (keep_) return await_request();
  end();
}

// A client that is still sending would lose the answer if its connection were just closed.
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
                            if (failure || self->drained_ > kMostDrained) return self->close();
                            self->drain();
                          });
}

}  // namespace tacho::http

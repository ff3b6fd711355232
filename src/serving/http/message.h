#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace tacho::http {

enum class Method { get, head, post, put, patch, remove, options };
std::string_view name_of(Method method);
// Returns nothing for methods that are not supported: TRACE, CONNECT.
std::optional<Method> method_of(std::string_view name);
// True for GET, HEAD and OPTIONS, which change nothing.
bool is_safe(Method method);

using Field = std::pair<std::string, std::string>;

// Returns the first field of that name, case-insensitive; nullptr if there is none.
const std::string* find_field(const std::vector<Field>& fields, std::string_view name);

struct Request {
  Method method = Method::get;
  std::vector<std::string> segments;  // of the path, decoded: "/a%2Fb/c" is {"a/b", "c"}
  std::vector<Field> query;           // decoded, in order
  std::vector<Field> headers;
  std::string body;
  std::vector<Field> captured;  // values of the {names} in the route's pattern
  // Becomes true if the client disconnects before the answer; nullptr if the server does not watch
  // its clients. Shared with the connection.
  std::shared_ptr<const std::atomic<bool>> is_gone = {};

  [[nodiscard]] const std::string* header(std::string_view name) const {
    return find_field(headers, name);
  }
  // Also checks the header, as the body may not have been read yet.
  [[nodiscard]] bool sends_body() const;
  // Match the exact name. parameter() returns the first one.
  [[nodiscard]] const std::string* parameter(std::string_view name) const;
  [[nodiscard]] std::vector<std::string> parameters(std::string_view name) const;
  // The value of a {name} in the pattern, which must exist.
  [[nodiscard]] const std::string& part(std::string_view name) const;
};

// A body that is generated while it is sent. Used by one thread at a time.
class BodySource {
 public:
  virtual ~BodySource() = default;
  // Returns the next piece, "" if there is none yet, and nothing at the end.
  virtual std::optional<std::string> next() = 0;
  // Called once, before next(). A live source may call `wake`, from any thread, when there is a
  // piece; otherwise it is only polled.
  virtual void on_more(const std::function<void()>& wake) { (void)wake; }
};

struct Response {
  int status = 200;
  std::string content_type;  // "" without a body
  std::string body;
  // The same body, already compressed; sent to clients that accept gzip.
  std::string_view gzipped = {};
  std::vector<Field> headers = {};
  // Sent instead of `body`. Shared with the connection that sends it.
  std::shared_ptr<BodySource> source = {};
  // Server-sent events: the source is polled, and a comment is sent periodically to keep the
  // connection open. For other sources "" is skipped.
  bool live = false;
  // A live source that ends by itself: a server that stops waits for it.
  bool finite = false;
};

using Handler = std::function<Response(const Request&)>;

// Returns the answer that refuses a request by its header, or nothing to accept it.
using Screen = std::function<std::optional<Response>(const Request&)>;

// Takes the answer to one request, from any thread; the first call counts. Copies share one reply.
// If all copies are destroyed without a call, the client gets an error.
class Reply {
 public:
  explicit Reply(std::function<void(Response)> send);
  void operator()(Response response) const;

 private:
  struct Pending;
  std::shared_ptr<Pending> pending_;  // shared by the copies
};

// Answers asynchronously through the reply.
using AsyncHandler = std::function<void(Request, Reply)>;

}  // namespace tacho::http

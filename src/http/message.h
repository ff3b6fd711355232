#pragma once

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
// Nothing for a method that no server here answers: TRACE, CONNECT.
std::optional<Method> method_of(std::string_view name);
// GET, HEAD and OPTIONS: they change nothing.
bool is_safe(Method method);

using Field = std::pair<std::string, std::string>;

// The first field of that name, in any case; nullptr where there is none.
const std::string* find_field(const std::vector<Field>& fields, std::string_view name);

struct Request {
  Method method = Method::get;
  std::vector<std::string> segments;  // of the path, decoded: "/a%2Fb/c" is {"a/b", "c"}
  std::vector<Field> query;           // decoded, in their order
  std::vector<Field> headers;
  std::string body;
  std::vector<Field> captured;  // what stands for the {names} of the route's pattern

  [[nodiscard]] const std::string* header(std::string_view name) const {
    return find_field(headers, name);
  }
  // By its header too: the body may not have been read yet.
  [[nodiscard]] bool sends_body() const;
  // By their exact names. parameter() is the first of that name.
  [[nodiscard]] const std::string* parameter(std::string_view name) const;
  [[nodiscard]] std::vector<std::string> parameters(std::string_view name) const;
  // A {name} of the pattern; it must be there.
  [[nodiscard]] const std::string& part(std::string_view name) const;
};

// A body that is made while it is sent. One thread at a time asks.
class BodySource {
 public:
  virtual ~BodySource() = default;
  // The next piece; "" where there is none yet, and nothing at the end.
  virtual std::optional<std::string> next() = 0;
};

struct Response {
  int status = 200;
  std::string content_type;  // "" where there is no body
  std::string body;
  // The same body, compressed before; sent instead to who takes it.
  std::string_view gzipped = {};
  std::vector<Field> headers = {};
  // Instead of `body`. Shared with the connection that sends it.
  std::shared_ptr<BodySource> source = {};
  // Server-sent events: asked again and again, and a comment is sent now and then to keep the
  // connection. Of other sources "" is skipped.
  bool live = false;
};

using Handler = std::function<Response(const Request&)>;

// The answer that refuses a request by its header alone, or nothing.
using Screen = std::function<std::optional<Response>(const Request&)>;

// Takes the answer to one request, from any thread; the first call counts. Copies are one reply.
// Where all of them go without a call, the client is told so: nobody waits for ever.
class Reply {
 public:
  explicit Reply(std::function<void(Response)> send);
  void operator()(Response response) const;

 private:
  struct Pending;
  std::shared_ptr<Pending> pending_;  // shared by copies
};

// Answers when it can; no thread has to wait for that.
using LaterHandler = std::function<void(Request, Reply)>;

}  // namespace tacho::http

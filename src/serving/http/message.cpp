#include "serving/http/message.h"

#include <algorithm>
#include <array>
#include <atomic>

#include "base/result.h"
#include "serving/http/problem.h"

namespace tacho::http {
namespace {

constexpr std::array<std::pair<Method, std::string_view>, 7> kMethods = {
    {{Method::get, "GET"},
     {Method::head, "HEAD"},
     {Method::post, "POST"},
     {Method::put, "PUT"},
     {Method::patch, "PATCH"},
     {Method::remove, "DELETE"},
     {Method::options, "OPTIONS"}}};

char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

bool same_name(std::string_view a, std::string_view b) {
  return std::ranges::equal(a, b, {}, lower, lower);
}

}  // namespace

std::string_view name_of(Method method) {
  return std::ranges::find(kMethods, method, &std::pair<Method, std::string_view>::first)->second;
}

std::optional<Method> method_of(std::string_view name) {
  for (const auto& [method, spelled] : kMethods) {
    if (spelled == name) return method;
  }
  return std::nullopt;
}

bool is_safe(Method method) {
  return method == Method::get || method == Method::head || method == Method::options;
}

const std::string* find_field(const std::vector<Field>& fields, std::string_view name) {
  const auto at = std::ranges::find_if(
      fields, [&](const Field& field) { return same_name(field.first, name); });
  return at == fields.end() ? nullptr : &at->second;
}

bool Request::sends_body() const {
  const std::string* length = header("Content-Length");
  return !body.empty() || header("Transfer-Encoding") != nullptr ||
         (length != nullptr && *length != "0");
}

const std::string* Request::parameter(std::string_view name) const {
  const auto at = std::ranges::find(query, name, &Field::first);
  return at == query.end() ? nullptr : &at->second;
}

std::vector<std::string> Request::parameters(std::string_view name) const {
  std::vector<std::string> values;
  for (const auto& [key, value] : query) {
    if (key == name) values.push_back(value);
  }
  return values;
}

const std::string& Request::part(std::string_view name) const {
  const auto at = std::ranges::find(captured, name, &Field::first);
  if (at == captured.end()) broken_invariant("the route has no {" + std::string(name) + "}");
  return at->second;
}

struct Reply::Pending {
  explicit Pending(std::function<void(Response)> the_send) : send(std::move(the_send)) {}
  Pending(const Pending&) = delete;
  Pending& operator=(const Pending&) = delete;
  ~Pending() {
    if (!answered) send(problem(500, "the request was not answered"));
  }

  std::function<void(Response)> send;
  std::atomic<bool> answered = false;
};

Reply::Reply(std::function<void(Response)> send)
    : pending_(std::make_shared<Pending>(std::move(send))) {}

void Reply::operator()(Response response) const {
  if (!pending_->answered.exchange(true)) pending_->send(std::move(response));
}

}  // namespace tacho::http

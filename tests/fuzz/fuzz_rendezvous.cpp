// Fuzzes what a connection at rank 0's port can send before and after authentication, and what
// rank 0, or another program at its port, can answer.
#include <sys/socket.h>

#include <array>
#include <string>

#include "fuzz_loop.h"
#include "machine/comm/control_connection.h"
#include "machine/comm/greeting.h"
#include "machine/comm/handshake.h"

namespace tacho {
namespace {

constexpr const char* kSecret = "0123456789abcdef";
// More than fits into a socket without a reader waits for nobody.
constexpr std::size_t kMostSent = std::size_t{64} << 10;

struct Ends {
  Ends() {
    std::array<int, 2> fds{};
    if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0, fds.data()) != 0) {
      broken_invariant("no pair of sockets");
    }
    near = UniqueFd(fds[0]);
    far = UniqueFd(fds[1]);
  }
  UniqueFd near;
  UniqueFd far;
};

std::vector<Json> messages_in(const std::string& text, const ConnectionKeys* keys) {
  Ends ends;
  (void)::send(ends.far.get(), text.data(), std::min(text.size(), kMostSent), MSG_NOSIGNAL);
  ends.far.reset();
  ControlConnection connection(std::move(ends.near));
  if (keys != nullptr) connection.seal(*keys);
  std::vector<Json> all;
  while (connection.open()) {
    for (Json& message : connection.receive()) all.push_back(std::move(message));
  }
  return all;
}

// Returns the lines of a text, each with its HMAC as a member of the job would send it.
std::string sealed(const std::string& text, const ConnectionKeys& keys) {
  Ends ends;
  ControlConnection connection(std::move(ends.near));
  connection.seal(keys);
  std::size_t at = 0;
  while (at < text.size() && at < kMostSent / 2) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    connection.queue_line(text.substr(at, end - at));
    at = end + 1;
  }
  connection.flush();
  std::string sent;
  std::array<char, 1 << 16> bytes;
  ssize_t got = 0;
  while ((got = ::recv(ends.far.get(), bytes.data(), bytes.size(), 0)) > 0) {
    sent.append(bytes.data(), static_cast<std::size_t>(got));
    connection.flush();
  }
  return sent;
}

// Reads greetings, lists of members, and the fields of all other messages.
bool read_as_member(const Json& message) {
  bool accepted = greeting_from_json(message).ok() || members_from_json(message).ok();
  for (const char* key : {"kind", "why", "topic", "text", "name"}) (void)text_of(message, key);
  return accepted || !texts_of(message, "lines").empty() || !kind_of(message).empty();
}

bool read_all(const std::string& text) {
  // Nothing that was made without the secret may pass as a proof.
  const ServerHandshake server(kSecret);
  ClientHandshake client(kSecret);
  for (const Json& message : messages_in(text, nullptr)) {
    if (server.verify(message)) broken_invariant("a proof out of nothing");
    const bool challenged = client.answer(message).has_value();
    if (client.verify(message)) broken_invariant("rank 0 out of nothing");
    (void)challenged;
  }
  const ConnectionKeys keys{.outgoing = "a", .incoming = "a"};
  if (!messages_in(text, &keys).empty()) broken_invariant("an HMAC out of nothing");

  bool accepted = false;
  for (const Json& message : messages_in(sealed(text, keys), &keys)) {
    accepted = read_as_member(message) || accepted;
  }
  return accepted;
}

std::vector<std::string> samples() {
  const ServerHandshake server(kSecret);
  ClientHandshake client(kSecret);
  const Json proof = *client.answer(server.challenge());
  const Greeting greeting{{1, 0, "b", "boot/0/b", "10.0.0.2", 41}, 3, {"batch 64", "model x"}};
  const std::string hello = json_text(greeting_to_json(greeting));
  return {
      json_text(server.challenge()) + "\n",
      json_text(proof) + "\n" + hello + "\n",
      json_text(server.verify(proof)->answer) + "\n",
      hello + "\n{\"kind\":\"beat\"}\n{\"kind\":\"tell\",\"text\":\"[1,2]\"}\n",
      json_text(members_to_json({{0, 0, "a", "m", "10.0.0.1", 1}, {1, 1, "b", "n", "::1", 2}})) +
          "\n",
      "{\"kind\":\"agree\",\"topic\":\"model\",\"lines\":[\"a\",\"b\"]}\n"
      "{\"kind\":\"agreed\",\"topic\":\"model\",\"why\":\"\"}\n"
      "{\"kind\":\"share\",\"topic\":\"name\",\"text\":\"gloo 1\"}\n"
      "{\"kind\":\"post\",\"name\":\"gloo 1/0\",\"text\":\"00ff\"}\n"
      "{\"kind\":\"bye\",\"why\":\"\"}\n",
      std::string(3000, '[') + std::string(3000, ']') + "\n"};
}

}  // namespace
}  // namespace tacho

int main(int argc, char** argv) {
  return tacho::fuzz(argc, argv, tacho::samples(), tacho::read_all, [](std::string&) {});
}

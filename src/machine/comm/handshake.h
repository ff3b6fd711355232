#pragma once

#include <optional>
#include <string>

#include "base/json_object.h"

namespace tacho {

// HMAC keys of one control connection, one per direction.
struct ConnectionKeys {
  std::string outgoing;
  std::string incoming;
};

// Mutual authentication of two processes by the job secret, before any other message:
//
//   rank 0   {"kind": "challenge", "nonce": A}
//   rank     {"kind": "proof", "nonce": B, "mac": HMAC-SHA-256 of "rank", A and B}
//   rank 0   {"kind": "proof", "mac": HMAC-SHA-256 of "rank 0", A and B}
//
// A and B are random and new for each connection, which prevents replays. The roles are part of
// the HMAC, which prevents reflecting a proof to its sender.

// Rank 0's side. Use one per connection, for one proof.
class ServerHandshake {
 public:
  struct Accepted {
    Json answer;
    ConnectionKeys keys;
  };

  explicit ServerHandshake(std::string secret);
  [[nodiscard]] Json challenge() const;
  // Returns nothing if the other side does not know the secret.
  [[nodiscard]] std::optional<Accepted> verify(const Json& proof) const;

 private:
  std::string secret_;
  std::string nonce_;
};

// The side of all other ranks.
class ClientHandshake {
 public:
  explicit ClientHandshake(std::string secret);
  // Returns nothing if the message is not a challenge.
  [[nodiscard]] std::optional<Json> answer(const Json& challenge);
  // Returns nothing if the other side does not know the secret.
  [[nodiscard]] std::optional<ConnectionKeys> verify(const Json& proof) const;

 private:
  std::string secret_;
  std::string nonce_;
  std::string challenge_;  // rank 0's nonce
};

}  // namespace tacho

#pragma once

#include <optional>
#include <string>

#include "base/json_object.h"

namespace tacho {

// The keys by which the two ends of a control line mark what they send. Each connection has its
// own, and each direction.
struct LineKeys {
  std::string outgoing;
  std::string incoming;
};

// How two processes show each other that they know the job's secret, before either says anything
// about the job:
//
//   rank 0   {"kind": "challenge", "nonce": A}
//   rank     {"kind": "proof", "nonce": B, "mac": HMAC-SHA-256 of "rank", A and B}
//   rank 0   {"kind": "proof", "mac": HMAC-SHA-256 of "rank 0", A and B}
//
// A and B are random and new for each connection, so that nothing heard on an earlier one helps.
// The roles are part of what is marked, so that a proof sent back to its author proves nothing.

// Rank 0's side. Good for one connection and one proof.
class HubHandshake {
 public:
  struct Accepted {
    Json answer;
    LineKeys keys;
  };

  explicit HubHandshake(std::string secret);
  [[nodiscard]] Json challenge() const;
  // Nothing: the other side does not know the secret.
  [[nodiscard]] std::optional<Accepted> judge(const Json& proof) const;

 private:
  std::string secret_;
  std::string nonce_;
};

// The side of every other rank.
class RankHandshake {
 public:
  explicit RankHandshake(std::string secret);
  // Nothing: this is no challenge.
  [[nodiscard]] std::optional<Json> answer(const Json& challenge);
  // Nothing: the other side does not know the secret.
  [[nodiscard]] std::optional<LineKeys> judge(const Json& proof) const;

 private:
  std::string secret_;
  std::string nonce_;
  std::string challenge_;  // rank 0's nonce
};

}  // namespace tacho

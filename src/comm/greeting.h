#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/json_object.h"
#include "base/result.h"
#include "comm/member.h"
#include "comm/place.h"

namespace tacho {

// The form of the control line's messages. Ranks of different forms do not work together.
inline constexpr std::int64_t kControlVersion = 2;

// What a rank says of itself once it has shown that it knows the job's secret.
struct Greeting {
  Member self;
  int size = 1;  // of the world, as it was told
  std::vector<std::string> terms;
  bool operator==(const Greeting&) const = default;
};

// This process. The address is for the connection to say.
Member member_at(const Place& place);

Json greeting_to_json(const Greeting& greeting);
// ErrorCode::newer for the greeting of another version of Tacho, ErrorCode::invalid for anything
// that is no greeting.
Result<Greeting> greeting_from_json(const Json& json);

Json members_to_json(const std::vector<Member>& members);
Result<std::vector<Member>> members_from_json(const Json& json);

// The first line in which `theirs` differ from rank 0's, as a sentence; "" where they are equal.
std::string first_difference(const Member& them, const std::vector<std::string>& theirs,
                             const Member& rank_0, const std::vector<std::string>& ours);

// Every message is an object that says its kind. "" for what is missing or no text.
std::string text_of(const Json& message, std::string_view key);
inline std::string kind_of(const Json& message) { return text_of(message, "kind"); }
std::vector<std::string> texts_of(const Json& message, std::string_view key);
// As another rank reads them: bytes that are not UTF-8 do not travel as they are.
std::vector<std::string> as_received(const std::vector<std::string>& lines);

}  // namespace tacho

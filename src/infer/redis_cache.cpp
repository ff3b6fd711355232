#include "infer/redis_cache.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "infer/sealed_entry.h"

namespace tacho::infer {
namespace {

constexpr std::chrono::milliseconds kFirstPause{50};
constexpr std::chrono::milliseconds kLongestPause{400};
// From the first attempt to its first answer.
constexpr std::chrono::milliseconds kGreeting{400};
// A connection that has said nothing for so long, though asked, may be none any more.
constexpr std::chrono::milliseconds kSilence{1000};
// Answers that wait to be kept; more are not worth the memory.
constexpr std::size_t kMostKeeps = 10'000;

}  // namespace

RedisCache::RedisCache(boost::asio::io_context& io, Options options)
    : io_(io), options_(std::move(options)), resolver_(io), retry_(io), watch_(io) {
  counts_.usable = false;
  connect();
}

RedisCache::~RedisCache() {
  alive_.reset();
  if (link_) link_->close();
}

void RedisCache::say(const std::string& line) const {
  if (options_.log) options_.log(fmt::format("redis at {}: {}", options_.place.text(), line));
}

// Names are looked up each time: another machine may have taken the place of the last.
void RedisCache::connect() {
  boost::system::error_code not_numbers;
  const auto address = boost::asio::ip::make_address(options_.place.host, not_numbers);
  if (!not_numbers) return connect_to(address);
  resolver_.async_resolve(options_.place.host, std::to_string(options_.place.port),
                          [this](Failure failure, const auto& results) {
                            if (failure == boost::asio::error::operation_aborted) return;
                            if (failure) return fall_back(failure.message());
                            connect_to(results.begin()->endpoint().address());
                          });
}

void RedisCache::connect_to(const boost::asio::ip::address& address) {
  link_ = RedisLink::connect(io_, options_.streams, {address, options_.place.port},
                             {.connected = [this] { greet(); },
                              .lost = [this](const std::string& why) { fall_back(why); }});
  retry_.expires_after(kGreeting);
  retry_.async_wait([this](Failure failure) {
    if (!failure && !up_) fall_back("no answer");
  });
}

// Only what answers is there: a connection alone is also made by a process that is stopped.
void RedisCache::greet() {
  const auto select = [this] {
    const std::string database = std::to_string(options_.place.database);
    greet_with(std::array<std::string_view, 2>{"SELECT", database}, [this] { come_back(); });
  };
  const RedisPlace& place = options_.place;
  if (place.password.empty()) return select();
  std::vector<std::string_view> auth = {"AUTH"};
  if (!place.user.empty()) auth.push_back(place.user);
  auth.push_back(place.password);
  greet_with(auth, select);
}

void RedisCache::greet_with(std::span<const std::string_view> words, std::function<void()> next) {
  link_->send(words, [this, next = std::move(next),
                      alive = std::weak_ptr(alive_)](const RedisReply* reply) {
    if (alive.expired() || reply == nullptr) return;
    if (reply->kind == RedisReply::Kind::error) return fall_back(reply->text);
    next();
  });
}

void RedisCache::come_back() {
  retry_.cancel();
  up_ = counts_.usable = true;
  pause_ = {};
  last_answer_ = Clock::now();
  if (!std::exchange(told_, false)) return;
  const std::chrono::duration<double> gone = Clock::now() - down_since_;
  say(fmt::format("answers again, after {:.1f} s", gone.count()));
}

// One line for each time that it goes, however many requests notice.
void RedisCache::fall_back(const std::string& why) {
  if (std::exchange(up_, false)) ++counts_.lost;
  if (std::exchange(counts_.usable, false)) down_since_ = Clock::now();
  if (!std::exchange(told_, true)) say(why + "; requests go on without it");
  drop_link();
  connect_again();
}

void RedisCache::drop_link() {
  const auto link = std::exchange(link_, nullptr);
  unanswered_keeps_ = 0;
  if (link) link->close();
  for (const auto& late : std::exchange(look_ups_, {})) {
    if (late->found) std::exchange(late->found, nullptr)(Entries(late->names.size()));
  }
}

void RedisCache::connect_again() {
  pause_ = std::clamp(pause_ * 2, kFirstPause, kLongestPause);
  retry_.expires_after(pause_);
  retry_.async_wait([this](Failure failure) {
    if (!failure) connect();
  });
}

void RedisCache::find(std::span<const Key> keys, Found found) {
  if (!up_ || !counts_.usable) return found(Entries(keys.size()));
  std::vector<std::string> names;
  names.reserve(keys.size());
  for (const Key& key : keys) names.push_back(name_of(key));
  const auto look_up = std::make_shared<LookUp>(
      LookUp{std::move(names), std::move(found), Clock::now() + options_.patience});
  std::vector<std::string_view> words = {"MGET"};
  words.insert(words.end(), look_up->names.begin(), look_up->names.end());
  const bool sent =
      link_->send(words, [this, look_up, alive = std::weak_ptr(alive_)](const RedisReply* reply) {
        if (!alive.expired()) on_found(*look_up, reply);
      });
  if (!sent) return std::exchange(look_up->found, nullptr)(Entries(keys.size()));
  look_ups_.push_back(look_up);
  if (!watching_) watch_look_ups();
}

void RedisCache::on_found(LookUp& look_up, const RedisReply* reply) {
  if (reply != nullptr) answered();
  if (!look_up.found) return;  // it was given up
  const std::size_t count = look_up.names.size();
  Entries entries(count);
  if (reply != nullptr && reply->kind == RedisReply::Kind::list && reply->items.size() == count) {
    for (std::size_t i = 0; i < count; ++i) {
      entries[i] = entry_of(look_up.names[i], reply->items[i]);
    }
  }
  std::exchange(look_up.found, nullptr)(std::move(entries));
}

std::optional<Prediction> RedisCache::entry_of(const std::string& name, const RedisReply& reply) {
  if (reply.kind != RedisReply::Kind::text) return std::nullopt;
  std::optional<Prediction> prediction;
  if (const auto content = open_entry(options_.signing_key, name, reply.text)) {
    prediction = prediction_from_bytes(*content, options_.classes);
  }
  if (!prediction) ++counts_.unusable;
  return prediction;
}

// It was late, but it lives.
void RedisCache::answered() {
  last_answer_ = Clock::now();
  while (!look_ups_.empty() && !look_ups_.front()->found) look_ups_.pop_front();
  if (!counts_.usable && up_) come_back();
  counts_.usable = up_;
}

void RedisCache::watch_look_ups() {
  while (!look_ups_.empty() && !look_ups_.front()->found) look_ups_.pop_front();
  watching_ = !look_ups_.empty();
  if (!watching_) return;
  watch_.expires_at(look_ups_.front()->until);
  watch_.async_wait([this](Failure failure) {
    if (failure) return;
    give_up_late_ones();
    watch_look_ups();
  });
}

// Those that come after do not even ask, until an answer comes.
void RedisCache::give_up_late_ones() {
  const auto now = Clock::now();
  bool late = false;
  while (!look_ups_.empty() && (!look_ups_.front()->found || look_ups_.front()->until <= now)) {
    const auto first = look_ups_.front();
    look_ups_.pop_front();
    if (!first->found) continue;
    late = true;
    ++counts_.timeouts;
    std::exchange(first->found, nullptr)(Entries(first->names.size()));
  }
  if (!late || !counts_.usable) return;
  counts_.usable = false;
  down_since_ = now;
  if (!std::exchange(told_, true)) {
    say(fmt::format("no answer within {} ms; requests go on without it",
                    options_.patience.count()));
  }
  // If it stays silent, the connection itself is in doubt.
  retry_.expires_after(kSilence);
  retry_.async_wait([this](Failure failure) {
    if (!failure && up_ && !counts_.usable) fall_back("no answer");
  });
}

void RedisCache::keep(const Key& key, const Prediction& prediction) {
  if (!up_ || !counts_.usable || unanswered_keeps_ >= kMostKeeps) {
    ++counts_.unkept;
    return;
  }
  const std::string name = name_of(key);
  const std::string bytes = seal_entry(options_.signing_key, name, to_bytes(prediction));
  const std::string ttl = std::to_string(options_.ttl.count());
  const std::array<std::string_view, 5> words = {"SET", name, bytes, "EX", ttl};
  const bool sent =
      link_->send(words, [this, alive = std::weak_ptr(alive_)](const RedisReply* reply) {
        if (!alive.expired()) on_kept(reply);
      });
  if (sent) ++unanswered_keeps_;
}

void RedisCache::on_kept(const RedisReply* reply) {
  if (reply == nullptr) return;  // the link is lost, and its count is 0
  if (unanswered_keeps_ > 0) --unanswered_keeps_;
  answered();
  const bool refused = reply->kind == RedisReply::Kind::error;
  if (refused) ++counts_.unkept;
  if (refused && !std::exchange(full_, true)) {
    say(fmt::format("keeps no new answers: {}", reply->text));
  } else if (!refused && std::exchange(full_, false)) {
    say("keeps new answers again");
  }
}

CacheCounts RedisCache::counts() const { return counts_; }

}  // namespace tacho::infer

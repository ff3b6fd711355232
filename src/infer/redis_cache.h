#pragma once

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/steady_timer.hpp>
#include <chrono>
#include <deque>
#include <functional>
#include <memory>
#include <string>

#include "infer/cache.h"
#include "infer/redis_link.h"
#include "infer/redis_place.h"

namespace tacho::infer {

// Answers kept in Redis, where other servers of the same model find them too. A Redis that is slow,
// full, restarted or gone takes nothing from a request but its time limit, once: then requests go
// on without it until it answers again, which is looked for several times a second.
//
// Made and used on the thread that runs `io`; destroyed there, or when nobody runs it any more.
class RedisCache final : public Cache {
 public:
  struct Options {
    RedisPlace place;
    std::string prefix;       // of all keys: names the model
    std::string signing_key;  // of entries: what others put there is not taken
    MakeStream streams = plain_streams();
    std::size_t classes = 0;
    std::chrono::seconds ttl{3600};
    std::chrono::milliseconds patience{20};  // for a look-up
    std::function<void(const std::string&)> log = {};
  };
  RedisCache(boost::asio::io_context& io, Options options);
  ~RedisCache() override;

  void find(std::span<const Key> keys, Found found) override;
  void keep(const Key& key, const Prediction& prediction) override;
  [[nodiscard]] CacheCounts counts() const override;

 private:
  using Clock = std::chrono::steady_clock;
  using Failure = boost::system::error_code;
  struct LookUp {
    std::vector<std::string> names;
    Found found;  // empty once it was called
    Clock::time_point until;
  };

  [[nodiscard]] std::string name_of(const Key& key) const { return options_.prefix + hex(key); }
  void connect();
  void connect_to(const boost::asio::ip::address& address);
  void greet();
  void greet_with(std::span<const std::string_view> words, std::function<void()> next);
  void fall_back(const std::string& why);
  void come_back();
  void connect_again();
  void drop_link();

  std::optional<Prediction> entry_of(const std::string& name, const RedisReply& reply);
  void on_found(LookUp& look_up, const RedisReply* reply);
  void answered();
  void watch_look_ups();
  void give_up_late_ones();
  void on_kept(const RedisReply* reply);
  void say(const std::string& line) const;

  boost::asio::io_context& io_;
  Options options_;
  boost::asio::ip::tcp::resolver resolver_;
  boost::asio::steady_timer retry_;
  boost::asio::steady_timer watch_;
  std::shared_ptr<RedisLink> link_;               // shared with the waits under way
  std::deque<std::shared_ptr<LookUp>> look_ups_;  // shared with the answers to come
  CacheCounts counts_;
  std::chrono::milliseconds pause_{0};  // before the next attempt to connect
  bool up_ = false;                     // it answers
  bool told_ = false;                   // that it does not
  bool full_ = false;
  bool watching_ = false;
  std::size_t unanswered_keeps_ = 0;
  std::shared_ptr<bool> alive_ = std::make_shared<bool>(true);  // watched by answers to come
  Clock::time_point down_since_ = Clock::now();
  Clock::time_point last_answer_ = Clock::now();
};

}  // namespace tacho::infer

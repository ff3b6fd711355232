#pragma once

// A Wire between threads of one process, for tests.
#include <barrier>
#include <functional>
#include <memory>
#include <thread>
#include <vector>

#include "training/train/dist/wire.h"

namespace tacho {

class ThreadWire final : public Wire {
 public:
  struct Table {
    explicit Table(int ranks) : given(static_cast<std::size_t>(ranks)), meet(ranks) {}
    std::vector<at::Tensor> given;
    std::barrier<> meet;
  };
  ThreadWire(std::shared_ptr<Table> table, int rank) : table_(std::move(table)), rank_(rank) {}

  [[nodiscard]] int rank() const override { return rank_; }
  [[nodiscard]] int size() const override { return static_cast<int>(table_->given.size()); }
  Result<void> all_reduce(at::Tensor& sum) override {
    return among_all(sum, [&] {
      at::Tensor total = at::zeros_like(sum);
      for (const at::Tensor& part : table_->given) total += part;
      return total;
    });
  }
  Result<void> broadcast(at::Tensor& values) override {
    return among_all(values, [&] { return table_->given.front(); });
  }
  Result<void> all_gather(const at::Tensor& mine, at::Tensor& all) override {
    at::Tensor gathered = all;
    return among_all(
        mine, [&] { return at::cat(table_->given); }, &gathered);
  }
  Result<void> all_to_all(const at::Tensor& out, at::Tensor& in) override {
    at::Tensor received = in;
    return among_all(
        out,
        [&] {
          std::vector<at::Tensor> parts;
          for (const at::Tensor& from : table_->given) {
            parts.push_back(from.chunk(size())[static_cast<std::size_t>(rank_)]);
          }
          return at::cat(parts);
        },
        &received);
  }

 private:
  // All values are visible to all ranks while `take` runs.
  Result<void> among_all(const at::Tensor& mine, const std::function<at::Tensor()>& take,
                         at::Tensor* into = nullptr) {
    table_->given[static_cast<std::size_t>(rank_)] = mine;
    table_->meet.arrive_and_wait();
    const at::Tensor taken = take().clone();
    table_->meet.arrive_and_wait();
    at::Tensor target = into != nullptr ? *into : mine;
    target.copy_(taken);
    return {};
  }

  std::shared_ptr<Table> table_;
  int rank_;
};

inline void among_threads(int ranks, const std::function<void(std::unique_ptr<Wire>)>& body) {
  const auto table = std::make_shared<ThreadWire::Table>(ranks);
  std::vector<std::jthread> threads;
  for (int rank = 0; rank < ranks; ++rank) {
    threads.emplace_back([=, &body] { body(std::make_unique<ThreadWire>(table, rank)); });
  }
}

}  // namespace tacho

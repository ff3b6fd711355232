#include "serving/infer/generator.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

namespace tacho::infer {
namespace {

constexpr int kLate = 504;
constexpr int kUnwanted = 499;  // nobody reads it

Piece::Refusal refusal_of(const Error& error) {
  const int status = error.code == ErrorCode::invalid       ? 422
                     : error.code == ErrorCode::unavailable ? 503
                                                            : 500;
  return {status, error.message};
}

}  // namespace

Generator::Generator(LanguageModel& model, const GeneratorOptions& options)
    : model_(model), options_(options) {
  for (int instance = 0; instance < model.instances(); ++instance) {
    threads_.emplace_back([this, instance] { work(instance); });
  }
}

Generator::~Generator() { stop(); }

void Generator::stop() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  changed_.notify_all();
  threads_.clear();
}

bool Generator::submit(std::vector<Generation> generations) {
  {
    const std::lock_guard lock(mutex_);
    if (stopping_ || generations.size() > options_.queue - queue_.size()) return false;
    std::ranges::move(generations, std::back_inserter(queue_));
  }
  changed_.notify_all();
  return true;
}

GeneratorCounts Generator::counts() const {
  const std::lock_guard lock(mutex_);
  GeneratorCounts counts = counts_;
  counts.queued = queue_.size();
  return counts;
}

void Generator::work(int number) {
  Instance instance{number, model_.begin(number)};
  while (admit(instance)) {
    if (!instance.active.empty()) step(instance);
  }
}

bool Generator::admit(Instance& instance) {
  std::optional<Generation> next;
  {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return stopping_ || !queue_.empty() || !instance.active.empty(); });
    if (stopping_) return false;
    refuse_hopeless(lock);
    if (!queue_.empty() && instance.active.size() < options_.max_batch) {
      next = std::move(queue_.front());
      queue_.pop_front();
    }
  }
  if (next) join(instance, *std::move(next));
  return true;
}

// Of the queue. Unlocks while it answers.
void Generator::refuse_hopeless(std::unique_lock<std::mutex>& lock) {
  std::vector<std::pair<Generation, Piece::Refusal>> refused;
  std::erase_if(queue_, [&](Generation& waiting) {
    auto why = hopeless(waiting);
    if (!why) return false;
    refused.emplace_back(std::move(waiting), *std::move(why));
    return true;
  });
  if (refused.empty()) return;
  lock.unlock();
  for (auto& [generation, why] : refused) refuse(generation, std::move(why));
  lock.lock();
}

void Generator::join(Instance& instance, Generation generation) {
  const auto begin = Clock::now();
  const auto joined = instance.begun.ok()
                          ? model_.join(instance.number, generation.prompt, generation.sampling)
                          : instance.begun;
  const std::chrono::duration<double> time = Clock::now() - begin;
  if (!joined.ok()) return refuse(generation, refusal_of(joined.error()));
  GrowingText text(generation.stops);
  const std::size_t tokens = generation.prompt.size();
  instance.active.push_back({std::move(generation), std::move(text)});
  const std::lock_guard lock(mutex_);
  ++counts_.active;
  counts_.prompt_tokens += tokens;
  counts_.compute_seconds += time.count();
}

void Generator::step(Instance& instance) {
  std::vector<Active>& active = instance.active;
  const auto begin = Clock::now();
  const auto stepped = model_.step(instance.number);
  const std::chrono::duration<double> time = Clock::now() - begin;
  std::vector<Piece> pieces;
  std::uint64_t made = 0;
  for (std::size_t row = 0; row < active.size(); ++row) {
    const std::int64_t before = active[row].tokens;
    pieces.push_back(next_piece(active[row], stepped.ok() ? (*stepped)[row] : stepped.error()));
    made += static_cast<std::uint64_t>(active[row].tokens - before);
  }
  {
    const std::lock_guard lock(mutex_);
    ++counts_.steps;
    counts_.generated_tokens += made;
    counts_.compute_seconds += time.count();
    counts_.active -= static_cast<std::size_t>(std::ranges::count_if(pieces, &Piece::is_last));
  }
  // From the last row on: the row that takes the place of one that leaves was given its piece.
  for (std::size_t row = active.size(); row-- > 0;) {
    Piece& piece = pieces[row];
    const bool last = piece.is_last();
    if (piece.refusal) {
      refuse(active[row].generation, *std::move(piece.refusal));
    } else if (last || !piece.text.empty()) {
      active[row].generation.give(std::move(piece));
    }
    if (!last) continue;
    model_.leave(instance.number, row);
    if (row + 1 < active.size()) active[row] = std::move(active.back());
    active.pop_back();
  }
}

Piece Generator::next_piece(Active& active, const LanguageModel::Next& next) {
  Piece piece;
  if (!next.ok()) {
    piece.refusal = refusal_of(next.error());
    return piece;
  }
  if (!*next) {
    piece.text = active.text.rest();
    piece.finish = FinishReason::stop;
  } else {
    ++active.tokens;
    piece.text = active.text.add(**next);
    if (active.text.is_stopped()) {
      piece.finish = FinishReason::stop;
    } else if (active.tokens == active.generation.max_tokens) {
      piece.text += active.text.rest();
      piece.finish = FinishReason::length;
    } else {
      piece.refusal = hopeless(active.generation);
    }
  }
  piece.tokens = active.tokens;
  return piece;
}

std::optional<Piece::Refusal> Generator::hopeless(const Generation& generation) const {
  if (!generation.wanted()) return Piece::Refusal{kUnwanted, "the client disconnected"};
  if (Clock::now() < generation.until) return std::nullopt;
  return Piece::Refusal{
      kLate, fmt::format("not finished within {} ms (--deadline-ms)", options_.deadline.count())};
}

void Generator::refuse(const Generation& generation, Piece::Refusal refusal) {
  {
    const std::lock_guard lock(mutex_);
    ++(refusal.status == kLate       ? counts_.too_late
       : refusal.status == kUnwanted ? counts_.unwanted
                                     : counts_.failed);
  }
  Piece last;
  last.refusal = std::move(refusal);
  generation.give(std::move(last));
}

}  // namespace tacho::infer

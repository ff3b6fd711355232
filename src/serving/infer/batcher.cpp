#include "serving/infer/batcher.h"

#include <algorithm>
#include <numeric>

namespace tacho::infer {
namespace {

// Number of batches behind the oldest sample that are searched for similar lengths.
constexpr std::size_t kWindow = 4;

void sort_by_length(std::vector<Task>& tasks) {
  std::ranges::stable_sort(tasks, {}, [](const Task& task) { return task.sample.length(); });
}

}  // namespace

std::vector<std::size_t> cut_by_length(std::span<const std::size_t> ascending) {
  // Padding up to twice the length is cheaper than another pass over the weights.
  constexpr std::size_t kWorthAPass = 16;
  std::vector<std::size_t> begins = {0};
  for (std::size_t i = 1; i < ascending.size(); ++i) {
    if (ascending[i] > 2 * ascending[begins.back()] + kWorthAPass) begins.push_back(i);
  }
  return begins;
}

Batcher::Batcher(Model& model, const BatchOptions& options, Give give)
    : model_(model), options_(options), give_(std::move(give)) {
  for (int instance = 0; instance < model.instances(); ++instance) {
    threads_.emplace_back([this, instance] { work(instance); });
  }
}

Batcher::~Batcher() { stop(); }

void Batcher::stop() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  changed_.notify_all();
  threads_.clear();
}

std::size_t Batcher::room() const {
  const std::lock_guard lock(mutex_);
  return stopping_ ? 0 : options_.queue - queue_.size();
}

bool Batcher::submit(Task task) {
  std::size_t queued = 0;
  {
    const std::lock_guard lock(mutex_);
    if (stopping_ || queue_.size() >= options_.queue) return false;
    queue_.push_back({std::move(task), Clock::now()});
    queued = queue_.size();
  }
  // Only the first and the last sample of a batch need to wake a thread.
  if (queued == 1 || queued % options_.max_batch == 0) changed_.notify_one();
  return true;
}

BatchCounts Batcher::counts() const {
  const std::lock_guard lock(mutex_);
  BatchCounts counts = counts_;
  counts.queued = queue_.size();
  return counts;
}

// Waits for a full batch, but not longer than max_delay after the oldest sample, and not once the
// batcher stops.
void Batcher::gather(std::unique_lock<std::mutex>& lock) {
  const auto latest = queue_.front().since + options_.max_delay;
  const auto pause = options_.max_delay / 4;
  while (!stopping_ && !queue_.empty() && queue_.size() < options_.max_batch) {
    const auto now = Clock::now();
    if (now >= latest) return;
    const std::size_t before = queue_.size();
    changed_.wait_until(lock, std::min(latest, now + pause),
                        [&] { return stopping_ || queue_.size() >= options_.max_batch; });
    if (queue_.size() <= before) return;
  }
}

std::vector<Task> Batcher::next() {
  std::unique_lock lock(mutex_);
  while (true) {
    changed_.wait(lock, [this] { return stopping_ || !queue_.empty(); });
    if (queue_.empty()) return {};
    gather(lock);
    if (!queue_.empty()) return take();  // another instance may have taken it
  }
}

std::vector<Task> Batcher::take() {
  std::vector<Task> batch;
  const std::size_t window = std::min(queue_.size(), kWindow * options_.max_batch);
  std::vector<std::size_t> order(window);
  std::iota(order.begin(), order.end(), std::size_t{0});
  if (window > options_.max_batch) {
    std::ranges::stable_sort(order, {},
                             [this](std::size_t at) { return queue_[at].task.sample.length(); });
    const auto oldest = static_cast<std::size_t>(std::ranges::find(order, 0U) - order.begin());
    const std::size_t before = std::min(oldest, options_.max_batch / 2);
    const std::size_t begin = std::min(oldest - before, window - options_.max_batch);
    order = {order.begin() + static_cast<std::ptrdiff_t>(begin),
             order.begin() + static_cast<std::ptrdiff_t>(begin + options_.max_batch)};
    std::ranges::sort(order);
  }
  batch.reserve(order.size());
  for (const std::size_t at : order) batch.push_back(std::move(queue_[at].task));
  if (order.size() == queue_.size()) {
    queue_.clear();
  } else {
    for (std::size_t i = order.size(); i-- > 0;) {  // from the back: earlier positions stay valid
      queue_.erase(queue_.begin() + static_cast<std::ptrdiff_t>(order[i]));
    }
    changed_.notify_one();  // there is work for another instance
  }
  return batch;
}

void Batcher::work(int instance) {
  const auto begun = model_.begin(instance);
  while (true) {
    std::vector<Task> tasks = next();
    if (tasks.empty()) return;
    std::erase_if(tasks, [](const Task& task) { return task.wanted && *task.wanted == 0; });
    if (!begun.ok()) {
      std::vector<Computed> failed;
      for (const Task& task : tasks) failed.push_back({task.key, begun.error()});
      give_(std::move(failed));
      continue;
    }
    if (tasks.empty()) continue;
    sort_by_length(tasks);
    std::vector<std::size_t> lengths;
    for (const Task& task : tasks) lengths.push_back(task.sample.length());
    const std::vector<std::size_t> begins = cut_by_length(lengths);
    for (std::size_t part = 0; part < begins.size(); ++part) {
      const std::size_t end = part + 1 < begins.size() ? begins[part + 1] : tasks.size();
      give_(compute(instance, std::span(tasks).subspan(begins[part], end - begins[part])));
    }
  }
}

// If a batch fails, computes each sample alone, so that a bad one does not fail the others.
std::vector<Computed> Batcher::compute(int instance, std::span<Task> batch) {
  const auto begin = Clock::now();
  std::vector<const Sample*> samples;
  std::uint64_t tokens = 0;
  for (const Task& task : batch) {
    samples.push_back(&task.sample);
    tokens += task.sample.length();
  }
  std::vector<Computed> computed;
  computed.reserve(batch.size());
  if (auto predictions = model_.predict(instance, samples);
      predictions.ok() && predictions->size() == batch.size()) {
    for (std::size_t i = 0; i < batch.size(); ++i) {
      computed.push_back({batch[i].key, std::move((*predictions)[i])});
    }
  } else {
    for (std::size_t i = 0; i < batch.size(); ++i) {
      auto alone = model_.predict(instance, std::span(samples).subspan(i, 1));
      if (alone.ok() && alone->size() == 1) {
        computed.push_back({batch[i].key, std::move((*alone)[0])});
      } else {
        const Error why =
            alone.ok() ? Error{ErrorCode::failed, "the model returned no answer"} : alone.error();
        computed.push_back({batch[i].key, why});
      }
    }
  }
  const std::chrono::duration<double> time = Clock::now() - begin;
  const std::lock_guard lock(mutex_);
  ++counts_.batches;
  counts_.samples += batch.size();
  counts_.tokens += tokens;
  counts_.padded_tokens += batch.size() * batch.back().sample.length();
  counts_.compute_seconds += time.count();
  return computed;
}

}  // namespace tacho::infer

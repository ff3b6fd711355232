#pragma once

#include <span>
#include <string>
#include <vector>

namespace tacho {

// What is new about a job. Each kind of news has intervals of its own, so that none is covered at
// the expense of another.
enum class News { none, software, gpu, model, gpu_and_model, nodes };
inline constexpr std::size_t kNews = 6;
// … and so have jobs whose cost is unknown or rough: they are foretold far worse.
inline constexpr std::size_t kIntervalKinds = 2 * kNews;
constexpr std::size_t interval_kind(News news, bool cost_known) {
  return static_cast<std::size_t>(news) + (cost_known ? 0 : kNews);
}

enum class Scale { one_gpu, one_node, several_nodes };

// What ran a job, and what of it other jobs had told.
struct Setting {
  std::string stack = {};
  bool model_known = true;
  bool gpu_known = true;
  Scale scale = Scale::one_gpu;
};

// One job that was predicted without its group: how sure the prediction was, how wrong it was.
struct Rehearsed {
  double deviation = 0;
  double error = 0;  // in logarithms
  double weight = 1;
  News news = News::none;
  bool cost_known = true;
  Setting setting = {};
};

// Conformal intervals: a deviation is stretched so that 90 % of the rehearsed jobs that were about
// as uncertain lie within. Wider for wider deviations, always.
class ConformalInterval {
 public:
  static ConformalInterval learn(std::vector<Rehearsed> rehearsed);
  static ConformalInterval known(std::vector<double> deviations, std::vector<double> reaches);

  // In logarithms, to either side.
  [[nodiscard]] double reach(double deviation) const;
  [[nodiscard]] const std::vector<double>& deviations() const { return deviations_; }
  [[nodiscard]] const std::vector<double>& reaches() const { return reaches_; }

 private:
  // Between these points lines are drawn; beyond the last, in proportion.
  std::vector<double> deviations_;
  std::vector<double> reaches_;
};

}  // namespace tacho

#pragma once

#include <compare>
#include <string>
#include <string_view>
#include <vector>

#include "base/names.h"
#include "base/result.h"

namespace tacho {

// What each rank of a training with several GPUs trains on.
enum class DataSplit {
  part,   // its part of the dataset
  whole,  // all samples: the gradient averages more of them, an epoch has as many steps
};

inline constexpr Names<DataSplit, 2> kDataSplits{
    "data split", {{{DataSplit::part, "split"}, {DataSplit::whole, "whole"}}}};

// The settings of a training that determine the time and the accuracy of its epochs.
struct TrainingSetup {
  std::string model;
  std::string data;
  std::string gpu;
  double gpus = 1;
  double batch_per_gpu = 0;
  double workers = 0;  // processes that prepare batches, per GPU; 0: the training process does
  DataSplit data_split = DataSplit::part;  // `part` with one GPU
  double learning_rate = 0;
  auto operator<=>(const TrainingSetup&) const = default;
};

std::string text_of(const TrainingSetup& setup);

// The epochs that one rank of a published training measured.
struct TrainingRun {
  TrainingSetup setup;
  double gmacs = 0;                   // forward multiply-adds per sample, in 10⁹
  double params_m = 0;                // in 10⁶
  std::vector<double> epoch_seconds;  // with the evaluation
  std::vector<double> top1;           // after each epoch
  std::string source;
};

// Reads the format of data/catalog/cifar10_runs.csv.
Result<std::vector<TrainingRun>> read_training_runs(std::string_view csv);

// Returns the trainings that come with Tacho.
const std::vector<TrainingRun>& published_training_runs();

}  // namespace tacho

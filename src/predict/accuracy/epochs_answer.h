#pragma once

#include <string>

#include "base/estimate.h"

namespace tacho {

struct EpochsQuestion {
  std::string model;
  std::string data;
  double target = 0;  // accuracy (0 … 1) or loss
  double batch = 0;   // of all GPUs
};

struct EpochsAnswer {
  Estimate epochs;
  double epoch_samples = 0;  // samples per epoch
  std::string basis;         // "5 runs here", "263 published trainings"
  std::string options = {};  // of 'tacho train', if they differ from the defaults
};

// What trainings of a model on a dataset usually reach.
struct UsualTarget {
  double value = 0;
  std::string basis;
};

}  // namespace tacho

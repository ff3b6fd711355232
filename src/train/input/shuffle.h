#pragma once

#include "base/random.h"  // Random, which shuffles the order of an epoch

#pragma once

#include "base/vector_widths.h"

#pragma once

#include "store/run_tables.h"  // the same tables as the HTTP API exports

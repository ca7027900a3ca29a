#pragma once
#include "reports/page/parts.h"
#include "reports/render/scenario_charts.h"

/* NVIDIA's management library of a machine with two devices, the second one throttled. Not a plugin. */
#include <string.h>

struct device {
  const char* name;
  unsigned clocks[3]; /* MHz: graphics, processors, memory */
  unsigned milliwatts;
  unsigned temperature;
  unsigned long long reasons;
};

static const struct device devices[] = {
    {"Example Device 0", {1900, 1980, 2619}, 412500, 54, 0x1},
    {"Example Device 1", {1300, 1410, 2619}, 700100, 88, 0x4 | 0x20 | 0x40 | 0x100},
};

enum { kSuccess = 0, kInvalid = 2 };

int nvmlInit_v2(void) { return kSuccess; }

int nvmlDeviceGetHandleByIndex_v2(unsigned index, const struct device** device) {
  if (index > 1) return kInvalid;
  *device = &devices[index];
  return kSuccess;
}

int nvmlDeviceGetHandleByUUID(const char* uuid, const struct device** device) {
  if (strcmp(uuid, "GPU-one") != 0) return kInvalid;
  *device = &devices[1];
  return kSuccess;
}

int nvmlDeviceGetName(const struct device* device, char* name, unsigned length) {
  if (strlen(device->name) >= length) return kInvalid;
  strcpy(name, device->name);
  return kSuccess;
}

int nvmlDeviceGetClockInfo(const struct device* device, int clock, unsigned* mhz) {
  if (clock < 0 || clock > 2) return kInvalid;
  *mhz = device->clocks[clock];
  return kSuccess;
}

int nvmlDeviceGetPowerUsage(const struct device* device, unsigned* milliwatts) {
  *milliwatts = device->milliwatts;
  return kSuccess;
}

int nvmlDeviceGetTemperature(const struct device* device, int sensor, unsigned* degrees) {
  if (sensor != 0) return kInvalid;
  *degrees = device->temperature;
  return kSuccess;
}

/* As drivers before 535 call it. */
int nvmlDeviceGetCurrentClocksThrottleReasons(const struct device* device, unsigned long long* reasons) {
  *reasons = device->reasons;
  return kSuccess;
}

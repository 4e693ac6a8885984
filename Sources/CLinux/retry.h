#pragma once
#include <errno.h>

// Makes a call again that a signal interrupted; its result, or -errno.
#define RETRY(call)                                    \
  ({                                                   \
    __typeof__(call) result_;                          \
    do result_ = (call);                               \
    while (result_ < 0 && errno == EINTR);             \
    result_ < 0 ? (__typeof__(result_))-errno : result_; \
  })

/* The kernel's reading of a tiling header that includes the host's chip figures: nothing in them is the kernel's. */
#ifndef OW_DEVICE_PLATFORM_ASCENDC_H
#define OW_DEVICE_PLATFORM_ASCENDC_H
#endif

#include "textflag.h"

// Each function has a trampoline, whose address Go reads from a variable.

TEXT sense_IOServiceMatching_trampoline<>(SB),NOSPLIT,$0-0
	JMP	sense_IOServiceMatching(SB)
GLOBL	·addrIOServiceMatching(SB), RODATA, $8
DATA	·addrIOServiceMatching(SB)/8, $sense_IOServiceMatching_trampoline<>(SB)

TEXT sense_IOServiceGetMatchingService_trampoline<>(SB),NOSPLIT,$0-0
	JMP	sense_IOServiceGetMatchingService(SB)
GLOBL	·addrIOServiceGetMatchingService(SB), RODATA, $8
DATA	·addrIOServiceGetMatchingService(SB)/8, $sense_IOServiceGetMatchingService_trampoline<>(SB)

TEXT sense_IORegistryEntryCreateCFProperty_trampoline<>(SB),NOSPLIT,$0-0
	JMP	sense_IORegistryEntryCreateCFProperty(SB)
GLOBL	·addrIORegistryEntryCreateCFProperty(SB), RODATA, $8
DATA	·addrIORegistryEntryCreateCFProperty(SB)/8, $sense_IORegistryEntryCreateCFProperty_trampoline<>(SB)

TEXT sense_IOObjectRelease_trampoline<>(SB),NOSPLIT,$0-0
	JMP	sense_IOObjectRelease(SB)
GLOBL	·addrIOObjectRelease(SB), RODATA, $8
DATA	·addrIOObjectRelease(SB)/8, $sense_IOObjectRelease_trampoline<>(SB)

TEXT sense_IOPSCopyPowerSourcesInfo_trampoline<>(SB),NOSPLIT,$0-0
	JMP	sense_IOPSCopyPowerSourcesInfo(SB)
GLOBL	·addrIOPSCopyPowerSourcesInfo(SB), RODATA, $8
DATA	·addrIOPSCopyPowerSourcesInfo(SB)/8, $sense_IOPSCopyPowerSourcesInfo_trampoline<>(SB)

TEXT sense_IOPSGetProvidingPowerSourceType_trampoline<>(SB),NOSPLIT,$0-0
	JMP	sense_IOPSGetProvidingPowerSourceType(SB)
GLOBL	·addrIOPSGetProvidingPowerSourceType(SB), RODATA, $8
DATA	·addrIOPSGetProvidingPowerSourceType(SB)/8, $sense_IOPSGetProvidingPowerSourceType_trampoline<>(SB)

TEXT sense_CFStringCreateWithCString_trampoline<>(SB),NOSPLIT,$0-0
	JMP	sense_CFStringCreateWithCString(SB)
GLOBL	·addrCFStringCreateWithCString(SB), RODATA, $8
DATA	·addrCFStringCreateWithCString(SB)/8, $sense_CFStringCreateWithCString_trampoline<>(SB)

TEXT sense_CFStringGetCString_trampoline<>(SB),NOSPLIT,$0-0
	JMP	sense_CFStringGetCString(SB)
GLOBL	·addrCFStringGetCString(SB), RODATA, $8
DATA	·addrCFStringGetCString(SB)/8, $sense_CFStringGetCString_trampoline<>(SB)

TEXT sense_CFNumberGetValue_trampoline<>(SB),NOSPLIT,$0-0
	JMP	sense_CFNumberGetValue(SB)
GLOBL	·addrCFNumberGetValue(SB), RODATA, $8
DATA	·addrCFNumberGetValue(SB)/8, $sense_CFNumberGetValue_trampoline<>(SB)

TEXT sense_CFRelease_trampoline<>(SB),NOSPLIT,$0-0
	JMP	sense_CFRelease(SB)
GLOBL	·addrCFRelease(SB), RODATA, $8
DATA	·addrCFRelease(SB)/8, $sense_CFRelease_trampoline<>(SB)

TEXT sense_mach_host_self_trampoline<>(SB),NOSPLIT,$0-0
	JMP	sense_mach_host_self(SB)
GLOBL	·addrMachHostSelf(SB), RODATA, $8
DATA	·addrMachHostSelf(SB)/8, $sense_mach_host_self_trampoline<>(SB)

TEXT sense_host_statistics_trampoline<>(SB),NOSPLIT,$0-0
	JMP	sense_host_statistics(SB)
GLOBL	·addrHostStatistics(SB), RODATA, $8
DATA	·addrHostStatistics(SB)/8, $sense_host_statistics_trampoline<>(SB)

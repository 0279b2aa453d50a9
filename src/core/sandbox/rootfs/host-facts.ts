import { lstatSync } from 'node:fs'

/**
 * Files of /proc that describe the machine or all of its processes, of no use to programs. Kept:
 * what interpreters, libraries and monitors read (meminfo, cpuinfo, stat, cgroups, /proc/sys).
 * The option `subset=pid` of procfs would hide these too, and leave no mount points for others.
 */
export const FILES_OF_HOST: readonly string[] = [
  // Keyrings have no namespace: these list the keys of the caller's session.
  '/proc/keys',
  '/proc/key-users',
  '/proc/buddyinfo',
  '/proc/cmdline',
  '/proc/config.gz',
  '/proc/diskstats',
  '/proc/interrupts',
  '/proc/iomem',
  '/proc/ioports',
  '/proc/kallsyms',
  '/proc/latency_stats',
  '/proc/locks',
  '/proc/mdstat',
  '/proc/modules',
  '/proc/partitions',
  '/proc/sched_debug',
  '/proc/schedstat',
  '/proc/swaps',
  '/proc/timer_list',
  '/proc/zoneinfo',
  // The same in all runs and all containers of a machine until it restarts.
  '/proc/sys/kernel/random/boot_id',
]

/** Folders of the same kind. */
export const FOLDERS_OF_HOST: readonly string[] = [
  '/proc/acpi',
  '/proc/asound',
  '/proc/bus',
  '/proc/driver',
  '/proc/dynamic_debug',
  '/proc/fs',
  '/proc/irq',
  '/proc/scsi',
]

/** Selects the paths that exist and that a user other than root can read: others need no cover. */
export function selectReadable(paths: readonly string[]): string[] {
  return paths.filter((path) => {
    const stat = lstatSync(path, { throwIfNoEntry: false })
    return stat !== undefined && (stat.mode & 0o004) !== 0
  })
}

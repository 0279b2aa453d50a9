import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'

/**
 * Unpacked packages of Debian for arm64, and an emulator of this machine's architecture. It emulates
 * a whole machine: emulation of single programs supports no filter of system calls.
 */
export interface Arm64 {
  emulator: string
  kernel: string
  /** A root folder with Python and busybox. */
  root: string
}

/** Finds what `unpack.sh` has unpacked into the folder SKILLS_TEST_ARM64. */
export function findArm64(): Arm64 | undefined {
  const folder = process.env['SKILLS_TEST_ARM64']
  if (folder === undefined) return undefined
  const root = join(folder, 'root')
  const boot = join(folder, 'kernel/boot')
  const name = existsSync(boot) && readdirSync(boot).find((each) => each.startsWith('vmlinuz-'))
  const emulator = join(folder, 'emulator/usr/bin/qemu-system-aarch64')
  const needed = [emulator, join(root, 'usr/bin/python3.11'), join(root, 'bin/busybox')]
  if (!name || !needed.every((file) => existsSync(file))) return undefined
  return { emulator, kernel: join(boot, name), root }
}

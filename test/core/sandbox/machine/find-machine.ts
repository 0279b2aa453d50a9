import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'

/** A kernel and programs that packages of Debian ship, to boot a machine with this one's files. */
export interface Machine {
  emulator: string
  kernel: string
  /** Modules of that kernel. */
  modules: string
  /** Linked statically. */
  busybox: string
  /** The tools of AppArmor are optional. */
  apparmorParser: string | undefined
  /** Folder of AppArmor's abstractions. */
  apparmorFiles: string
}

const EMULATOR = '/usr/bin/qemu-system-x86_64'

/**
 * Finds the files of `qemu-system-x86`, `linux-image-amd64`, `busybox-static` and `apparmor`.
 * SKILLS_TEST_MACHINE names a folder into which the last three were unpacked (`dpkg -x`).
 */
export function findMachine(): Machine | undefined {
  const root = process.env['SKILLS_TEST_MACHINE'] ?? '/'
  const names = existsSync(join(root, 'boot')) ? readdirSync(join(root, 'boot')) : []
  const versions = names.flatMap((name) => /^vmlinuz-(.+-amd64)$/.exec(name)?.[1] ?? [])
  // Kernels for clouds cannot mount the files of their host.
  const version = versions.find((each) => existsSync(join(getModules(root, each), 'fs/9p/9p.ko')))
  const busybox = join(root, 'bin/busybox')
  if (version === undefined || !existsSync(busybox) || !existsSync(EMULATOR)) return undefined
  const parser = ['sbin', 'usr/sbin']
    .map((folder) => join(root, folder, 'apparmor_parser'))
    .find((file) => existsSync(file))
  return {
    emulator: EMULATOR,
    kernel: join(root, 'boot', `vmlinuz-${version}`),
    modules: getModules(root, version),
    busybox,
    apparmorParser: parser,
    apparmorFiles: join(root, 'etc/apparmor.d'),
  }
}

function getModules(root: string, version: string): string {
  return join(root, 'lib/modules', version, 'kernel')
}

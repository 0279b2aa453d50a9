import { execFile } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import type { Arm64 } from './find-arm64.ts'
import { packFiles, type PackedFolder } from './pack-files.ts'

const run = promisify(execFile)
/** Software emulation is slow, and slower on a busy machine. */
const BOOT_MS = 900_000
const OPTIONS =
  '-accel tcg,thread=multi -M virt -cpu max -m 1024 -smp 2 -nographic -no-reboot -nodefaults -serial stdio'
const PARAMETERS = 'console=ttyAMA0 quiet panic=-1'
const MARK = 'skills-result '

/** The kernel cannot change its first root, so that another mount of the same files replaces it. */
const INIT = `#!/bin/busybox sh
/bin/busybox mount --bind /machine /machine
cd /machine
/bin/busybox mount --move . /
exec /bin/busybox chroot . /bin/busybox sh /steps.sh
`
const STEPS = `export PATH=/usr/bin
busybox mount -t proc proc /proc
busybox mount -t sysfs sysfs /sys
busybox mount -t devtmpfs dev /dev
python3 -I -S /test/drive.py
echo o > /proc/sysrq-trigger
busybox sleep 60
`

/**
 * Boots a machine with these folders in addition to those of the packages. Returns the object that
 * drive.py printed.
 */
export async function bootArm64(
  arm64: Arm64,
  dir: string,
  folders: readonly PackedFolder[],
): Promise<unknown> {
  const root = join(dir, 'machine')
  createRoot(arm64.root, root)
  const top = join(dir, 'first')
  mkdirSync(join(top, 'bin'), { recursive: true })
  cpSync(join(arm64.root, 'bin/busybox'), join(top, 'bin/busybox'))
  writeFileSync(join(top, 'init'), INIT, { mode: 0o755 })
  const packed = join(dir, 'first.gz')
  const all = [
    { source: join(top, 'bin'), target: '/bin' },
    { source: join(top, 'init'), target: '/init' },
    { source: root, target: '/machine' },
    ...folders.map(({ source, target }) => ({ source, target: `/machine${target}` })),
  ]
  writeFileSync(packed, packFiles(all))
  const { stdout } = await run(
    arm64.emulator,
    [...OPTIONS.split(' '), '-kernel', arm64.kernel, '-initrd', packed, '-append', PARAMETERS],
    { timeout: BOOT_MS, maxBuffer: 1024 ** 3 },
  )
  const line = stdout.split(/\r?\n/).find((each) => each.startsWith(MARK))
  if (line === undefined) throw new Error(`The machine printed no result: ${stdout.slice(-3000)}`)
  return JSON.parse(line.slice(MARK.length))
}

/** Merges the folders of the packages into /usr, as Debian does. */
function createRoot(packages: string, root: string): void {
  cpSync(packages, root, { recursive: true, verbatimSymlinks: true })
  for (const name of ['bin', 'lib', 'sbin']) {
    const folder = join(root, name)
    mkdirSync(join(root, 'usr', name), { recursive: true })
    if (existsSync(folder)) {
      cpSync(folder, join(root, 'usr', name), { recursive: true, verbatimSymlinks: true })
      rmSync(folder, { recursive: true })
    }
    symlinkSync(`usr/${name}`, folder)
  }
  symlinkSync('python3.11', join(root, 'usr/bin/python3'))
  for (const name of ['dev', 'proc', 'sys', 'tmp', 'run', 'etc/alternatives'])
    mkdirSync(join(root, name), { recursive: true })
  writeFileSync(join(root, 'steps.sh'), STEPS)
}

import { execFile } from 'node:child_process'
import { copyFileSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { promisify } from 'node:util'
import type { Machine } from './find-machine.ts'

const run = promisify(execFile)
/** Each after those that it needs. */
const MODULES = [
  ...['virtio_ring', 'virtio', 'virtio_pci_modern_dev', 'virtio_pci_legacy_dev', 'virtio_pci'].map(
    (name) => `drivers/virtio/${name}.ko`,
  ),
  'fs/netfs/netfs.ko',
  'fs/fscache/fscache.ko',
  'net/9p/9pnet.ko',
  'net/9p/9pnet_virtio.ko',
  'fs/9p/9p.ko',
  'fs/overlayfs/overlay.ko',
]
const MOUNT_9P = 'mount -t 9p -o trans=virtio,version=9p2000.L,msize=262144'
/** Software emulation is slow, and slower on a busy machine. */
const BOOT_MS = 900_000

/**
 * Boots a kernel of a package with this machine's files, which it cannot change, and runs a script
 * as root. Returns the files that the script wrote to `$RESULTS`, by name.
 */
export async function bootMachine(
  machine: Machine,
  dir: string,
  script: string,
): Promise<Readonly<Record<string, string>>> {
  const results = join(dir, 'results')
  mkdirSync(results)
  const steps = join(dir, 'steps.sh')
  writeFileSync(steps, script)
  const share = (id: string, path: string, access: string) => [
    '-fsdev',
    `local,id=${id},path=${path},security_model=none,multidevs=remap${access}`,
    '-device',
    `virtio-9p-pci,fsdev=${id},mount_tag=${id}`,
  ]
  await run(
    machine.emulator,
    [
      ...'-accel tcg,thread=multi -cpu max -m 2048 -smp 2 -nographic -no-reboot'.split(' '),
      ...'-nodefaults -serial stdio'.split(' '),
      '-kernel',
      machine.kernel,
      '-initrd',
      await packFirstFiles(machine, dir, steps),
      '-append',
      'console=ttyS0 quiet panic=-1 lsm=apparmor',
      ...share('host', '/', ',readonly=on'),
      ...share('results', results, ''),
    ],
    { timeout: BOOT_MS, maxBuffer: 1024 ** 3 },
  ).catch((error: Error & { stdout?: string }) => {
    throw new Error(`The machine did not end: ${error.stdout?.slice(-2000) ?? error.message}`)
  })
  return Object.fromEntries(
    readdirSync(results).map((name) => [name, readFileSync(join(results, name), 'utf8')]),
  )
}

/** The first files of the kernel: modules, and a script that mounts this machine's files. */
async function packFirstFiles(machine: Machine, dir: string, steps: string): Promise<string> {
  const first = join(dir, 'first')
  for (const each of ['bin', 'dev', 'proc', 'sys', 'new', 'lower', 'memory', 'modules'])
    mkdirSync(join(first, each), { recursive: true })
  copyFileSync(machine.busybox, join(first, 'bin/busybox'))
  for (const path of MODULES)
    copyFileSync(join(machine.modules, path), join(first, 'modules', basename(path)))
  writeFileSync(join(first, 'init'), renderInit(steps), { mode: 0o755 })
  const packed = join(dir, 'first.gz')
  const command = `find . | ${machine.busybox} cpio -o -H newc | gzip -1 > ${packed}`
  await run('sh', ['-c', command], { cwd: first })
  return packed
}

/** Changes of files stay in the machine's memory. */
function renderInit(steps: string): string {
  return `#!/bin/busybox sh
for each in proc sys dev new lower memory; do /bin/busybox mkdir -p /$each; done
/bin/busybox --install -s /bin
export PATH=/bin
${MODULES.map((path) => `insmod /modules/${basename(path)}`).join('\n')}
${MOUNT_9P},ro,cache=loose host /lower
mount -t tmpfs memory /memory
mkdir /memory/upper /memory/work
mount -t overlay -o lowerdir=/lower,upperdir=/memory/upper,workdir=/memory/work overlay /new
mkdir -p /new/proc /new/sys /new/dev /new/results
mount -t proc proc /new/proc
mount -t sysfs sysfs /new/sys
mount -t devtmpfs dev /new/dev
mkdir -p /new/dev/pts /new/dev/shm
mount -t devpts devpts /new/dev/pts
mount -t tmpfs shm /new/dev/shm
mount -t cgroup2 cgroup2 /new/sys/fs/cgroup
mount -t securityfs none /new/sys/kernel/security
${MOUNT_9P} results /new/results
cp /bin/busybox /memory/busybox
RESULTS=/results exec switch_root /new /bin/sh -c '. ${steps}; sync; echo o > /proc/sysrq-trigger; sleep 60'
`
}

import { execFile } from 'node:child_process'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'

const ROOT = fileURLToPath(new URL('../../../../', import.meta.url))
const INSIDE = fileURLToPath(new URL('inside.js', import.meta.url))
const QUIETLY = 'con=null con0=null,fd:1 quiet'
/** The program has child processes that must end with it. */
const BOOT = ['-s', 'KILL', '560']
const run = promisify(execFile)

/** Of Debian's package `user-mode-linux`. */
const PACKAGED_KERNEL = '/usr/bin/linux.uml'

/**
 * A Linux kernel that runs as an ordinary program (User Mode Linux), with cgroup version 2
 * regardless of this machine's kernel.
 */
export const KERNEL: string | undefined =
  process.env['SKILLS_TEST_KERNEL'] ?? (existsSync(PACKAGED_KERNEL) ? PACKAGED_KERNEL : undefined)

/** Results of the steps inside that kernel, by name. */
export type StepResults = Readonly<Record<string, Record<string, unknown>>>

/** Boots it with this machine's files and runs each step as a process of its own. */
export async function bootVersion2(dir: string): Promise<StepResults> {
  const dist = join(dir, 'dist')
  await run(process.execPath, [
    join(ROOT, 'node_modules/typescript/bin/tsc'),
    '-p',
    join(ROOT, 'tsconfig.build.json'),
    '--outDir',
    dist,
  ]).catch(() => {
    // tsc emits despite type errors; types are checked elsewhere.
  })
  await run('cp', ['-r', join(ROOT, 'src/guest'), dist])
  await run('ln', ['-s', join(ROOT, 'node_modules'), join(dir, 'node_modules')])
  writeFileSync(join(dir, 'package.json'), '{"type":"module"}')
  await run('cp', [INSIDE, join(dir, 'inside.js')])
  await run('chmod', ['-R', 'a+rX', dir])
  const first = join(dir, 'init')
  writeFileSync(first, renderInitScript(dir), { mode: 0o755 })
  writeFileSync(join(dir, 'enter'), ENTER_SCRIPT, { mode: 0o755 })
  await run(
    'timeout',
    [
      ...BOOT,
      KERNEL as string,
      ...`mem=1G root=/dev/root rootfstype=hostfs rootflags=/ rw init=${first} ${QUIETLY}`.split(
        ' ',
      ),
    ],
    { env: { PATH: process.env['PATH'], HOME: dir } },
  ).catch(() => {
    // The exit code means nothing: the results are in the file.
  })
  return Object.fromEntries(
    readFileSync(join(dir, 'said'), 'utf8')
      .split('\n')
      .filter((line) => line.startsWith('{'))
      .map((line) => JSON.parse(line) as { step: string })
      .map(({ step, ...said }) => [step, said]),
  )
}

/**
 * Moves itself into a group and becomes a command. On a busy machine, that kernel occasionally
 * refuses the first attempt.
 */
const ENTER_SCRIPT = `#!/bin/sh
group=/sys/fs/cgroup/$1
shift
for attempt in 1 2 3 4 5; do
  echo $$ 2>/dev/null > $group/cgroup.procs && break
  sleep 1
done
exec "$@"
`

/**
 * Builds the first process: it mounts the usual filesystems, creates groups, runs the steps and
 * powers off. That kernel occasionally loses the exit of a process killed for lack of memory, so a
 * step that hangs is run again, in a group that no earlier attempt has changed.
 */
function renderInitScript(dir: string): string {
  const node = process.execPath
  const step = (name: string) => `${node} inside.js ${name}`
  const again = (...commands: string[]) => commands.join(' || ')
  const repeat = (command: string) => again(...Array.from({ length: 5 }, () => command))
  const user = `setpriv --reuid 65534 --regid 65534 --clear-groups env -i HOME=${dir}/own TMPDIR=${dir}/own PATH=$PATH`
  return `#!/bin/sh
export PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin
cd ${dir}
exec > said 2>&1
mount -t proc proc /proc
mount -t sysfs sysfs /sys
mount -t cgroup2 cgroup2 /sys/fs/cgroup
mkdir own && mount -t tmpfs tmpfs own -o mode=777
C=/sys/fs/cgroup
${repeat(step('top'))}
${repeat(step('total'))}
${repeat(step('weights'))}
mkdir $C/alone
${repeat(`./enter alone ${step('alone')}`)}
mkdir $C/crowded
./enter crowded sh -c '${repeat(step('crowded'))}'
${repeat(`./enter . ${user} ${step('undelegated')}`)}
mkdir $C/given
for group in first second third again more; do mkdir $C/given/$group; done
echo '+memory +pids' > $C/given/cgroup.subtree_control
chown -R 65534 $C/given
${again(...['first', 'again', 'more'].map((group) => `./enter given/${group} ${user} ${step('given')}`))}
./enter given/second sh -c '${repeat(`${user} ${step('beside')}`)}'
${again(...['third', 'again', 'more'].map((group) => `./enter given/${group} ${user} ${step('run')}`))}
find $C -name 'skills.*' | sed 's/^/left: /'
sync
echo o > /proc/sysrq-trigger
sleep 5
`
}

import { execFile } from 'node:child_process'
import { chmodSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'

const ROOT = fileURLToPath(new URL('../../../../', import.meta.url))
const INSIDE = fileURLToPath(new URL('inside.js', import.meta.url))
const QUIETLY = 'con=null con0=null,fd:1 quiet'
/** The program has child processes that must end with it. */
const BOOT = ['-s', 'KILL', '150']
const run = promisify(execFile)

/**
 * A Linux kernel that runs as an ordinary program (User Mode Linux), with cgroup version 2
 * regardless of this machine's kernel.
 */
export const KERNEL: string | undefined = process.env['SKILLS_TEST_KERNEL']

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
  writeFileSync(first, renderInitScript(dir))
  chmodSync(first, 0o755)
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
 * Builds the first process: it mounts the usual filesystems, creates groups, runs the steps and
 * powers off. That kernel occasionally loses the exit of a process killed for lack of memory, so a
 * step that hangs is run once more.
 */
function renderInitScript(dir: string): string {
  const node = process.execPath
  const step = (name: string) => `${node} inside.js ${name}`
  const user = `setpriv --reuid 65534 --regid 65534 --clear-groups env -i HOME=${dir}/own TMPDIR=${dir}/own PATH=$PATH`
  const within = (group: string, command: string) =>
    `sh -c 'echo $$ > /sys/fs/cgroup/${group}/cgroup.procs; exec ${command}'`
  return `#!/bin/sh
export PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin
cd ${dir}
exec > said 2>&1
mount -t proc proc /proc
mount -t sysfs sysfs /sys
mount -t cgroup2 cgroup2 /sys/fs/cgroup
mkdir own && mount -t tmpfs tmpfs own -o mode=777
C=/sys/fs/cgroup
${step('top')} || ${step('top')}
${step('total')} || ${step('total')}
mkdir $C/alone
${within('alone', step('alone'))} || ${within('alone', step('alone'))}
mkdir $C/crowded
sh -c 'echo $$ > '$C'/crowded/cgroup.procs; ${step('crowded')} || ${step('crowded')}'
${within('', `${user} ${step('undelegated')}`)} || ${within('', `${user} ${step('undelegated')}`)}
mkdir $C/given $C/given/first $C/given/second $C/given/third $C/given/again
echo '+memory +pids' > $C/given/cgroup.subtree_control
chown -R 65534 $C/given
${within('given/first', `${user} ${step('given')}`)} || ${within('given/again', `${user} ${step('given')}`)}
sh -c 'echo $$ > '$C'/given/second/cgroup.procs; ${user} ${step('beside')} || ${user} ${step('beside')}'
${within('given/third', `${user} ${step('run')}`)} || ${within('given/again', `${user} ${step('run')}`)}
find $C -name 'skills.*' | sed 's/^/left: /'
sync
echo o > /proc/sysrq-trigger
sleep 5
`
}

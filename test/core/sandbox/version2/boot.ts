import { execFile } from 'node:child_process'
import { chmodSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'

const ROOT = fileURLToPath(new URL('../../../../', import.meta.url))
const INSIDE = fileURLToPath(new URL('inside.js', import.meta.url))
const QUIETLY = 'con=null con0=null,fd:1 quiet'
/** The program has processes of its own, which shall end with it. */
const BOOT = ['-s', 'KILL', '150']
const run = promisify(execFile)

/** A Linux kernel as an ordinary program: it has version 2 whatever this machine's kernel uses. */
export const KERNEL: string | undefined = process.env['SKILLS_TEST_KERNEL']

/** What the steps inside of that kernel said, by name. */
export type Said = Readonly<Record<string, Record<string, unknown>>>

/** Boots it over this machine's files and runs each step as a process of its own. */
export async function bootVersion2(dir: string): Promise<Said> {
  const dist = join(dir, 'dist')
  await run(process.execPath, [
    join(ROOT, 'node_modules/typescript/bin/tsc'),
    '-p',
    join(ROOT, 'tsconfig.build.json'),
    '--outDir',
    dist,
  ]).catch(() => {
    // It writes what it can, and types are checked elsewhere.
  })
  await run('cp', ['-r', join(ROOT, 'src/guest'), dist])
  await run('ln', ['-s', join(ROOT, 'node_modules'), join(dir, 'node_modules')])
  writeFileSync(join(dir, 'package.json'), '{"type":"module"}')
  await run('cp', [INSIDE, join(dir, 'inside.js')])
  await run('chmod', ['-R', 'a+rX', dir])
  const first = join(dir, 'init')
  writeFileSync(first, firstProcess(dir))
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
    // How it ended says nothing: what was done is in the file.
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
 * The first process: mounts what a system has, lays out groups, takes the steps, turns off.
 * That kernel now and then loses the end of a process that memory ran out for: a step that hangs
 * is taken once more.
 */
function firstProcess(dir: string): string {
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

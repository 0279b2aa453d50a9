import { createHash, randomBytes } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { assertThat } from '../../conformance/assertions.ts'
import {
  expectOutput,
  finishTrial,
  readFirstLine,
  runTrial,
  startTrial,
  within,
  type ExecutorRequirement,
} from './requirement.ts'

const MANY_BYTES = 3 * 1024 ** 2
const KILL_MS = 20_000

const ECHO =
  'import os\nwhile 1:\n b=os.read(0,65536)\n if not b:break\n while b:b=b[os.write(1,b):]'
const DIGEST =
  'import hashlib,os\nh=hashlib.sha256()\nwhile 1:\n b=os.read(0,65536)\n if not b:break\n h.update(b)\nprint(h.hexdigest())'

/** The first process of a namespace survives its own signal. */
const SELF_KILL = 'import os\nos.kill(os.getpid(),9)\nraise SystemExit(9)'

/** Commands and their streams. */
export const COMMAND_REQUIREMENTS: readonly ExecutorRequirement[] = [
  {
    id: 'command/python',
    text: 'A command is Python 3.9 or newer on Linux',
    async check(trial) {
      const code = 'import sys\nprint(sys.platform, sys.version_info >= (3, 9))'
      expectOutput(await runTrial(trial, code), 'linux True')
    },
  },
  {
    id: 'command/output',
    text: 'stdout has all bytes that the command wrote, in order, and nothing else',
    async check(trial) {
      const code = `import os\nb=bytes(range(256))*${MANY_BYTES / 256}\nwhile b:b=b[os.write(1,b):]`
      const { stdout } = await runTrial(trial, code)
      const expected = Buffer.alloc(
        MANY_BYTES,
        Buffer.from(Array.from({ length: 256 }, (_, at) => at)),
      )
      assertThat(stdout.length === MANY_BYTES, `${stdout.length} of ${MANY_BYTES} bytes arrived`)
      assertThat(stdout.equals(expected), 'the bytes changed on the way')
    },
  },
  {
    id: 'command/input',
    text: 'The command reads all bytes of stdin, and then its end',
    async check(trial) {
      const input = randomBytes(MANY_BYTES)
      const expected = createHash('sha256').update(input).digest('hex')
      expectOutput(await runTrial(trial, DIGEST, { input }), expected)
    },
  },
  {
    id: 'command/dialogue',
    text: 'Input and output are passed on while the command runs',
    async check(trial) {
      const command = await startTrial(trial, ECHO)
      command.stdin.write('first\n')
      const line = await readFirstLine(command)
      assertThat(line === 'first', `"first" came back as "${line}"`)
      command.stdin.end()
      await finishTrial(command)
    },
  },
  {
    id: 'command/slow-reader',
    text: 'Output is kept for a reader that pauses',
    async check(trial) {
      const command = await startTrial(
        trial,
        `import os\nb=b"x"*${MANY_BYTES}\nwhile b:b=b[os.write(1,b):]`,
      )
      command.stdin.end()
      await sleep(1000)
      const { stdout } = await finishTrial(command)
      assertThat(stdout.length === MANY_BYTES, `${stdout.length} of ${MANY_BYTES} bytes arrived`)
    },
  },
  {
    id: 'command/exit-code',
    text: 'The exit code is that of the command',
    async check(trial) {
      const { exit } = await runTrial(trial, 'raise SystemExit(7)')
      assertThat(exit.exitCode === 7, `expected 7, got ${exit.exitCode}`)
    },
  },
  {
    id: 'command/killed-by-signal',
    text: 'A command that a signal ended has no exit code of a success',
    async check(trial) {
      const { exit } = await runTrial(trial, SELF_KILL)
      assertThat(exit.exitCode !== 0, 'expected null or a code other than 0, got 0')
    },
  },
  {
    id: 'command/concurrent',
    text: 'Commands run at the same time, each with its own streams',
    async check(trial) {
      const commands = await Promise.all(
        ['a', 'b', 'c'].map(async (name) => ({ name, command: await startTrial(trial, ECHO) })),
      )
      for (const { name, command } of commands) command.stdin.write(`${name}\n`)
      const lines = await Promise.all(
        commands.map(async ({ command }) => await readFirstLine(command)),
      )
      for (const { command } of commands) command.kill()
      const expected = commands.map(({ name }) => name)
      assertThat(
        lines.join() === expected.join(),
        `expected ${expected.join()}, got ${lines.join()}`,
      )
    },
  },
  {
    id: 'command/kill',
    text: 'kill ends the command and its children, also with input left',
    async check(trial) {
      const code = 'import os,time\nos.fork()\nprint("up",flush=True)\ntime.sleep(600)'
      const command = await startTrial(trial, code)
      await readFirstLine(command)
      command.kill()
      await within(command.exited, 'a killed command did not end', KILL_MS)
      command.kill()
    },
  },
  {
    id: 'command/kill-daemon',
    text: 'kill ends processes that left the session of the command',
    needs: { isolates: 'processes' },
    async check(trial) {
      const code = [
        'import os,time',
        'if os.fork()==0:',
        ' os.setsid()',
        ' if os.fork():os._exit(0)',
        ' while 1:os.write(1,b"beat\\n");time.sleep(0.1)',
        'time.sleep(600)',
      ].join('\n')
      const command = await startTrial(trial, code)
      await readFirstLine(command)
      let beats = 0
      command.stdout.on('data', () => (beats += 1))
      command.kill()
      await within(command.exited, 'a killed command did not end', KILL_MS)
      const before = beats
      await sleep(1000)
      assertThat(beats === before, 'a daemon of the command was alive after its end')
    },
  },
  {
    id: 'command/cancelled-start',
    text: 'A start that is cancelled rejects, or its command ends',
    async check(trial) {
      const controller = new AbortController()
      controller.abort()
      const start = startTrial({ ...trial, signal: controller.signal }, ECHO)
      const command = await within(
        start.catch(() => undefined),
        'the start did not end',
        KILL_MS,
      )
      if (!command) return
      command.kill()
      await within(command.exited, 'the command did not end', KILL_MS)
    },
  },
  {
    id: 'command/folder',
    text: 'The command may create folders, programs and links where the executor says',
    async check(trial) {
      const folder = trial.executor.folder ?? '/tmp'
      const path = `${folder === '/' ? '' : folder}/skills-trial-${randomBytes(6).toString('hex')}`
      const code = [
        'import os,shutil,subprocess',
        `os.mkdir(${JSON.stringify(path)},0o700);os.chdir(${JSON.stringify(path)})`,
        'open("p","w").write("#!/bin/sh\\necho ran")',
        'os.chmod("p",0o755);os.symlink("p","l")',
        'print(subprocess.check_output([os.path.abspath("l")]).decode().strip())',
        `os.chdir("/");shutil.rmtree(${JSON.stringify(path)})`,
      ].join('\n')
      expectOutput(await runTrial(trial, code), 'ran')
    },
  },
]

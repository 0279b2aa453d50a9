import { assertThat, formatValue } from '../../conformance/assertions.ts'
import type { RunCall } from '../../core/runs/run-call.ts'
import { SkillsError } from '../../errors.ts'
import { checkNetwork } from './check-network.ts'
import type { ExecutorRequirement } from './requirement.ts'
import { expectValue, openTrialRuntime } from './trial-runtime.ts'

const SECRET = 'kept-from-all-output-4711'
const SESSION = { session: 'trial', agent: 'trial' }

/** Whole runs of a runtime, whose policy, audit and redaction apply by every executor. */
export const RUN_REQUIREMENTS: readonly ExecutorRequirement[] = [
  {
    id: 'runs/function',
    text: 'A function gets its arguments, prints to the logs and returns its value',
    async check(trial) {
      const { runtime, call } = await openTrialRuntime(trial)
      const code = 'def main(args):\n    print("to the logs")\n    return {"sum": args["a"] + 1}\n'
      const result = await runtime.runCode({ language: 'python', code, args: { a: 1 } }, call)
      expectValue(result.output, { sum: 2 })
      assertThat(result.logs_preview.includes('to the logs'), 'the logs lack its output')
      expectValue(result.isolation?.executor, trial.executor.name)
    },
  },
  {
    id: 'runs/blobs',
    text: 'A function reads the blobs that it is granted, and writes new ones',
    async check(trial) {
      const { runtime, call } = await openTrialRuntime(trial)
      const { blob_id: id } = await runtime.createBlob({ content: 'abc', kind: 'text/plain' })
      const code = [
        'from runtime import blobs',
        'def main(args):',
        '    return {"id": blobs.write_text(blobs.read_text(args["blob"]).upper())}',
      ].join('\n')
      const params = { language: 'python', code, args: { blob: id }, input_blobs: [id] } as const
      const { output, error } = await runtime.runCode(params, call)
      assertThat(error === undefined, `the run failed: ${error?.message}`)
      const written = await runtime.readBlob({ blob_id: (output as { id: string }).id })
      expectValue(written.content, 'ABC')
    },
  },
  {
    id: 'runs/workspace',
    text: 'Files that a command creates, changes and removes are so for the next command',
    async check(trial) {
      const { runtime, call } = await openTrialRuntime(trial)
      const exec = async (command: string) =>
        await runtime.workspaceExec({ ...SESSION, command }, call)
      await exec('mkdir -p work/d && echo one > work/d/a && echo old > work/b && ln -s a work/d/l')
      await exec(
        'echo two > work/b && rm work/d/a && printf "#!/bin/sh\\necho ran" > work/p && chmod +x work/p',
      )
      const { output } = await exec('cat work/b; ls work/d; readlink work/d/l; work/p')
      expectValue(output, 'two\nl\na\nran\n')
    },
  },
  {
    id: 'runs/files-after-timeout',
    text: 'Files that a command wrote before its time was over are kept',
    async check(trial) {
      const { runtime, call } = await openTrialRuntime(trial)
      const command = 'echo kept > work/a; sleep 600'
      const ended = await runtime.workspaceExec({ ...SESSION, command, timeout: 3 }, call)
      assertThat(
        ended.warnings?.some((each) => each.startsWith('Timeout')) === true,
        'the time limit did not end the command',
      )
      const { output } = await runtime.workspaceExec({ ...SESSION, command: 'cat work/a' }, call)
      expectValue(output, 'kept\n')
    },
  },
  {
    id: 'runs/program',
    text: 'A program gets its input, and its output and exit code are returned',
    async check(trial) {
      const { runtime, call } = await openTrialRuntime(trial)
      const code = 'import sys\nprint(sys.stdin.read().upper(), end="")\nsys.exit(3)'
      const params = { runtime: 'python', code, stdin: 'abc', outputMode: 'summary' } as const
      const { stdoutSummary, exitCode } = await runtime.execute(params, call)
      expectValue([stdoutSummary, exitCode], ['ABC', 3])
    },
  },
  {
    id: 'runs/network',
    text: 'A skill reaches the destinations of its list through the runtime, and no other',
    needs: { isolates: 'network' },
    check: checkNetwork,
  },
  {
    id: 'runs/time-limit',
    text: 'A function is ended by its time limit',
    async check(trial) {
      const { runtime, call } = await openTrialRuntime(trial)
      const code = 'import time\ndef main(args):\n    time.sleep(600)\n'
      const params = { language: 'python', code, limits: { timeout_ms: 3000 } } as const
      const { error } = await runtime.runCode(params, call)
      expectValue(error?.type, 'Timeout')
    },
  },
  {
    id: 'runs/output-limit',
    text: 'A function is ended by the limit of its output',
    async check(trial) {
      const { runtime, call } = await openTrialRuntime(trial, { 'run.limits.output': '64KiB' })
      const code = 'def main(args):\n    while True:\n        print("x" * 1000)\n'
      const { error } = await runtime.runCode({ language: 'python', code }, call)
      expectValue(error?.type, 'OutputLimit')
    },
  },
  {
    id: 'runs/cancel',
    text: 'A cancelled run ends, and its command with it',
    async check(trial) {
      const { runtime, call } = await openTrialRuntime(trial)
      const controller = new AbortController()
      const code =
        'import time\ndef main(args):\n    print("up", flush=True)\n    time.sleep(600)\n'
      const onEvent: RunCall['onEvent'] = (event) => {
        if (event.type === 'log') controller.abort()
      }
      const own = { ...call, signal: controller.signal, onEvent }
      const thrown = await runtime.runCode({ language: 'python', code }, own).then(
        () => undefined,
        (error: unknown) => error,
      )
      const status = thrown instanceof SkillsError ? thrown.code : formatValue(thrown)
      expectValue(status, 'run/cancelled')
    },
  },
  {
    id: 'runs/redaction',
    text: 'Secrets are masked in the output of a run',
    async check(trial) {
      const { runtime, call } = await openTrialRuntime(trial)
      const code = `def main(args):\n    print("${SECRET}")\n    return "${SECRET}"\n`
      const grants = { secrets: new Map([['TRIAL', SECRET]]) }
      const result = await runtime.runCode({ language: 'python', code }, { ...call, grants })
      assertThat(!JSON.stringify(result).includes(SECRET), 'the result contains the secret')
    },
  },
  {
    id: 'runs/audit',
    text: 'A run is in the audit log, with its start and its end',
    async check(trial) {
      const { runtime, call, data } = await openTrialRuntime(trial)
      const code = 'def main(args):\n    return 1\n'
      const { run_id: id } = await runtime.runCode({ language: 'python', code }, call)
      const source = await runtime.auditSource()
      const lines: string[] = []
      for (const segment of await source.segments()) {
        for await (const batch of segment.lines()) lines.push(...batch.map(({ text }) => text))
      }
      const own = lines.filter((line) => line.includes(id))
      assertThat(own.length >= 2, `${own.length} records of the run are in the log of ${data}`)
    },
  },
  {
    id: 'runs/policy',
    text: 'A run that the policy refuses starts no command',
    async check(trial) {
      let started = 0
      const executor = {
        ...trial.executor,
        start: async (command: Parameters<typeof trial.executor.start>[0]) => {
          started += 1
          return await trial.executor.start(command)
        },
      }
      const { runtime, call } = await openTrialRuntime(
        { ...trial, executor },
        { 'runtime.enabled': false },
      )
      const params = { runtime: 'python', code: 'print(1)' } as const
      const { status } = await runtime.execute(params, call)
      expectValue(status, 'denied')
      assertThat(started === 0, 'a command was started for a refused run')
    },
  },
  {
    id: 'runs/strict',
    text: 'A run that requires strict isolation has it, or is refused',
    async check(trial) {
      const settings = { 'run.require_isolation': 'strict' }
      const { runtime, call } = await openTrialRuntime(trial, settings)
      const code = 'def main(args):\n    return 1\n'
      const ended = await runtime.runCode({ language: 'python', code }, call).then(
        ({ isolation }) => isolation?.tier,
        (error: unknown) => (error instanceof SkillsError ? error.code : String(error)),
      )
      assertThat(
        ended === 'strict' || ended === 'sandbox/too-weak',
        `expected the tier strict or the error sandbox/too-weak, got ${ended}`,
      )
    },
  },
]

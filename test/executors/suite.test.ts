// @module-tag slow
// @module-tag nightly
import { PassThrough, Transform } from 'node:stream'
import { expect, it } from 'vitest'
import { checkExecutor, EXECUTOR_REQUIREMENTS, type Executor } from '../../src/executors/index.ts'
import type { ExecutorProcess } from '../../src/executors/index.ts'
import { createPlainExecutor } from './plain-executor.ts'

/** An executor whose processes are changed by a fault. */
function createFaulty(
  change: (process: ExecutorProcess) => Partial<ExecutorProcess>,
  own: Partial<Executor> = {},
): Executor {
  const plain = createPlainExecutor()
  return {
    ...plain,
    ...own,
    async start(command) {
      const process = await plain.start(command)
      return { ...process, ...change(process) }
    },
  }
}

async function findFailed(executor: Executor, only: readonly string[]): Promise<string[]> {
  const findings = await checkExecutor(executor, { only })
  return findings.filter(({ verdict }) => verdict === 'failed').map(({ id }) => id)
}

const EVERYTHING: Executor['guarantees'] = {
  isolates: ['files', 'network', 'processes', 'user', 'system calls'],
  limits: ['cpu', 'memory', 'processes', 'disk'],
}

it('an executor whose stdout loses the last bytes fails', async () => {
  const cut = new Transform({
    transform(chunk: Buffer, _, done) {
      done(null, chunk.subarray(0, chunk.length - 1))
    },
  })
  const executor = createFaulty(({ stdout }) => ({ stdout: stdout.pipe(cut) }))
  expect(await findFailed(executor, ['command/output'])).toEqual(['command/output'])
})

it('an executor that invents the exit code of a success fails', async () => {
  const executor = createFaulty(({ exited }) => ({ exited: exited.then(() => ({ exitCode: 0 })) }))
  const only = ['command/exit-code', 'command/killed-by-signal']
  expect(await findFailed(executor, only)).toEqual(only)
})

it('an executor that buffers its input fails', async () => {
  const executor = createFaulty(({ stdin }) => {
    const buffer = new PassThrough()
    buffer.once('end', () => stdin.end(Buffer.concat(chunks)))
    const chunks: Buffer[] = []
    buffer.on('data', (chunk: Buffer) => void chunks.push(chunk))
    return { stdin: buffer }
  })
  const only = ['command/input', 'command/dialogue']
  expect(await findFailed(executor, only)).toEqual(['command/dialogue'])
}, 120_000)

it('an executor that claims isolation which it does not have fails', async () => {
  const executor = createPlainExecutor({ guarantees: EVERYTHING })
  expect(await findFailed(executor, ['isolation/files', 'isolation/files-of-others'])).toEqual([
    'isolation/files',
    'isolation/files-of-others',
  ])
  const others = ['isolation/network', 'isolation/user', 'isolation/system-calls']
  expect(await findFailed(executor, others)).toContain('isolation/network')
})

it('an executor that claims limits which it does not have fails', async () => {
  const executor = createPlainExecutor({ guarantees: EVERYTHING })
  expect(await findFailed(executor, ['limits/memory', 'limits/disk'])).toEqual([
    'limits/memory',
    'limits/disk',
  ])
}, 120_000)

it('an unknown requirement is refused with its name', async () => {
  await expect(checkExecutor(createPlainExecutor(), { only: ['runs/nothing'] })).rejects.toThrow(
    '"runs/nothing" is not a requirement on executors',
  )
  expect(new Set(EXECUTOR_REQUIREMENTS.map(({ id }) => id)).size).toBe(EXECUTOR_REQUIREMENTS.length)
})

// @module-tag slow
// @module-tag nightly
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, expect, it } from 'vitest'
import { finishTrial, startTrial } from '../../src/executors/conformance/requirement.ts'
import { containerExecutor, sandboxExecutor } from '../../src/executors/index.ts'

const env = { PATH: process.env['PATH'], HOME: process.env['HOME'] }
const BYTES = 200_000
/** Longer than a run waits for the end of its streams after its processes are dead. */
const PAUSE_MS = 12_000

const executors = [sandboxExecutor({ env }), containerExecutor({ env, engine: 'podman' })]
const tried = await Promise.all(
  executors.map(async (executor) => ({ executor, here: await executor.probe?.() })),
)
afterAll(async () => {
  for (const each of executors) await each.close?.()
})

for (const { executor, here } of tried) {
  const whyNot = here?.ok === true ? '' : ` (not run: ${here?.detail})`
  it.skipIf(whyNot !== '')(
    `the executor ${executor.name} keeps output of an ended command for a reader that pauses${whyNot}`,
    async () => {
      const trial = { executor, signal: new AbortController().signal, folder: '/' }
      const code = `import os\nb=b"x"*${BYTES}\nwhile b:b=b[os.write(1,b):]`
      const command = await startTrial(trial, code)
      command.stdin.end()
      await sleep(PAUSE_MS)
      const { stdout, exit } = await finishTrial(command)
      expect([stdout.length, exit.exitCode]).toEqual([BYTES, 0])
    },
    120_000,
  )
}

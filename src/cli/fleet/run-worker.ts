import { createPolicySource } from '../../core/policy/load-policy.ts'
import { openWorker } from '../../fleet/worker/open-worker.ts'
import { getFlagOption, getTextOption, type CommandLine } from '../command.ts'
import type { Context } from '../context.ts'
import { openConfig } from '../runtime.ts'
import { openServerLog, readGrace } from '../serve/read-options.ts'
import { VERSION } from '../version.ts'
import { openNode } from './open-node.ts'

/** Performs calls of the fleet until a signal, or until `skills fleet drain`. */
export async function runWorker(context: Context, call: CommandLine): Promise<number> {
  const graceMs = readGrace(call)
  const log = await openServerLog(context, call)
  const loaded = await openConfig(context, { 'secrets.file': getTextOption(call, 'secretsFile') })
  const { engine, identity, origins } = await openNode(context, call, {
    loaded,
    directory: 'data',
  })
  try {
    const worker = await openWorker({
      engine,
      identity,
      origins,
      policy: createPolicySource(origins.config),
      build: VERSION,
      env: context.env,
      cwd: context.cwd,
      allowNetwork: getFlagOption(call, 'allowNetwork'),
      onProblem: (message, reason) => log.write('warn', message, { reason }),
    })
    const { pool } = origins.config.worker
    report(context, { node: identity.name, slots: worker.places, pool, engine: engine.version })
    await Promise.race([waitUntilStopped(context.signal), worker.drained])
    context.note('Stopping: waiting for runs to finish; press Ctrl-C to end them')
    await worker.stop(graceMs)
  } finally {
    await engine.close()
    log.flush?.()
  }
  return 0
}

interface ReadyWorker {
  node: string
  slots: number
  pool: string
  /** Version of the engine. */
  engine: string
}

function report(context: Context, ready: ReadyWorker): void {
  if (context.global.json) return context.document('skills.worker-ready/v1', { ...ready })
  context.print(`Worker "${ready.node}" performs up to ${ready.slots} runs of the fleet`)
}

async function waitUntilStopped(signal: AbortSignal): Promise<void> {
  await new Promise<void>((done) => {
    if (signal.aborted) return done()
    signal.addEventListener('abort', () => done(), { once: true })
  })
}

import type { CommandLine } from '../command.ts'
import type { Context } from '../context.ts'
import { requireJetStream } from './engine-problems.ts'
import { useFleetEngine } from './open-fleet.ts'
import { printStatus } from './print-status.ts'
import { readStatus } from './read-status.ts'

const NOT_READY = 1

/** `skills fleet status`; returns 0 if a worker accepts calls. */
export async function showFleetStatus(context: Context, call: CommandLine): Promise<number> {
  return await useFleetEngine(context, call, async (fleet) => {
    await requireJetStream(fleet)
    const status = await readStatus(context, fleet)
    if (context.global.json) context.document('skills.fleet-status/v1', status)
    else printStatus(context, status)
    return status.problem === null ? 0 : NOT_READY
  })
}

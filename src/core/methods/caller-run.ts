import { describeFoundRun } from '../runs/detached/describe-run-state.ts'
import type { FoundRun } from '../runs/detached/find-run.ts'
import type { Services } from '../services.ts'
import { createCallerMask, type CallerContext } from './caller-record.ts'
import { mapTexts } from './map-texts.ts'
import type { CallerRun } from './run-view.ts'

type RunServices = Pick<Services, 'runs' | 'config'>

/** Describes a run for its caller, with the same texts as its record. */
export async function describeCallerRun(
  services: RunServices,
  found: FoundRun,
  call: CallerContext,
): Promise<CallerRun> {
  const run = await describeFoundRun(services, found)
  const mask = createCallerMask(services, call)
  if (!mask || run.error === null || (await wasStarted(services, found))) return run
  // The error of a run that started nothing is about this machine.
  return { ...run, error: mapTexts(run.error, mask) as CallerRun['error'] }
}

/** A detached run that ended before it was recorded has no record. */
async function wasStarted(
  { runs }: RunServices,
  { recordedId, isRunning }: FoundRun,
): Promise<boolean> {
  if (isRunning || recordedId === undefined) return false
  return (await (await runs()).get(recordedId).catch(() => undefined))?.isolation != null
}

import { SkillsError } from '../../errors.ts'
import type { Engine } from '../engine/engine.ts'

const CLOCK_SUBJECT = 'k.keeper.clock'
/** Shorter than the ages at which uploads and entries may be removed. */
const MAX_DIFFERENCE_MS = 300_000

/** Reads the clock of the engine, in milliseconds since 1970: it stores a message and reads its time. */
export async function readEngineClock(engine: Engine): Promise<number> {
  await engine.append('state', CLOCK_SUBJECT, '')
  return (await engine.last('state', CLOCK_SUBJECT))?.storedAt ?? Date.now()
}

/**
 * Throws if the clock of this machine differs from the engine's. Sweeps compare both: a clock that is
 * ahead would take uploads of running writers for abandoned ones.
 */
export async function checkEngineClock(engine: Engine): Promise<void> {
  const sentAt = Date.now()
  const difference = sentAt - (await readEngineClock(engine))
  if (Math.abs(difference) < MAX_DIFFERENCE_MS) return
  const minutes = Math.round(Math.abs(difference) / 60_000)
  const direction = difference > 0 ? 'ahead of' : 'behind'
  throw new SkillsError(
    'fleet/unavailable',
    `The clock of this machine is ${minutes} minutes ${direction} that of the engine, so nothing is removed`,
    { hint: 'Set both clocks by NTP' },
  )
}

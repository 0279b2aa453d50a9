import { createPathMask } from '../../util/text/mask-paths.ts'
import type { RunRecord } from '../runs/history/run-record.ts'
import type { RunCall } from '../runs/run-call.ts'
import type { Services } from '../services.ts'
import type { PlainObject } from '../skills/manifest/manifest.ts'
import { mapTexts } from './map-texts.ts'

/** Parts of a call that decide which texts of this machine its caller sees. */
export type CallerContext = Pick<RunCall, 'caller' | 'cwd' | 'env'>

/**
 * Returns a function that converts records for a caller. Only an operator sees paths of this machine
 * and positions in the audit log.
 */
export function createRecordFilter(
  services: Pick<Services, 'config'>,
  reader: CallerContext,
): (record: RunRecord) => PlainObject {
  const mask = createCallerMask(services, reader)
  return (record) => (mask ? hideHost(record, mask) : record) as never
}

/** Returns a function that masks paths of this machine in a text; undefined for an operator. */
export function createCallerMask(
  { config }: Pick<Services, 'config'>,
  { caller, cwd, env }: CallerContext,
): ((text: string) => string) | undefined {
  if (caller?.name === undefined || caller.isOperator === true) return undefined
  const { roots, directories } = config
  const folders = [...roots, directories.data, directories.cache, cwd, env['HOME']]
  return createPathMask(folders.filter((each) => each !== undefined))
}

/** Only these parts are texts of this runtime: others are those of the run, as its result has them. */
function hideHost(record: RunRecord, mask: (text: string) => string): RunRecord {
  const { policy, request, error, isolation } = record
  const { audit: _, ...visiblePolicy } = policy
  const isUnprepared = record.kind === 'execute' && !request.program
  return {
    ...record,
    policy: mapTexts(visiblePolicy, mask) as RunRecord['policy'],
    ...(isUnprepared && { request: mapTexts(request, mask) as RunRecord['request'] }),
    // The error of a run that started nothing is about this machine.
    ...(isolation === null && { error: mapTexts(error, mask) as RunRecord['error'] }),
  }
}

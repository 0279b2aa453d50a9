/** Parts of a run that are resources. */
export const OUTPUT = 'output'
export const LOGS = 'logs'
export const RECORD = 'record'

/** Limits the returned logs of a run, in characters; the beginning is removed. */
export const MAX_LOG_CHARACTERS: number = 1024 ** 2

export const RUN_TEMPLATE = 'run://{id}/{part}'

/** Builds the URI of a part of a run. */
export function buildRunUri(id: string, part: string): string {
  return `run://${id}/${part}`
}

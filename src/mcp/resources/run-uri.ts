/** Parts of a run that are resources. */
export const OUTPUT = 'output'
export const LOGS = 'logs'
export const RECORD = 'record'

export const RUN_TEMPLATE = 'run://{id}/{part}'

/** Builds the URI of a part of a run. */
export function buildRunUri(id: string, part: string): string {
  return `run://${id}/${part}`
}

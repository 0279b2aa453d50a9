import type { Attempt, EgressRunRequest } from './worker-protocol.ts'

/** Bytes of a large response. */
export const LARGE = 4 * 1024 ** 2

type AddressBuilder = (scheme: 'http' | 'https') => string

/** Ways to transfer more than a run may. */
const ATTEMPTS: Readonly<Record<string, (api: AddressBuilder) => Attempt>> = {
  'downloads through the proxy': (api) => ['size', `${api('http')}/large`],
  'downloads through a tunnel': (api) => ['size', `${api('https')}/large`],
  'downloads without the proxy': (api) => ['size_without_proxy', `${api('https')}/large`],
  'uploads through the proxy': (api) => ['upload', `${api('http')}/`, LARGE],
  'uploads without the proxy': (api) => ['upload_without_proxy', `${api('https')}/`, LARGE],
  'looks names up without end': () => ['flood_names', 'api.example.test', LARGE],
}

export const TRANSFERS = Object.keys(ATTEMPTS)

/** Creates one run per way, with a limit of 1 MiB. A run that is not ended sleeps. */
export function createTransfers(
  api: AddressBuilder,
  allowPrivate: readonly string[],
): Record<string, EgressRunRequest> {
  const runs = Object.entries(ATTEMPTS).map(([name, attempt]) => {
    const request: EgressRunRequest = {
      list: [api('http'), api('https')],
      allowPrivate,
      networkBytes: 1024 ** 2,
      attempts: [attempt(api), ['sleep', 60]],
    }
    return [name, request] as const
  })
  return Object.fromEntries(runs)
}

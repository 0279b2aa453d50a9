import { readFileSync } from 'node:fs'

/** The package's own version: package.json is the only place that states it. */
export const VERSION: string = (
  JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')) as {
    version: string
  }
).version

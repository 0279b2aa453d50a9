import { readFileSync } from 'node:fs'

/** Package version; package.json is its only source. */
export const VERSION: string = (
  JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')) as {
    version: string
  }
).version

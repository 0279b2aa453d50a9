// Makes Node load the whole of TypeScript, and imports without extensions.
import { createRequire, register } from 'node:module'
import { join } from 'node:path'

const options = Object.fromEntries(new URL(import.meta.url).searchParams)
// Lines in errors are those of the source.
process.setSourceMapsEnabled(true)
// ES modules have no `require`, but models often use it.
globalThis.require ??= createRequire(join(process.cwd(), '/'))

register('./typescript-hooks.mjs', import.meta.url, {
  data: { ...options, cwd: process.cwd(), strips: process.features.typescript === 'strip' },
})

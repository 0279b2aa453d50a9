import { fileURLToPath } from 'node:url'
// @ts-expect-error -- a script without types
import { isBuilt } from '../../scripts/source-digest.js'

/**
 * Tests that need a process start the built program: Node reads it in a fraction of the time in which it would
 * transform the sources.
 */
if (!isBuilt())
  throw new Error(
    'dist is not built from these sources: type "node scripts/build.js", or use npm test',
  )

/** The built program, for Node. */
export const BIN: string = fileURLToPath(new URL('../../bin/skills.js', import.meta.url))

/** argv that starts the program. */
export const PROGRAM: readonly string[] = [process.execPath, BIN]

/** Module for `node --import`, with which a TypeScript file of the tests runs on the built modules instead of src. */
export const BUILT_MODULES: string = fileURLToPath(new URL('built-modules.js', import.meta.url))

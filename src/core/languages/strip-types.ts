import { realpathSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname } from 'node:path'
import type { ToolMount } from './language.ts'

/** Path inside the sandbox, in the part of the guest for languages other than Python. */
const HOOK_PATH = '/guest/node_modules/runtime/strip-types.mjs'
/** Path inside the sandbox of the package that strips types. */
const STRIPPER_TARGET = '/strip-types'

/** The first version of Node that strips types by default. */
export const STRIPS_TYPES_SINCE = '22.18.0'

/** Builds arguments that make an older Node load TypeScript. Set `onHost` if nothing is mounted. */
export function buildStripTypesArgs(onHost = false): string[] {
  const { main, folder } = findStripper()
  const from = onHost ? main : STRIPPER_TARGET + main.slice(folder.length)
  return ['--import', `${HOOK_PATH}?from=${encodeURIComponent(from)}`]
}

/** Returns the mount that these arguments need. */
export function getStripTypesMount(): ToolMount {
  return { source: findStripper().folder, target: STRIPPER_TARGET }
}

function findStripper(): { main: string; folder: string } {
  const main = realpathSync(createRequire(import.meta.url).resolve('@swc/wasm-typescript'))
  return { main, folder: dirname(main) }
}

import { realpathSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname } from 'node:path'
import type { ToolMount } from './language.ts'

/** In the part of the guest that other languages than Python have. */
const HOOK_PATH = '/guest/node_modules/runtime/strip-types.mjs'
/** Where the package that does it lies inside. */
const STRIPPER_TARGET = '/strip-types'

/** From then on Node strips types without being asked to. */
export const STRIPS_TYPES_SINCE = '22.18.0'

/** What has a Node load TypeScript that cannot by itself; `mapRequestToHost` where nothing is mounted. */
export function buildStripTypesArgs(onHost = false): string[] {
  const { main, folder } = findStripper()
  const from = onHost ? main : STRIPPER_TARGET + main.slice(folder.length)
  return ['--import', `${HOOK_PATH}?from=${encodeURIComponent(from)}`]
}

/** What those words need to be there. */
export function getStripTypesMount(): ToolMount {
  return { source: findStripper().folder, target: STRIPPER_TARGET }
}

function findStripper(): { main: string; folder: string } {
  const main = realpathSync(createRequire(import.meta.url).resolve('@swc/wasm-typescript'))
  return { main, folder: dirname(main) }
}

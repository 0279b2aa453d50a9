import { realpathSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname } from 'node:path'
import type { ToolMount } from './resolved-language.ts'

/** In the guest, which every run has. */
const HOOK = '/guest/node_modules/runtime/strip-types.mjs'
/** Where the package that does it lies inside. */
const STRIPPER = '/strip-types'

/** What has a Node load TypeScript that cannot by itself. */
export function stripTypesWords(): string[] {
  const { main, folder } = findStripper()
  return ['--import', `${HOOK}?from=${encodeURIComponent(STRIPPER + main.slice(folder.length))}`]
}

/** What those words need to be there. */
export function stripTypesMount(): ToolMount {
  return { source: findStripper().folder, target: STRIPPER }
}

function findStripper(): { main: string; folder: string } {
  const main = realpathSync(createRequire(import.meta.url).resolve('@swc/wasm-typescript'))
  return { main, folder: dirname(main) }
}

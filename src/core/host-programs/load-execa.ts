import { closeSync, openSync } from 'node:fs'
import type { execa } from 'execa'

/** Files that are open at once while execa is loaded; Node never repeats an import that failed. */
const LOAD_DESCRIPTORS = 64
/** Without pipes for a child, execa throws and Node emits an error that nothing can handle. */
const SPAWN_DESCRIPTORS = 16

let loaded: typeof execa | undefined

/** Loads execa with the first program that is started; undefined where too many files are open. */
export async function loadExeca(): Promise<typeof execa | undefined> {
  if (!loaded && !hasDescriptors(LOAD_DESCRIPTORS)) return undefined
  loaded ??= (await import('execa')).execa
  return hasDescriptors(SPAWN_DESCRIPTORS) ? loaded : undefined
}

function hasDescriptors(count: number): boolean {
  const opened: number[] = []
  try {
    while (opened.length < count) opened.push(openSync('/dev/null', 'r'))
    return true
  } catch {
    return false
  } finally {
    for (const descriptor of opened) closeSync(descriptor)
  }
}

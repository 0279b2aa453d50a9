import { closeSync, openSync } from 'node:fs'
import type { execa } from 'execa'

/**
 * Upper bound of descriptors that are open while execa loads. Node caches a failed import for good,
 * so the import starts only when they are available.
 */
const LOAD_DESCRIPTORS = 64
/**
 * Descriptors for the pipes of one child. Without them, execa throws and Node emits an unhandled
 * error.
 */
const SPAWN_DESCRIPTORS = 16

let loaded: typeof execa | undefined

/**
 * Loads execa lazily, with the first program. Returns undefined if too few file descriptors are
 * available.
 */
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

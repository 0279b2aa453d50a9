import { readFileSync } from 'node:fs'

/** Reads a text that the specification prescribes word by word. */
export function readProtocolText(name: string): string {
  return readFileSync(new URL(`../fixtures/protocol/${name}`, import.meta.url), 'utf8')
}

import { openSync, readdirSync, readFileSync, writeSync } from 'node:fs'
import { join } from 'node:path'

/** What a process did, written by itself to a file that the engine does not know. */
export type HistoryEntry =
  | { t: 'begin' | 'end'; call: string; node: string; attempt: number; at: number }
  | { t: 'asked'; call: string; at: number }
  | { t: 'answered'; call: string; outcome: string; at: number }

/** Opens a history; each entry is written at once, so that a killed process leaves all of them. */
export function openHistory(dir: string, name: string): (entry: HistoryEntry) => void {
  const file = openSync(join(dir, `${name}.jsonl`), 'a')
  return (entry) => void writeSync(file, `${JSON.stringify(entry)}\n`)
}

export function readHistories(dir: string): HistoryEntry[] {
  return readdirSync(dir)
    .filter((name) => name.endsWith('.jsonl'))
    .flatMap((name) => readFileSync(join(dir, name), 'utf8').split('\n'))
    .filter((line) => line.endsWith('}'))
    .map((line) => JSON.parse(line) as HistoryEntry)
}

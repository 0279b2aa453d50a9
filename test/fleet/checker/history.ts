import { openSync, readdirSync, readFileSync, writeSync } from 'node:fs'
import { join } from 'node:path'

/** A fault that a scenario caused, or its end. */
export type FaultName = 'kill' | 'stop' | 'block' | 'continue' | 'drain' | 'engine' | 'cancel'

/** An entry that a process wrote to a file of its own, which the engine does not know. */
export type HistoryEntry =
  | { t: 'begin' | 'end'; call: string; node: string; attempt: number; at: number }
  | { t: 'asked'; call: string; node: string; at: number }
  | { t: 'answered'; call: string; node: string; outcome: string; result?: unknown; at: number }
  | { t: 'fault'; fault: FaultName; node: string; at: number }

/** Opens a history. Each entry is written at once, so that a killed process leaves all of them. */
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

import { createHash } from 'node:crypto'
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const CORPUS = fileURLToPath(new URL('corpus', import.meta.url))

/**
 * Inputs of the repository: those that reach blocks of their own, and those that found a bug, whose
 * names begin with `regression-`.
 */
export function readCorpus(name: string, prefix = ''): Buffer[] {
  const dir = join(CORPUS, name)
  const files = listFiles(dir).filter((file) => file.startsWith(prefix))
  return files.map((file) => readFileSync(join(dir, file)))
}

/** Adds inputs to the repository's corpus. */
export function addToCorpus(name: string, inputs: readonly Buffer[]): void {
  for (const input of inputs) writeInput(join(CORPUS, name), input)
}

/** Writes an input to a file that has its digest as name, and returns the path. */
export function writeInput(dir: string, input: Buffer): string {
  mkdirSync(dir, { recursive: true })
  const file = join(dir, createHash('sha256').update(input).digest('hex').slice(0, 12))
  writeFileSync(file, input)
  return file
}

function listFiles(dir: string): string[] {
  try {
    return readdirSync(dir).sort()
  } catch {
    return []
  }
}

import { expect } from 'vitest'
import type { RunReport } from '../worker-protocol.ts'

/** Expects a completed run, with this output if one is given. */
export function expectCompleted(output?: unknown): (report: RunReport) => void {
  return ({ result, thrown }) => {
    expect(thrown).toBeUndefined()
    expect(result?.error).toBeUndefined()
    expect(result?.status).toBe('completed')
    if (output !== undefined) expect(result?.output).toEqual(output)
  }
}

/** Expects a failed run without output. */
export function expectFailed(...types: string[]): (report: RunReport) => void {
  return ({ result, thrown }) => {
    expect(thrown).toBeUndefined()
    expect(result?.status).toBe('failed')
    expect(result?.output).toBeUndefined()
    if (types.length > 0) expect(types).toContain(result?.error?.type)
  }
}

/** Expects a run that was refused before its start. */
export function expectRefused(code: string): (report: RunReport) => void {
  return ({ result, thrown }) => {
    expect(result).toBeUndefined()
    expect(thrown?.code).toBe(code)
  }
}

/** True if the text contains no unpaired surrogates. */
export function hasNoLoneSurrogate(text = ''): boolean {
  return Buffer.from(text).toString() === text
}

/** Joins all output of a run, including its blobs, into one text. */
export function joinOutput({ result, logs, blobs }: RunReport): string {
  const texts = logs.map(({ text }) => text).join('')
  return `${JSON.stringify(result)}\n${texts}\n${blobs.map(({ kind, content }) => kind + Buffer.from(content, 'latin1').toString()).join('\n')}`
}

import { expect } from 'vitest'
import type { RunReport } from '../worker-protocol.ts'

/** The run came to its end with this value, where one is given. */
export function completed(output?: unknown): (report: RunReport) => void {
  return ({ result, thrown }) => {
    expect(thrown).toBeUndefined()
    expect(result?.error).toBeUndefined()
    expect(result?.status).toBe('completed')
    if (output !== undefined) expect(result?.output).toEqual(output)
  }
}

/** The run is told as failed, and nothing as its value. */
export function failed(...types: string[]): (report: RunReport) => void {
  return ({ result, thrown }) => {
    expect(thrown).toBeUndefined()
    expect(result?.status).toBe('failed')
    expect(result?.output).toBeUndefined()
    if (types.length > 0) expect(types).toContain(result?.error?.type)
  }
}

/** The run was refused before it began. */
export function refused(code: string): (report: RunReport) => void {
  return ({ result, thrown }) => {
    expect(result).toBeUndefined()
    expect(thrown?.code).toBe(code)
  }
}

/** Whether a text has no half characters. */
export function isWhole(text = ''): boolean {
  return Buffer.from(text).toString() === text
}

/** All that was said and stored, as one text. */
export function saidBy({ result, logs, blobs }: RunReport): string {
  const texts = logs.map(({ text }) => text).join('')
  return `${JSON.stringify(result)}\n${texts}\n${blobs.map(({ kind, content }) => kind + Buffer.from(content, 'latin1').toString()).join('\n')}`
}

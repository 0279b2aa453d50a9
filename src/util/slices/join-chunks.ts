import type { Steps } from './run-in-slices.ts'

/** Joins chunks like `Buffer.concat`: most of its time is the first use of new memory. */
export function* joinChunks(chunks: readonly Buffer[]): Steps<Buffer> {
  if (chunks[0] && chunks.length === 1) return chunks[0]
  const size = chunks.reduce((sum, { length }) => sum + length, 0)
  const joined = Buffer.allocUnsafe(size)
  let end = 0
  for (const chunk of chunks) {
    joined.set(chunk, end)
    end += chunk.length
    yield
  }
  return joined
}

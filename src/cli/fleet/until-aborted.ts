import { SkillsError } from '../../errors.ts'

/** Resolves as the work does, or rejects with `run/cancelled` when the signal is aborted before. */
export async function untilAborted<T>(signal: AbortSignal, work: Promise<T>): Promise<T> {
  let onAbort = () => {}
  const aborted = new Promise<never>((_, reject) => {
    onAbort = () => reject(new SkillsError('run/cancelled', 'Interrupted'))
    if (signal.aborted) onAbort()
    else signal.addEventListener('abort', onAbort, { once: true })
  })
  try {
    return await Promise.race([work, aborted])
  } finally {
    signal.removeEventListener('abort', onAbort)
  }
}

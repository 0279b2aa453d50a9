import type { EndReason, SandboxProcess } from '../../sandbox/backend.ts'

/** Ends a sandbox at its timeout, when its caller cancels, or when following it fails. */
export async function enforceTimeout<T>(
  sandbox: Pick<SandboxProcess, 'kill' | 'exited'>,
  { wallMs, signal, end }: TimeoutOptions,
  follow: () => Promise<T>,
): Promise<T> {
  const timer = setTimeout(() => end('wall'), wallMs)
  const cancel = () => end('cancelled')
  signal?.addEventListener('abort', cancel, { once: true })
  if (signal?.aborted) cancel()
  try {
    return await follow()
  } catch (error) {
    sandbox.kill('cancelled')
    await sandbox.exited
    throw error
  } finally {
    clearTimeout(timer)
    signal?.removeEventListener('abort', cancel)
  }
}

interface TimeoutOptions {
  wallMs: number
  signal: AbortSignal | undefined
  end: (reason: EndReason) => void
}

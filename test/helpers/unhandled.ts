import { onTestFinished } from 'vitest'

/** Collects errors that would end the process outside of a test. */
export function collectUnhandled(): unknown[] {
  const errors: unknown[] = []
  const collect = (error: unknown) => void errors.push(error)
  const others = process.listeners('uncaughtException')
  process.removeAllListeners('uncaughtException').on('uncaughtException', collect)
  onTestFinished(() => {
    process.off('uncaughtException', collect)
    for (const each of others) process.on('uncaughtException', each)
  })
  return errors
}

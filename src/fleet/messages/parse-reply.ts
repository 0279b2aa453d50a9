import type { CallReply } from './call-messages.ts'

/** Checks the shape of a reply, as far as fronts read it. */
export function isCallReply(message: object): message is CallReply {
  const { t, n, fact, answer, start } = message as { [name: string]: unknown }
  if (t === 'accepted') return typeof start === 'string'
  if (t === 'fact') return Number.isSafeInteger(n) && isFact(fact)
  if (t === 'ending' || t === 'end') return isAnswer(answer)
  return t === 'busy' || t === 'taken' || t === 'unsure'
}

function isFact(value: unknown): boolean {
  if (typeof value !== 'object' || value === null || !('k' in value)) return false
  if (value.k !== 'event') return typeof value.k === 'string'
  return 'event' in value && typeof value.event === 'object' && value.event !== null
}

function isAnswer(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false
  if ('error' in value) {
    const { error } = value
    return typeof error === 'object' && error !== null && 'code' in error && 'message' in error
  }
  return 'result' in value || 'ref' in value
}

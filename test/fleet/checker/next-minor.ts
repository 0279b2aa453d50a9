import type { Engine, EngineMessage } from '../../../src/fleet/engine/engine.ts'

/** Version of the messages of the next minor. */
export const NEXT_MINOR = '1.1'

/** Position of the body among the arguments of each method that sends one. */
const BODIES: Readonly<Record<string, number>> = { publish: 1, request: 1, create: 2, append: 2 }

/**
 * An engine as a node of the next minor uses it: each message that it sends or stores has the newer version,
 * and fields that this version does not know.
 */
export function speakNextMinor(engine: Engine): Engine {
  return new Proxy(engine, {
    get(target, key) {
      const value = Reflect.get(target, key, target) as unknown
      if (typeof value !== 'function') return value
      const method = (value as (...args: unknown[]) => unknown).bind(target)
      if (key === 'subscribe')
        return (pattern: string, handle: (message: EngineMessage) => void) =>
          target.subscribe(pattern, (message) => handle(answerNextMinor(message)))
      const at = BODIES[String(key)]
      if (at === undefined) return method
      return (...args: unknown[]) => method(...args.with(at, addFields(args[at])))
    },
  })
}

function answerNextMinor(message: EngineMessage): EngineMessage {
  const { subject, body } = message
  return { subject, body, respond: (answer) => message.respond(addFields(answer)) }
}

/** Adds fields to a message and to the objects in it, as far as they have names of the protocol. */
function addFields<T>(body: T): T {
  if (typeof body !== 'string' || !body.startsWith('{')) return body
  const message = JSON.parse(body) as Record<string, unknown>
  for (const name of ['sent', 'fact'])
    if (message[name]) message[name] = { ...message[name], added: true }
  if ('v' in message) message['v'] = NEXT_MINOR
  return JSON.stringify({ ...message, added: { list: [1] } }) as T
}

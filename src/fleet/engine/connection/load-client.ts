import type * as Jetstream from '@nats-io/jetstream'
import type * as Transport from '@nats-io/transport-node'
import { SkillsError } from '../../../errors.ts'

// Inferred, the type would have the path of a package in it, which a linked node_modules does not allow.
export type EngineClient = Omit<typeof Transport & typeof Jetstream, 'default'>

/** The client of the engine, which is an optional package: only a fleet needs it. */
export async function loadClient(): Promise<EngineClient> {
  try {
    const [transport, jetstream] = await Promise.all([
      import('@nats-io/transport-node'),
      import('@nats-io/jetstream'),
    ])
    return { ...transport, ...jetstream }
  } catch (cause) {
    throw new SkillsError(
      'config/invalid',
      'A fleet needs the client of NATS, which is not installed',
      {
        hint: 'Type "npm install @nats-io/transport-node@3.3.1 @nats-io/jetstream@3.3.1"',
        cause,
      },
    )
  }
}

export type EngineConnection = Awaited<ReturnType<EngineClient['connect']>>
export type EngineManager = Awaited<ReturnType<EngineClient['jetstreamManager']>>

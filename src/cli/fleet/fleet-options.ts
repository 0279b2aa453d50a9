import type { OptionDefinition } from '../command.ts'

/** Selects the engine of a fleet. */
export const FLEET_OPTION: OptionDefinition = {
  flags: '--fleet <url>',
  description:
    'Use the engine at this address, such as nats://127.0.0.1:4222 (default: fleet.servers)',
}

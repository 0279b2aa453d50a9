import { setFlagsFromString } from 'node:v8'

/**
 * Stops the growth of V8's young generation, for commands that read large data. It grows with what
 * survives start-up, up to 32 MiB, but their objects are short-lived. Must be called before the
 * command's modules are loaded.
 */
export function limitYoungGeneration(): void {
  setFlagsFromString('--semi-space-growth-factor=1')
}

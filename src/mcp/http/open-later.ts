import type { McpOptions } from '../mcp-options.ts'
import type { HttpDoor } from './http-door.ts'

/** The same door, loaded when somebody comes to it: a server without such clients starts sooner. */
export function openHttpDoorLater(options: McpOptions): HttpDoor {
  let door: Promise<HttpDoor> | undefined
  const load = async () => (await import('./http-door.ts')).openHttpDoor(options)
  return {
    answer: async (request) => await (await (door ??= load())).answer(request),
    skillsChanged: () => void door?.then((opened) => opened.skillsChanged()),
    drain: () => void door?.then((opened) => opened.drain()),
    close: async () => await (await door)?.close(),
  }
}

import type { Engine, ListOptions, EngineStream } from '../engine/engine.ts'
import type { WorkPermit } from './term.ts'

/** Returns an engine whose operations throw as soon as the permit ends, before they are sent and after. */
export function guardEngine(engine: Engine, permit: WorkPermit): Engine {
  const guard = async <T>(operate: () => Promise<T>): Promise<T> => {
    permit.check()
    const result = await operate()
    permit.check()
    return result
  }
  return {
    tenant: engine.tenant,
    version: engine.version,
    health: engine.health,
    publish(...message) {
      permit.check()
      engine.publish(...message)
    },
    subscribe: (...args) => engine.subscribe(...args),
    onReturn: (handle) => engine.onReturn(handle),
    request: async (...args) => await guard(async () => await engine.request(...args)),
    create: async (...args) => await guard(async () => await engine.create(...args)),
    createWithAck: async (...args) => await guard(async () => await engine.createWithAck(...args)),
    append: async (...args) => await guard(async () => await engine.append(...args)),
    replace: async (...args) => await guard(async () => await engine.replace(...args)),
    last: async (...args) => await guard(async () => await engine.last(...args)),
    watch: async (...args) => await guard(async () => await engine.watch(...args)),
    remove: async (...args) => await guard(async () => await engine.remove(...args)),
    subjects: async (...args) => await guard(async () => await engine.subjects(...args)),
    openQueue: async (...args) => await guard(async () => await engine.openQueue(...args)),
    measure: async (...args) => await guard(async () => await engine.measure(...args)),
    list: (stream, pattern, options) =>
      listGuarded({ engine, permit }, stream, { pattern, options }),
    // The connection belongs to the node.
    close: async () => {},
  }
}

async function* listGuarded(
  { engine, permit }: { engine: Engine; permit: WorkPermit },
  stream: EngineStream,
  { pattern, options }: { pattern: string; options: ListOptions | undefined },
) {
  permit.check()
  for await (const message of engine.list(stream, pattern, options)) {
    permit.check()
    yield message
  }
  permit.check()
}

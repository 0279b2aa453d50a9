import type { Engine } from '../../../src/fleet/engine/engine.ts'

type Create = Engine['create']

/** An engine whose writes of single messages are changed. */
export function wrapCreate(
  engine: Engine,
  create: (write: Create, ...args: Parameters<Create>) => ReturnType<Create>,
): Engine {
  return new Proxy(engine, {
    get(target, key) {
      const value = Reflect.get(target, key, target) as unknown
      if (typeof value !== 'function') return value
      const method = (value as (...args: unknown[]) => unknown).bind(target)
      if (key !== 'create') return method
      return async (...args: Parameters<Create>) => await create(method as Create, ...args)
    },
  })
}

import { expect, it } from 'vitest'
import { loadLazily } from '../../src/util/load-lazily.ts'

it('a loaded value is returned without another load', async () => {
  let loads = 0
  const get = loadLazily(async () => ({ number: ++loads }))
  expect(loads).toBe(0)
  expect(await get()).toEqual({ number: 1 })
  expect(get()).toEqual({ number: 1 })
})

it('a failed load is retried', async () => {
  let loads = 0
  const get = loadLazily(async () => {
    if (++loads === 1) throw new Error('not yet')
    return loads
  })
  await expect(Promise.resolve(get())).rejects.toThrow('not yet')
  expect(await get()).toBe(2)
})

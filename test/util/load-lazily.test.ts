import { expect, it } from 'vitest'
import { loadLazily } from '../../src/util/load-lazily.ts'

it('a loaded value is returned without another load', async () => {
  let asked = 0
  const get = loadLazily(async () => ({ number: ++asked }))
  expect(asked).toBe(0)
  expect(await get()).toEqual({ number: 1 })
  expect(get()).toEqual({ number: 1 })
})

it('a failed load is retried', async () => {
  let asked = 0
  const get = loadLazily(async () => {
    if (++asked === 1) throw new Error('not yet')
    return asked
  })
  await expect(Promise.resolve(get())).rejects.toThrow('not yet')
  expect(await get()).toBe(2)
})

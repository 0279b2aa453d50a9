import { expect, it } from 'vitest'
import { RecentValueCache } from '../../../src/core/sandbox/recent-value-cache.ts'

it('a recent value is reused for the same key and found again for another one', async () => {
  const cache = new RecentValueCache<number>()
  let asked = 0
  const find = async () => (asked += 1)
  const [key, other] = [{}, {}]
  expect(await cache.get({ key, text: 'a' }, find)).toBe(1)
  expect(await cache.get({ key, text: 'a' }, find)).toBe(1)
  expect(await cache.get({ key, text: 'b' }, find)).toBe(2)
  expect(await cache.get({ key: other, text: 'b' }, find)).toBe(3)
})

it('a failure is not cached as a recent value', async () => {
  const cache = new RecentValueCache<number>()
  const key = {}
  const failing = cache.get({ key, text: '' }, async () => await Promise.reject(new Error('no')))
  await expect(failing).rejects.toThrow('no')
  expect(await cache.get({ key, text: '' }, async () => 1)).toBe(1)
})

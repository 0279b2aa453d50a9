import { expect, it } from 'vitest'
import { Lately } from '../../../../src/core/sandbox/warm/lately.ts'

it('asks once for what is asked again at once, and anew for anything else', async () => {
  const lately = new Lately<number>()
  let asked = 0
  const find = async () => (asked += 1)
  const [key, other] = [{}, {}]
  expect(await lately.get({ key, words: 'a' }, find)).toBe(1)
  expect(await lately.get({ key, words: 'a' }, find)).toBe(1)
  expect(await lately.get({ key, words: 'b' }, find)).toBe(2)
  expect(await lately.get({ key: other, words: 'b' }, find)).toBe(3)
})

it('does not remember what failed', async () => {
  const lately = new Lately<number>()
  const key = {}
  const failing = lately.get({ key, words: '' }, async () => await Promise.reject(new Error('no')))
  await expect(failing).rejects.toThrow('no')
  expect(await lately.get({ key, words: '' }, async () => 1)).toBe(1)
})

import { expect, it } from 'vitest'
import { toSnakeKeys } from '../../src/util/snake-keys.ts'

it('changes camelCase keys at every depth, and no value', () => {
  const value = { wallMs: 1, nested: [{ openFiles: 'totalMemory' }], wall_ms2: null, 'a b': true }
  expect(toSnakeKeys(value)).toEqual({
    wall_ms: 1,
    nested: [{ open_files: 'totalMemory' }],
    wall_ms2: null,
    'a b': true,
  })
})

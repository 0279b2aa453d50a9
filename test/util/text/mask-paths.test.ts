import { describe, expect, it } from 'vitest'
import { createPathMask } from '../../../src/util/text/mask-paths.ts'

const mask = createPathMask(['/home/me', '/srv/skills data'])

describe('maskPaths()', () => {
  it.each([
    ['Cannot read "/home/me/x.toml"', 'Cannot read "…/x.toml"'],
    ['at /srv/skills data/blobs', 'at …/blobs'],
    ['(/usr/lib/python3/x.py:3)', '(…:3)'],
    ['file:///etc/passwd', 'file:///etc/passwd'],
  ])('masks %s', (text, masked) => expect(mask(text)).toBe(masked))

  it.each([
    '/workspace/out.txt',
    '/skills/demo.greet/code/main.py',
    'https://a.example/b/c',
    'a/b/c',
    '1/2',
  ])('leaves %s', (text) => expect(mask(text)).toBe(text))
})

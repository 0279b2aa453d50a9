import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'

const ROOT = fileURLToPath(new URL('../', import.meta.url))
const FILES = [
  ...readdirSync(join(ROOT, 'src'), { recursive: true, encoding: 'utf8' })
    .filter((path) => /(?:^|\/)fast-path\/.*\.ts$/.test(path))
    .map((path) => `src/${path}`),
  'src/core/sandbox/warm/select-zygote.ts',
  'bin/skills.js',
]

it.each(FILES)('%s names its general path and a differential test', (path) => {
  const text = readFileSync(join(ROOT, path), 'utf8')
  const [, test] = /differential test: (test\/\S+)/i.exec(text) ?? []
  expect(text).toMatch(/general path: /i)
  expect(existsSync(join(ROOT, test ?? 'none'))).toBe(true)
})

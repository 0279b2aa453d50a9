// @module-tag slow
import fc from 'fast-check'
import { symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { EXAMPLE_SKILL } from '../../../src/core/lint/example-skill.ts'
import { lintFolder } from '../../helpers/rule-examples.ts'
import { createFolder, writeTree, type Tree } from '../../helpers/skills.ts'

function plantSkill(changes: Tree): string {
  const files = Object.entries({ ...EXAMPLE_SKILL, ...changes })
  return createFolder(Object.fromEntries(files.map(([path, text]) => [`greet/${path}`, text])))
}

const BOMB = Array.from({ length: 30 }, (_, at) => `a${at + 1}: &a${at + 1} [*a${at}, *a${at}]`)

describe('lint of hostile skills', () => {
  it.each<[string, Tree]>([
    ['front matter of a megabyte', { 'SKILL.md': `---\nname: ${'x'.repeat(2 ** 20)}\n---\nHi\n` }],
    ['a bomb of aliases', { 'SKILL.md': `---\na0: &a0 x\n${BOMB.join('\n')}\n---\nHi\n` }],
    ['a binary SKILL.md', { 'SKILL.md': new Uint8Array(4096).map((_, at) => (at * 151) % 256) }],
    ['deep tables', { 'skill.toml': `a = ${'['.repeat(50_000)}${']'.repeat(50_000)}\n` }],
    ['deep Python', { 'code/main.py': `x = ${'('.repeat(50_000)}${')'.repeat(50_000)}\n` }],
    ['code to be executed', { 'SKILL.md': '---js\nthrow new Error("executed")\n---\nHi\n' }],
  ])('reports findings for %s', async (_, changes) => {
    const { findings, failures } = await lintFolder(plantSkill(changes))
    expect(findings).not.toEqual([])
    expect(failures).toEqual([])
  })

  it('reports findings for circular links and thousands of files', async () => {
    const files = Array.from({ length: 20_000 }, (_, at) => [`resources/${at}.txt`, ''])
    const root = plantSkill(Object.fromEntries(files) as Tree)
    symlinkSync('..', join(root, 'greet/resources/up'))
    symlinkSync('self', join(root, 'greet/resources/self'))
    const { findings, failures } = await lintFolder(root)
    expect(findings).not.toEqual([])
    expect(failures).toEqual([])
  })

  it('makes no rule fail on any text', async () => {
    const piece = fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.constantFrom('---\n', '[', ']', '"""', "'''", '\r\n', '\uFEFF', '<!-- ', '](', '[[a]]\n'),
      fc.constantFrom('name = ', 'permissions.', 'inputs = { ', 'def main(', 'args["', '\u202E'),
    )
    const text = (original: string | undefined) =>
      fc
        .tuple(fc.array(piece, { maxLength: 12 }), fc.nat(400))
        .map(([pieces, at]) => `${original?.slice(0, at)}${pieces.join('')}${original?.slice(at)}`)
    const tree = fc.record({
      'skill.toml': text(EXAMPLE_SKILL['skill.toml'] as string),
      'SKILL.md': text(EXAMPLE_SKILL['SKILL.md'] as string),
      'code/main.py': text(EXAMPLE_SKILL['code/main.py'] as string),
    })
    const root = plantSkill({})
    await fc.assert(
      fc.asyncProperty(tree, async (files) => {
        writeTree(join(root, 'greet'), files)
        expect((await lintFolder(root)).failures).toEqual([])
      }),
      { numRuns: 40 },
    )
  })
})

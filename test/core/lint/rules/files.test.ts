import { describe, expect, it } from 'vitest'
import { said } from '../../../helpers/rule-cases.ts'

describe('files', () => {
  it('that are no text are told once, with the place of a NUL', async () => {
    const found = await said(
      {
        'resources/latin.md': { content: new Uint8Array([0x67, 0xfc, 0x0a]) },
        'resources/zero.json': '{"a": "\0"}\n',
        'resources/image.png': { content: new Uint8Array([0x89, 0x50, 0x00]) },
      },
      ['files'],
    )
    expect(found.map((each) => [each.text, each.at])).toEqual([
      ['files/not-text: "resources/latin.md" is no UTF-8, expected UTF-8 text', undefined],
      ['files/not-text: "resources/zero.json" has NUL characters, expected UTF-8 text', '\0'],
    ])
  })

  it('in folders of their own kind are nobody else’s business', async () => {
    expect(await said({ 'examples/a.txt': 'a\n', 'assets/b.md': 'b\n' }, ['files'])).toEqual([])
  })

  it('in dependencies are not looked into', async () => {
    const binary = { content: new Uint8Array([0xff, 0x00]) }
    expect(await said({ 'node_modules/x/a.js': binary }, ['files'])).toEqual([])
  })
})

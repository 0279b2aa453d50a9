import { describe, expect, it } from 'vitest'
import { EXAMPLE_TABLES, createExampleToml } from '../../../../src/core/lint/example-skill.ts'
import { lintFindings } from '../../../helpers/rule-cases.ts'

describe('rules of files', () => {
  it('report each wrong line of a lock file, and a missing lock file', async () => {
    const toml = (file: string) =>
      createExampleToml({}, `${EXAMPLE_TABLES}\n[dependencies]\npython = "${file}"\n`)
    const hash = `--hash=sha256:${'a'.repeat(64)}`
    const found = await lintFindings(
      { 'skill.toml': toml('a.lock'), 'a.lock': `x==1 ${hash}\ny==1\n-e .\nz>=2 ${hash}\n` },
      ['files'],
    )
    expect(found.map((each) => each.at)).toEqual(['y==1', '-e .', `z>=2 ${hash}`])
    expect(found[0]?.text).toBe(
      'files/lock-file: "y==1" has no hash, expected name==version --hash=sha256:<64 hex digits>',
    )
    for (const [file, reason] of [
      ['b.lock', 'does not exist'],
      ['../b.lock', 'is not valid: it leads out with ".."'],
    ] as const) {
      expect(await lintFindings({ 'skill.toml': toml(file) }, ['files'])).toMatchObject([
        { text: `files/lock-file: The lock file "${file}" ${reason}`, at: `"${file}"` },
      ])
    }
  })

  it('report a file that is not text once, with the position of a NUL', async () => {
    const found = await lintFindings(
      {
        'resources/latin.md': { content: new Uint8Array([0x67, 0xfc, 0x0a]) },
        'resources/zero.json': '{"a": "\0"}\n',
        'resources/image.png': { content: new Uint8Array([0x89, 0x50, 0x00]) },
      },
      ['files'],
    )
    expect(found.map((each) => [each.text, each.at])).toEqual([
      ['files/not-text: "resources/latin.md" is not UTF-8, expected UTF-8 text', undefined],
      ['files/not-text: "resources/zero.json" contains NUL characters, expected UTF-8 text', '\0'],
    ])
  })

  it('ignore files in other folders', async () => {
    expect(
      await lintFindings({ 'examples/a.txt': 'a\n', 'assets/b.md': 'b\n' }, ['files']),
    ).toEqual([])
  })

  it('ignore dependencies', async () => {
    const binary = { content: new Uint8Array([0xff, 0x00]) }
    expect(await lintFindings({ 'node_modules/x/a.js': binary }, ['files'])).toEqual([])
  })
})

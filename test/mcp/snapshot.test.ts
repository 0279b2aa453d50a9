import { describe, expect, it } from 'vitest'
import type { ExtensionSkill } from '../../src/mcp/skills/build-skill.ts'
import { buildSnapshot } from '../../src/mcp/skills/snapshot.ts'

function carried(path: string): ExtensionSkill {
  const uri = `skill://${path}/SKILL.md`
  const facts = { uri, digest: `sha256:${'0'.repeat(64)}`, size: 1 }
  const frontmatter = { name: path.split('/').at(-1) ?? '', description: 'Does it.' }
  return {
    id: path.replaceAll('/', '.'),
    version: '1.0.0',
    files: [{ ...facts, dir: '/', path: 'SKILL.md', mimeType: 'text/markdown' }],
    skill: { uri, frontmatter, resources: [facts] },
  }
}

const filesOf = (paths: readonly string[]) =>
  Object.fromEntries(
    buildSnapshot(paths.map(carried)).skills.map(({ uri, resources }) => [
      uri,
      (resources as { uri: string }[]).map((each) => each.uri),
    ]),
  )

describe('a snapshot of the skills', () => {
  it('includes nested skills of any depth in the files of the outer skill', () => {
    const files = filesOf(['a/b/c', 'a', 'ab', 'a-b', 'a/b', 'b', 'a.b'])
    expect(files['skill://a/SKILL.md']).toEqual([
      'skill://a/SKILL.md',
      'skill://a/b/SKILL.md',
      'skill://a/b/c/SKILL.md',
    ])
    expect(files['skill://a/b/SKILL.md']).toEqual([
      'skill://a/b/SKILL.md',
      'skill://a/b/c/SKILL.md',
    ])
    for (const each of ['ab', 'a-b', 'a.b', 'b', 'a/b/c']) {
      expect(files[`skill://${each}/SKILL.md`]).toEqual([`skill://${each}/SKILL.md`])
    }
  })
})
